"""Two of the staff who take the last copy of a list, and two who publish one winner, at the same moment (K3, ¶14)."""

from functools import partial

import pytest

from accounts.models import Role
from payouts.models import Publication, UnpaidListCopy
from payouts.services import unpaid_lists
from payouts.services.publishing_winners import Agreed, approve_publication, consent_on_paper, propose_publication
from payouts.services.unpaid_lists import copy_unpaid_list
from pools.locks import find_pool
from tests.claiming import won
from tests.concurrency.racing import race
from tests.desks import keeper
from tests.making import make_till, make_user
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db(transaction=True)


def test_k3_of_five_at_once_two_get_a_copy() -> None:
    pool, _slip = won(make_till())
    staff = [make_user(Role.ORGANIZER) for _number in range(5)]
    outcomes = race([partial(copy_unpaid_list, code=pool.code, made_by=one) for one in staff])
    refusals = [outcome.code for outcome in outcomes if isinstance(outcome, DomainError)]
    assert refusals == [Refusal.LIMIT_REACHED] * 3
    assert sorted(UnpaidListCopy.objects.values_list("number", flat=True)) == [1, 2]


def test_negative_control_without_the_lock_only_the_numbers_unique_key_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    pool, _slip = won(make_till())
    staff = [make_user(Role.ORGANIZER) for _number in range(5)]
    monkeypatch.setattr(unpaid_lists, "lock_pool", find_pool)

    def attempt(number: int) -> str:
        try:
            copy_unpaid_list(code=pool.code, made_by=staff[number])
        except DomainError as refusal:
            return str(refusal.code)
        except Exception as fault:  # noqa: BLE001  what is not a refusal is what this test looks for
            return type(fault).__name__
        return "copied"

    assert "IntegrityError" in race([partial(attempt, number) for number in range(5)])


def test_two_who_approve_at_once_publish_once() -> None:
    _pool, slip = won(make_till())
    consent = consent_on_paper(
        ticket=slip.bet.ticket, agreed=Agreed(name="Янка К."), paper=b"%PDF-1.7 signed", taken_by=keeper()
    )
    proposal = propose_publication(consent=consent, proposed_by=make_user(Role.ORGANIZER))
    approvers = [make_user(Role.ORGANIZER), make_user(Role.ORGANIZER)]
    outcomes = race([partial(approve_publication, proposal=proposal, approved_by=one) for one in approvers])
    assert outcomes == [Publication.objects.get()] * 2
    assert JournalRecord.objects.filter(act="approve_publication").count() == 1
