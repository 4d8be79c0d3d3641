"""A longer term for claiming, by two people with a document; never a shorter one (K2)."""

from datetime import timedelta
from functools import partial

import pytest
from django.db import DatabaseError, connection, transaction

from accounts.models import Role
from payouts.models import Payable
from payouts.queries.claim_terms import claim_end_of
from payouts.services.expiring import expire_winnings
from payouts.services.extending import approve_extension, propose_extension
from tests.claiming import won
from tests.making import make_till, make_user
from tests.paying import broken, go_to, pay, payable_until
from tests.refusals import refused
from totalizator.core.errors import Refusal
from totalizator.engine.deadlines import end_of_legal_day, legal_day

pytestmark = pytest.mark.django_db


def test_k2_two_people_make_the_term_longer_and_the_last_instant_of_it_still_pays() -> None:
    till, maker, checker = make_till(1_000), make_user(Role.ORGANIZER), make_user(Role.ORGANIZER)
    pool, slip = won(till)
    end = payable_until(pool)
    last_day = legal_day(end) + timedelta(days=4)
    ask = partial(
        propose_extension, code=pool.code, reason="The points were shut", document="Order 7", proposed_by=maker
    )
    for day in (legal_day(end) - timedelta(days=1), legal_day(end) - timedelta(days=30)):
        assert refused(partial(ask, last_day=day)).code == Refusal.BAD_VALUE
    extension = ask(last_day=last_day)
    assert claim_end_of(pool) == end
    assert refused(partial(approve_extension, extension=extension, approved_by=maker)).code == Refusal.SAME_PERSON
    assert till.cashier is not None
    by_cashier = partial(approve_extension, extension=extension, approved_by=till.cashier)
    assert refused(by_cashier).code == Refusal.NOT_ALLOWED
    extended = approve_extension(extension=extension, approved_by=checker)
    assert approve_extension(extension=extension, approved_by=checker) == extended
    assert claim_end_of(pool) == end_of_legal_day(last_day)
    assert refused(partial(ask, last_day=last_day)).code == Refusal.BAD_VALUE
    go_to(end)
    assert expire_winnings(code=pool.code) == 0
    go_to(end_of_legal_day(last_day) - timedelta(seconds=5))
    assert pay(slip, till).net == 66
    go_to(end_of_legal_day(last_day))
    assert expire_winnings(code=pool.code) == 1
    assert broken() == []


def test_a_term_that_is_over_is_not_opened_again() -> None:
    maker, checker = make_user(Role.ORGANIZER), make_user(Role.ORGANIZER)
    pool, _slip = won(make_till())
    ask = partial(
        propose_extension,
        code=pool.code,
        last_day=legal_day(payable_until(pool)) + timedelta(days=9),
        reason="Shut",
        document="Order 7",
        proposed_by=maker,
    )
    extension = ask()
    go_to(payable_until(pool))
    assert refused(ask).code == Refusal.WRONG_STATE
    assert refused(partial(approve_extension, extension=extension, approved_by=checker)).code == Refusal.WRONG_STATE


def test_the_database_lets_no_term_be_changed_without_the_decision() -> None:
    pool, _slip = won(make_till())
    for change in ("+ interval '1 day'", "- interval '1 day'"):
        with pytest.raises(DatabaseError, match="never changes"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"UPDATE payouts_payable SET payable_until = payable_until {change}")
    assert set(Payable.objects.filter(pool=pool).values_list("payable_until", flat=True)) == {payable_until(pool)}
