"""Cancelling a bet made in breach of the rules, before and after the settlement, in every channel (¶29, D-3, G3)."""

import json
from functools import partial
from pathlib import Path

import pytest
from django.db import IntegrityError, connection, transaction

from accounts.ledger.balances import balance, entries_balance
from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from payouts.models import Payable, PayableState, Payment
from payouts.queries import money_certificate
from payouts.services.bet_cancelling import approve_bet_cancellation, propose_bet_cancellation
from payouts.services.booking import book_payables
from payouts.services.crediting import credit_accounts
from payouts.services.expiring import expire_winnings
from pools.models import LogEntry, LogKind, Settlement
from pools.services.calculating import calculate_settlement
from pools.services.cancelling import approve_cancellation, propose_cancellation
from tests.all_channels import PRICE, WAYS, bet_every_way, make_town
from tests.disputing import cancelled, proposed
from tests.integration.test_every_channel import IN_CASH, assert_the_bundle_verifies, money_in, pay_tickets
from tests.making import bet_in_cash, make_organizers, make_player, make_pool, make_till
from tests.paying import broken, go_to, pay, payable_from, payable_until, sell_slips
from tests.refusals import every_row, refused
from tests.resulting import close_by_clock, seal
from tests.settling import jackpot_of, owed, settle, winnings_of
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord
from totalizator.engine.canonical import digest

pytestmark = pytest.mark.django_db


def test_before_the_settlement_a_bet_of_each_channel_leaves_the_division_and_its_stake_goes_back(
    tmp_path: Path,
) -> None:
    town, pool = make_town(), make_pool("sportloto-variant")
    slips, other = (
        bet_every_way(pool, town, "1", losers="X", more=0),
        bet_every_way(pool, town, "1", losers="X", more=0),
    )
    for slip in slips.values():
        assert cancelled(slip.ticket).cancelled_when == "before"
    before = money_in(town)
    statement = settle(pool, "1")
    assert (statement["turnover"], statement["refunds"], statement["fund"]) == (1_600, 800, 560)
    assert statement["cancelled"] == sorted(slip.ticket for slip in slips.values())
    assert json.loads(Settlement.objects.get(pool=pool).state_text)["cancelled"] == statement["cancelled"]
    assert winnings_of(pool) == {(slip.ticket, "all"): 70 for slip in other.values()}
    book_payables(code=pool.code)
    assert credit_accounts(code=pool.code) == 4
    pay_tickets(slips, town)
    returned = Payment.objects.filter(ticket__in=statement["cancelled"])
    assert {(row.kind, row.gross, row.tax) for row in returned} == {("refund", PRICE, 0)}
    assert returned.count() == len(WAYS)
    gained = {way: amount - before[way] for way, amount in money_in(town).items()}
    assert gained == {"cash": -200, "agent": -100, "terminal": -100, "card": 100, "account": 100, "batch": 100}
    assert broken() == []
    assert_the_bundle_verifies(pool, tmp_path)


def test_d3_an_unpaid_winning_of_each_channel_goes_to_the_jackpot_and_the_stake_comes_from_the_organizer(
    tmp_path: Path,
) -> None:
    town, pool = make_town(), make_pool("sportloto-variant")
    slips, other = (
        bet_every_way(pool, town, "1", losers="X", more=0),
        bet_every_way(pool, town, "1", losers="X", more=0),
    )
    settle(pool, "1")
    files, organizer = settled(pool.pk), entries_balance(ledger_account(AccountKind.ORGANIZER))
    before = money_in(town)
    for slip in slips.values():
        done = cancelled(slip.ticket)
        assert (done.cancelled_when, done.stake, done.winning, done.taken) == ("after", 100, "unpaid", 70)
    assert settled(pool.pk) == files  # the published settlement stands, and so does everybody else's winning
    assert winnings_of(pool) == {(slip.ticket, "all"): 70 for slip in (*slips.values(), *other.values())}
    assert (jackpot_of(pool.game), entries_balance(ledger_account(AccountKind.ORGANIZER)) - organizer) == (560, -800)
    assert (owed(AccountKind.WINNINGS_DUE, pool), owed(AccountKind.REFUNDS_DUE, pool)) == (560, 800)
    assert broken() == []
    proof = money_certificate(pool)
    assert proof is not None
    assert (proof.holds, proof.figures["revoked"].ledger, proof.figures["cancelled_stakes"].stated) == (True, 560, 800)
    go_to(payable_from(pool))
    assert credit_accounts(code=pool.code) == 8
    pay_tickets(slips, town)
    gained = {way: amount - before[way] for way, amount in money_in(town).items()}
    others = 66  # 0.70 less tax: the other bet of each account
    assert gained == {
        "cash": -200,
        "agent": -100,
        "terminal": -100,
        "card": 100 + others,
        "account": 100 + others,
        "batch": 100 + others,
    }
    assert set(Payable.objects.filter(ticket__in=[s.ticket for s in slips.values()]).values_list("kind", "state")) == {
        ("winning", "revoked"),
        ("refund", "paid"),
    }
    assert len(IN_CASH) == 4
    assert broken() == []
    assert money_certificate(pool).holds  # type: ignore[union-attr]
    assert_the_bundle_verifies(pool, tmp_path)


def test_d3_a_paid_winning_becomes_a_receivable_of_what_was_handed_over() -> None:
    till, pool = make_till(1_000), make_pool("sportloto-variant")
    slip, other = sell_slips(pool, till, ("1", 100), ("1", 100))
    settle(pool, "1")
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    assert pay(slip, till).handed_over == 66
    organizer = entries_balance(ledger_account(AccountKind.ORGANIZER))
    done = cancelled(slip.bet.ticket)
    assert (done.winning, done.taken) == ("paid", 66)
    assert balance(ledger_account(AccountKind.RECEIVABLE, slip.bet.ticket)) == 66
    assert entries_balance(ledger_account(AccountKind.ORGANIZER)) - organizer == 66 - 100
    assert jackpot_of(pool.game) == 0
    assert pay(slip, till, "stake").handed_over == 100
    assert pay(other, till).handed_over == 66
    assert broken() == []
    assert money_certificate(pool).holds  # type: ignore[union-attr]


def test_a_loser_and_an_expired_winner_only_get_their_stake_back() -> None:
    till, pool = make_till(1_000), make_pool("sportloto-variant")
    winner, loser = sell_slips(pool, till, ("1", 100), ("X", 100))
    settle(pool, "1")
    book_payables(code=pool.code)
    go_to(payable_until(pool))
    expire_winnings(code=pool.code)
    for slip in (winner, loser):
        assert (cancelled(slip.bet.ticket).winning, pay(slip, till).handed_over) == ("none", 100)
    assert jackpot_of(pool.game) == 140
    assert broken() == []


def test_one_person_alone_cancels_nothing_and_each_refusal_changes_nothing() -> None:
    till, pool = make_till(1_000), make_pool("sportloto-variant")
    slip = bet_in_cash(pool, till, "1", 100)
    ticket, (one, other) = slip.bet.ticket, make_organizers()
    for wrong in ({"reason": " "}, {"document": ""}):
        words = {"reason": "A breach", "document": "Act 1", **wrong}
        refusal = refused(partial(propose_bet_cancellation, ticket=ticket, proposed_by=one, **words))
        assert (refusal.code, refusal.field) == (Refusal.BAD_VALUE, next(iter(wrong)))
    nobody = partial(propose_bet_cancellation, ticket="T-NONE", reason="A", document="B", proposed_by=one)
    assert refused(nobody).code == Refusal.NOT_FOUND
    for stranger in (make_player(), till.cashier):
        assert stranger is not None
        assert refused(partial(proposed, ticket, stranger)).code == Refusal.NOT_ALLOWED
    first, second = proposed(ticket, one), proposed(ticket, one)
    act = partial(approve_bet_cancellation, proposal=second)
    assert refused(partial(act, approved_by=one)).code == Refusal.SAME_PERSON
    assert refused(partial(act, approved_by=make_player())).code == Refusal.NOT_ALLOWED
    assert refused(partial(act, proposal=first, approved_by=other)).code == Refusal.WRONG_STATE
    act(approved_by=other)
    assert refused(partial(act, approved_by=other)).code == Refusal.WRONG_STATE
    assert refused(partial(proposed, ticket, one)).code == Refusal.WRONG_STATE


def test_nothing_is_cancelled_twice_over_or_in_the_middle_of_settling() -> None:
    till, pool = make_till(1_000), make_pool("sportloto-variant")
    slip = bet_in_cash(pool, till, "1", 100)
    close_by_clock(pool)
    seal(pool, "1")
    calculate_settlement(code=pool.code, actor="test")
    one, other = make_organizers()
    assert refused(partial(proposed, slip.bet.ticket, one)).code == Refusal.WRONG_STATE
    off = make_pool("sportloto-variant")
    returned = bet_in_cash(off, till, "1", 100)
    propose_cancellation(code=off.code, reason="Off", document="Letter 1", proposed_by=one)
    approve_cancellation(code=off.code, approved_by=other)
    assert refused(partial(proposed, returned.bet.ticket, one)).code == Refusal.WRONG_STATE


def test_it_is_journalled_and_in_the_public_log_and_never_changed() -> None:
    till, pool = make_till(1_000), make_pool("sportloto-variant")
    slip = bet_in_cash(pool, till, "1", 100)
    done = cancelled(slip.bet.ticket)
    record = JournalRecord.objects.get(act="approve_bet_cancellation")
    assert (record.subject, record.reason) == (f"bet:{done.ticket}", "Made by a member of the commission.")
    line = LogEntry.objects.get(subject=done.ticket)
    assert (line.kind, line.digest) == (LogKind.CORRECTION, digest(done.document_text.encode()))
    assert "commission" not in done.document_text
    for table in ("pools_betcancellation", "pools_betcancellationproposal"):
        before = every_row()
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"DELETE FROM {table}")
        assert every_row() == before


def test_the_proofs_find_what_was_taken_back_past_the_service() -> None:
    till, pool = make_till(1_000), make_pool("sportloto-variant")
    slip = bet_in_cash(pool, till, "1", 100)
    settle(pool, "1")
    book_payables(code=pool.code)
    Payable.objects.filter(pool=pool, ticket=slip.bet.ticket).update(
        state=PayableState.REVOKED, settled_at=slip.bet.registered_at
    )
    assert "what is revoked is the unpaid winning of a cancelled bet" in broken()


def settled(pool_id: int) -> tuple[str, ...]:
    """Every published text of a settlement."""
    row = Settlement.objects.get(pool_id=pool_id)
    return row.state_text, row.tally_text, row.statement_text, row.manifest_text
