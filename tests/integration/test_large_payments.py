"""Large winnings in cash: at a central desk alone, by name, by two people (K1)."""

from functools import partial

import pytest
from django.db import connection

from accounts.ledger.balances import balance
from accounts.models import IdentifiedOperation, PointKind, Role
from payouts.models import LargeApproval, Payment, Recipient
from payouts.services.central_desks import appoint_central_desk
from payouts.services.large_payments import approve_large_payment
from tests.claiming import approved, make_central, person, prepared, won
from tests.desks import make_agent
from tests.making import make_player, make_till, make_user
from tests.paying import broken, go_to, pay, payable_from
from tests.refusals import refused
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord, LegalNumber

pytestmark = pytest.mark.django_db

LINE = 1_000  # wins 700


@pytest.fixture(autouse=True)
def _threshold(db: None) -> None:
    """A winning of 7.00 is large today."""
    from totalizator.core import clock
    from totalizator.core.legal import forget_legal_numbers

    LegalNumber.objects.create(
        name="large_winning_from", valid_from=clock.today(), value="700", source="A test's threshold"
    )
    forget_legal_numbers()


def test_a_large_winning_is_paid_only_at_the_central_desk_prepared_by_one_and_approved_by_another() -> None:
    till, central = make_till(10_000), make_central(make_till(10_000))
    pool, slip = won(till, LINE)
    go_to(payable_from(pool))
    refusal = refused(partial(pay, slip, till))
    assert (refusal.code, refusal.details["points"]) == (Refusal.CENTRAL_DESK_ONLY, [str(central.point)])
    assert refused(partial(prepared, slip, till)).code == Refusal.CENTRAL_DESK_ONLY
    assert refused(partial(pay, slip, central)).code == Refusal.APPROVAL_NEEDED
    payment = prepared(slip, central)
    assert refused(partial(pay, slip, central)).code == Refusal.APPROVAL_NEEDED
    assert central.cashier is not None
    for someone in (central.cashier, make_player()):
        assert refused(partial(approve_large_payment, payment=payment, approved_by=someone)).code == Refusal.NOT_ALLOWED
    approved(payment)
    assert refused(partial(pay, slip, central, person=person("ANOTHER001"))).code == Refusal.NOT_ALLOWED
    paid = pay(slip, central)
    assert (paid.gross, paid.tax, paid.net, paid.till) == (700, 35, 665, central)
    assert IdentifiedOperation.objects.get(operation=f"winning-paid:{slip.bet.ticket}").person == person()
    assert balance(central.ledger_account) == 10_000 - 665
    acts = JournalRecord.objects.filter(act__endswith="_large_payment").order_by("id").values_list("act", flat=True)
    assert list(acts) == ["prepare_large_payment", "approve_large_payment"]
    assert broken() == []


def test_a_winning_a_kopeck_below_is_paid_anywhere() -> None:
    till = make_till(10_000)
    pool, slip = won(till, LINE - 2)
    go_to(payable_from(pool))
    assert pay(slip, till).gross == 699
    assert Payment.objects.count() == 1


def test_what_is_not_large_is_not_prepared() -> None:
    central = make_central(make_till(10_000))
    pool, slip = won(central, 100)
    go_to(payable_from(pool))
    assert refused(partial(prepared, slip, central)).code == Refusal.WRONG_STATE


def test_prepared_anew_it_needs_a_new_approval_and_the_old_one_pays_nobody() -> None:
    central = make_central(make_till(10_000))
    pool, slip = won(central, LINE)
    go_to(payable_from(pool))
    first = approved(prepared(slip, central))
    second = prepared(slip, central, "ANOTHER001")
    assert refused(partial(pay, slip, central)).code == Refusal.APPROVAL_NEEDED
    staff = make_user(Role.ORGANIZER)
    third = prepared(slip, central)
    assert refused(partial(approve_large_payment, payment=second, approved_by=staff)).code == Refusal.WRONG_STATE
    approve_large_payment(payment=third, approved_by=staff)
    assert approve_large_payment(payment=first, approved_by=staff).payment == first
    assert (LargeApproval.objects.count(), pay(slip, central).gross) == (2, 700)


def test_nothing_is_prepared_before_its_day_or_after_it_is_paid() -> None:
    central = make_central(make_till(10_000))
    pool, slip = won(central, LINE)
    assert refused(partial(prepared, slip, central)).code == Refusal.NOT_PAYABLE_YET
    go_to(payable_from(pool))
    approved(prepared(slip, central))
    pay(slip, central)
    assert refused(partial(prepared, slip, central)).code == Refusal.ALREADY_PAID


def test_who_is_paid_is_kept_encrypted() -> None:
    central = make_central(make_till(10_000))
    pool, slip = won(central, LINE)
    go_to(payable_from(pool))
    prepared(slip, central)
    assert Recipient.objects.get().full_name == "Янка Купала"
    with connection.cursor() as cursor:
        cursor.execute("SELECT r::text FROM payouts_recipient r")
        assert "Янка" not in str(cursor.fetchall())


def test_a_central_desk_is_the_organizers_own_and_made_so_by_staff() -> None:
    till, agents = make_till(), make_till(kind=PointKind.AGENT, agent=make_agent())
    staff = make_user(Role.ORGANIZER)
    appoint = partial(appoint_central_desk, is_central=True, reason="Large winnings")
    assert refused(partial(appoint, point=agents.point, by=staff)).code == Refusal.WRONG_STATE
    assert till.cashier is not None
    assert refused(partial(appoint, point=till.point, by=till.cashier)).code == Refusal.NOT_ALLOWED
    assert [appoint(point=till.point, by=staff) for _time in range(2)] == [True, False]
    assert appoint_central_desk(point=till.point, is_central=False, reason="Moved", by=staff)
