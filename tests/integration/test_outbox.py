"""What is told, in what order, and that an act and its event are both there or neither (U1)."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from accounts.ledger.kinds import TransferKind
from accounts.models import Entry
from accounts.services.switching import switch_point
from payouts.services.booking import book_payables
from payouts.services.expiring import expire_winnings
from payouts.services.jackpot import add_to_jackpot
from pools.models import Bet
from pools.services import telling_bets
from pools.services.cancelling import approve_cancellation, propose_cancellation
from pools.services.telling_bets import number_what_happened
from tests.desks import keeper
from tests.making import make_organizers, make_pool, make_till
from tests.paying import go_to, pay, payable_from, payable_until, sell_slips
from tests.refusals import every_row, refused
from tests.settling import settle
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.models import OutboxEvent, PendingEvent
from totalizator.core.outbox import chain_of, hold_numbering, number_events, tell
from totalizator.core.outbox_kinds import EventKind

pytestmark = pytest.mark.django_db


def told(subject: str) -> list[tuple[str, dict[str, Any]]]:
    """Kind and payload of every numbered event of a subject, in order."""
    return list(OutboxEvent.objects.filter(subject=subject).order_by("sequence").values_list("kind", "payload"))


def kinds(subject: str) -> list[str]:
    return [kind for kind, _payload in told(subject)]


def test_a_pools_whole_life_is_told_in_its_order_and_to_the_kopeck() -> None:
    pool = make_pool("sportloto-variant", terms={"price": {"line": 1_000}, "fund": "1"})
    till = make_till()
    slips = sell_slips(pool, till, *[("1", 1_000)] * 10)
    settle(pool, "1")
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    for slip in slips[:6]:
        pay(slip, till)
    go_to(payable_until(pool))
    assert expire_winnings(code=pool.code) == 4
    number_what_happened()
    life = [kind for kind in kinds(f"pool:{pool.code}") if kind not in ("winnings.paid", "tax.withheld")]
    assert life == [
        "pool.announced",
        "bets.registered",
        "pool.open",
        "pool.closed",
        "pool.sealed",
        "pool.resulted",
        "pool.statement",
        "pool.settled",
        "winnings.expired",
    ]
    (bets,) = [payload for kind, payload in told(f"pool:{pool.code}") if kind == "bets.registered"]
    assert (bets["count"], bets["amount"], len(bets["bets"])) == (10, 10_000, 10)
    assert {bet["ticket"] for bet in bets["bets"]} == {slip.bet.ticket for slip in slips}
    assert set(bets["bets"][0]) == {"ticket", "lines", "stake", "channel", "till", "registered_at"}
    paid = [payload for kind, payload in told(f"pool:{pool.code}") if kind == "winnings.paid"]
    tax = sum(Entry.objects.filter(credit__kind="tax_due").values_list("amount", flat=True))
    assert [sum(payload[key] for payload in paid) for key in ("count", "amount")] == [6, 6_000]
    assert sum(payload["tickets"][0]["tax"] for payload in paid) == tax
    assert sum(payload["amount"] for kind, payload in told(f"pool:{pool.code}") if kind == "tax.withheld") == tax > 0
    (expired,) = [payload for kind, payload in told(f"pool:{pool.code}") if kind == "winnings.expired"]
    assert (expired["count"], expired["amount"]) == (4, 4_000)
    assert [item["amount"] for item in expired["tickets"]] == [1_000] * 4
    (jackpot,) = [payload for _kind, payload in told("jackpot:sportloto")]
    assert jackpot == {"cause": "jackpot_unclaimed", "pool": pool.code, "count": 4, "amount": 4_000}


def test_neither_a_choice_nor_a_code_is_told() -> None:
    pool = make_pool("sportloto-variant")
    (slip,) = sell_slips(pool, make_till(), ("1", 100))
    clock.move_clock(timedelta(seconds=1))
    number_what_happened()
    everything = repr(list(OutboxEvent.objects.values_list("payload", flat=True)))
    assert slip.bet.ticket in everything
    for secret in (slip.check_code, slip.bet.check_hash.hex(), slip.bet.salt.hex(), "bits", "selections"):
        assert secret not in everything


def test_numbers_have_no_gap_and_each_event_is_chained_to_the_one_before() -> None:
    pool = make_pool("sportloto-variant")
    sell_slips(pool, make_till(), ("1", 100), ("X", 100))
    switch_point(point=make_till().point, on=False, reason="a test", by=keeper())
    first = number_what_happened()
    add_to_jackpot(game="totolot", amount=500, document="17", actor=keeper())
    assert number_what_happened() == 1
    assert number_what_happened() == 0
    events = list(OutboxEvent.objects.order_by("sequence"))
    assert [event.sequence for event in events] == list(range(1, first + 2))
    chain = ""
    for event in events:
        chain = chain_of(chain, event)
        assert event.chain == chain
    assert (events[-1].kind, events[-1].payload["amount"]) == ("jackpot.moved", 500)
    events[0].payload["game"] = "another"
    assert chain_of("", events[0]) != events[0].chain


def test_the_order_is_that_of_the_acts_and_not_of_the_writing() -> None:
    at = clock.now()
    for seconds in (3, 1, 2):
        tell(EventKind.RULES_PUBLISHED, "rules", {"n": seconds}, at=at + timedelta(seconds=seconds))
    hold_numbering()
    assert number_events(until=at + timedelta(seconds=2)) == 2
    assert [payload["n"] for _kind, payload in told("rules")] == [1, 2]
    assert number_events(until=at + timedelta(seconds=9)) == 1
    assert [payload["n"] for _kind, payload in told("rules")] == [1, 2, 3]
    assert not PendingEvent.objects.exists()


def test_an_act_that_is_refused_tells_nothing() -> None:
    pool = make_pool("sportloto-variant")
    one, _other = make_organizers()
    propose_cancellation(code=pool.code, reason="rain", document="17", proposed_by=one)
    number_what_happened()
    before = every_row()
    refusal = refused(lambda: approve_cancellation(code=pool.code, approved_by=one))
    assert refusal.code == Refusal.SAME_PERSON
    assert every_row() == before


def test_what_was_told_cannot_be_changed_or_taken_back() -> None:
    make_pool("sportloto-variant")
    number_what_happened()
    for act in ("UPDATE core_outboxevent SET kind = 'x'", "DELETE FROM core_outboxevent"):
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(act)


def test_many_bets_are_told_in_parts_and_each_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling_bets, "MOST_BETS", 3)
    monkeypatch.setattr(telling_bets, "MOST_AT_A_TIME", 4)
    pool = make_pool("sportloto-variant")
    till = make_till()
    slips = sell_slips(pool, till, *[("1", 100)] * 11)
    number_what_happened()
    late = sell_slips(pool, till, ("2", 100))
    number_what_happened()
    number_what_happened()
    told_of = [bet["ticket"] for kind, payload in told(f"pool:{pool.code}") for bet in payload.get("bets", ())]
    assert sorted(told_of) == sorted(slip.bet.ticket for slip in (*slips, *late))
    assert Bet.objects.filter(pool=pool).count() == 12


def test_a_bet_itself_writes_nothing_for_the_outbox() -> None:
    pool = make_pool("sportloto-variant")
    till = make_till()
    before = PendingEvent.objects.count()
    sell_slips(pool, till, ("1", 100))
    assert PendingEvent.objects.count() == before
    assert Entry.objects.filter(transfer__kind=TransferKind.STAKE).count() == 1
