"""Staff's acts on payment systems over the API: the queue, reports, what is paid over, ends of withdrawals (F1, F2)."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from accounts.ledger.balances import balance
from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import Mismatch, UnmatchedItem, Withdrawal, WithdrawalProposal, WithdrawalState
from accounts.services.unmatched import note_unmatched
from tests.fakes.provider import FakeProvider, running, settings_of, statement
from tests.functional.calling import Caller, told
from tests.functional.uploading import upload
from tests.making import make_organizers, make_player
from tests.paying import broken, money_of
from tests.topping_up import ask_back, begin, deposit_by
from totalizator.core import clock
from totalizator.core.api.documents import instant

pytestmark = pytest.mark.django_db


@pytest.fixture
def provider(settings: object) -> Iterator[FakeProvider]:
    with running() as fake:
        settings.PAYMENT_PROVIDERS = settings_of(fake)  # type: ignore[attr-defined]
        yield fake


def at_provider() -> int:
    return balance(ledger_account(AccountKind.AT_PROVIDER, "fake"))


def an_item(reference: str = "D-1") -> UnmatchedItem:
    """Something of the queue."""
    note_unmatched(provider="fake", reference=reference, mismatch=Mismatch.STATE, ours="a", theirs="b", at=clock.now())
    return UnmatchedItem.objects.get(reference=reference)


def test_f1_an_item_of_the_queue_is_closed_once(provider: FakeProvider) -> None:
    staff, item = make_organizers()[0], an_item()
    caller = Caller(staff)
    written = {
        "number": item.pk,
        "provider": "fake",
        "reference": "D-1",
        "mismatch": "state",
        "ours": "a",
        "theirs": "b",
        "explanation": "",
        "found_at": instant(item.found_at),
        "closed_at": None,
        "closed_by": None,
        "decision": "",
    }
    assert caller.get("staff/unmatched").json() == {"items": [written], "next": None}
    closed = caller.post(f"staff/unmatched/{item.pk}/closing", {"decision": "Act 1"})
    item.refresh_from_db()
    assert item.closed_at is not None
    written |= {"closed_at": instant(item.closed_at), "closed_by": staff.username, "decision": "Act 1"}
    assert (closed.status_code, closed.json()) == (200, written)
    assert told(caller.post(f"staff/unmatched/{item.pk}/closing", {"decision": "Act 1"})) == (409, "wrong_state")
    assert caller.get("staff/unmatched").json()["items"] == []
    assert caller.get("staff/unmatched?closed=yes").json()["items"] == [written]


def test_f1_money_that_the_payment_system_has_is_credited_once(provider: FakeProvider) -> None:
    (one, other), player = make_organizers(), make_player()
    reference = begin(player, 1_000)
    item = an_item(reference)
    where, body = f"staff/unmatched/{item.pk}/credit", {"decision": "Act 2"}
    assert told(Caller(one).post(where, body)) == (409, "wrong_state")
    assert money_of(player) == 0
    provider.payments[reference]["outcome"] = "done"
    answers = [Caller(one).post(where, body) for _ in range(2)]
    assert [(each.status_code, each.json()["decision"]) for each in answers] == [(200, "Act 2")] * 2
    assert money_of(player) == 1_000
    assert told(Caller(other).post(where, body)) == (409, "wrong_state")
    assert (money_of(player), broken()) == (1_000, [])


def test_f1_a_report_of_a_day_is_compared(provider: FakeProvider) -> None:
    staff, day = make_organizers()[0], clock.today()
    caller = Caller(staff)
    report = statement("D-77777;deposit;done;5;BYN", "not a line").encode()
    early = upload(caller, "provider-reports", report, provider="fake", day=day.isoformat())
    assert (told(early), early.json()["field"]) == ((400, "bad_value"), "day")
    clock.move_clock(timedelta(days=1))
    caller = Caller(staff)
    read = upload(caller, "provider-reports", report, provider="fake", day=day.isoformat())
    assert (read.status_code, read.json()) == (200, {"lines": 1, "new": 1, "faults": [3]})
    assert told(upload(caller, "provider-reports", report, provider="other", day="2026-01-01")) == (404, "not_found")
    assert told(upload(caller, "provider-reports", b"\xff", provider="fake", day="2026-01-01")) == (400, "bad_value")
    assert UnmatchedItem.objects.get().reference == "D-77777"


def test_f1_what_is_paid_over_and_prefunded_is_booked_once(provider: FakeProvider) -> None:
    caller = Caller(make_organizers()[0])
    deposit_by(provider, make_player(), 10_000)
    over = {"provider": "fake", "received": "97.00", "held": "100.00", "reference": "B-1"}
    answers = [caller.post("staff/provider-payments", over, key="over") for _ in range(2)]
    assert [(answer.status_code, answer.json()) for answer in answers] == [(201, {"booked": True})] * 2
    assert at_provider() == 0
    ahead = {"provider": "fake", "amount": "40.00", "reference": "B-2"}
    assert caller.post("staff/provider-prefunding", ahead).json() == {"booked": True}
    caller.post("staff/provider-prefunding", ahead)
    assert (at_provider(), broken()) == (4_000, [])
    wrong = caller.post("staff/provider-prefunding", ahead | {"amount": "0.00", "reference": "B-3"})
    assert (told(wrong), wrong.json()["field"]) == ((400, "bad_value"), "amount")
    assert told(caller.post("staff/provider-payments", over | {"provider": "other"})) == (404, "not_found")
    assert at_provider() == 4_000


def test_f2_two_people_say_how_a_withdrawal_ended_that_nobody_answers_for(provider: FakeProvider) -> None:
    (one, other), player = make_organizers(), make_player()
    card = deposit_by(provider, player, 1_000)
    withdrawal = ask_back(player, 1_000, card)
    body = {"paid": False, "document": "Letter 3"}
    assert told(Caller(one).post(f"staff/withdrawals/{withdrawal.pk}/end", body)) == (409, "wrong_state")
    Withdrawal.objects.filter(pk=withdrawal.pk).update(state=WithdrawalState.UNKNOWN)
    proposed = Caller(one).post(f"staff/withdrawals/{withdrawal.pk}/end", body)
    proposal = WithdrawalProposal.objects.get()
    written = {
        **body,
        "number": proposal.pk,
        "withdrawal": withdrawal.pk,
        "proposed_by": one.username,
        "proposed_at": instant(proposal.proposed_at),
    }
    assert (proposed.status_code, proposed.json()) == (201, written)
    assert Caller(other).get("staff/withdrawal-ends").json() == {"proposals": [written], "next": None}
    where = f"staff/withdrawal-ends/{proposal.pk}/approval"
    assert told(Caller(one).post(where, {})) == (403, "same_person")
    assert money_of(player) == 0
    approved = [Caller(other).post(where, {}, key="approve") for _ in range(2)]
    assert [(each.status_code, each.json()["state"], each.json()["reason"]) for each in approved] == [
        (200, "failed", "Letter 3")
    ] * 2
    assert (money_of(player), broken()) == (1_000, [])
    assert Caller(other).get("staff/withdrawal-ends").json()["proposals"] == []
