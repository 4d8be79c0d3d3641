"""Proving the books: they hold on a full life of pools, and each proof names what breaks it."""

from collections.abc import Mapping
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection, transaction

from accounts.ledger.proofs import broken_invariants
from payouts.queries import money_certificate
from payouts.services.reconciling import PROOFS
from payouts.tasks import (
    reconcile_nightly,
)
from tests.breaking_archives import BREAKING_ARCHIVES, TABLES
from tests.breaking_corrections import BREAKING_CORRECTIONS
from tests.breaking_refunds import BREAKING_REFUNDS
from tests.making import make_pool
from tests.refusals import every_row
from tests.settling import sell, settle
from tests.whole_life import live
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db


# proof → what breaks it, and what must be named. {won} and so on are the pools' ids, {won_code} their codes.
BREAKING: Mapping[str, tuple[str, str]] = {
    "every line that the post's register tells part by part is the sum of its remittances": (
        "UPDATE accounts_placement SET outcome = 'register'",
        " told in a register, 0 in 0 remittances of 0",
    ),
    "counters of guarded accounts equal the sums of their entries": (
        "UPDATE accounts_ledgeraccount SET credits = credits + 1 WHERE kind = 'game_account' AND owner = '9'",
        "game_account:9 counters 5/6, entries 5/5",
    ),
    "every transfer has an entry": (
        "INSERT INTO accounts_transfer (book, key, kind, occurred_at, cause) VALUES (0, 'empty', 'deposit', now(), '')",
        "0/empty",
    ),
    "no pot, debt or jackpot is overdrawn": (
        "UPDATE accounts_entry SET amount = amount + 1000 WHERE book = {won} AND key LIKE 'winning-%' AND line = 0",
        "winnings_due:{won_code} -3000",
    ),
    "a reversal mirrors what it reverses": (
        "UPDATE accounts_entry SET amount = 4 WHERE key = 'reversal:mistake'",
        "0/reversal:mistake",
    ),
    "what is owed on prepaid cards is on cards in use": (
        "UPDATE accounts_prepaidcard SET state = 'expired' WHERE state = 'active'",
        " 900, cards in use: 0",
    ),
    "every sold card is an entry of its face value, every such entry a card": (
        "UPDATE accounts_transfer SET kind = 'deposit' WHERE kind = 'card_sold'",
        " of 1000, no entry",
    ),
    "every card that was printed is still counted": (
        "UPDATE accounts_cardbatch SET quantity = 2",
        "exported of 2: cards 1",
    ),
    "every top-up is an entry, every deposit a top-up": (
        "UPDATE accounts_transfer SET kind = 'tax' WHERE key LIKE 'deposit:%'",
        "of 1000, no entry",
    ),
    "what is on its way to players is withdrawals that are open": (
        "UPDATE accounts_withdrawal SET amount = 99",
        "open withdrawals of 99, 100 on their way",
    ),
    "every held deposit is an entry, and so is every one given back": (
        "UPDATE accounts_transfer SET kind = 'deposit_held' WHERE key LIKE 'deposit:%'",
        "no held deposit, 1000 came, 0 went",
    ),
    "what is held for payers is deposits not credited and not given back": (
        "UPDATE accounts_ledgeraccount SET kind = 'held_deposits' WHERE kind = 'orders_due'",
        "deposits of 0 are held, 7 on their accounts",
    ),
    "what is on its way by payment orders is orders not executed": (
        "UPDATE accounts_paymentorder SET state = 'executed' WHERE withdrawal_id IS NULL",
        "open orders of 0, 7 on their way",
    ),
    "numbers without gaps have none": (
        "UPDATE accounts_handover SET number = number + 1",
        "handovers: 1 of 2",
    ),
    "what a shift counted at its end was in its till": (
        "UPDATE accounts_entry SET amount = amount - 1 WHERE key LIKE 'handover-sent:%'",
        " counted 69, 70 in the ledger",
    ),
    "cash on its way is handovers that nobody has received": (
        "UPDATE accounts_entry SET amount = amount - 1 WHERE key LIKE 'handover-sent:%'",
        "handover 1 of 30, 1 of 29 in transit",
    ),
    "every agent's commission is an entry, every such entry a commission": (
        "UPDATE accounts_entry SET amount = 11 WHERE key LIKE 'agent-commission:%'",
        " of 10, entry agent-commission:",
    ),
    "what waits in suspense is what receipts have open": (
        "UPDATE accounts_receipt SET open_amount = 29 WHERE open_amount = 30",
        "receipts of 29 wait, 30 in suspense",
    ),
    "every transfer received waits or was placed, to the kopeck": (
        "UPDATE accounts_placement SET amount = 99",
        "of 100: 0 waits, 99 placed",
    ),
    "every credited line of a statement is an entry, every such entry a line": (
        "UPDATE accounts_bankline SET amount = 31 WHERE amount = 30",
        "of 31, entry receipt:",
    ),
    "every bet by transfer is a paid order and a part of a transfer": (
        "UPDATE accounts_placement SET subject = 'bet:other'",
        "nothing placed",
    ),
    "every bet on paper is an approved form": (
        "UPDATE pools_bet SET channel = 'cash' WHERE channel = 'paper'",
        "no bet, form ",
    ),
    "the pot of every settled or cancelled pool is empty": (
        "UPDATE accounts_entry SET amount = amount - 1 WHERE book = {cancelled} AND key = 'cancel:refunds'",
        "{cancelled_code} 1",
    ),
    "turnover + jackpot in + added = refunds + takeout + winnings + jackpot out": (
        "UPDATE accounts_entry SET amount = amount + 1 WHERE book = {won} AND key = 'settle:takeout'",
        "{won_code}: 400 + 0 + 0 is not 0 + 121 + 279 + 1",
    ),
    "the ledger says what the statement says": (
        "UPDATE accounts_transfer SET kind = 'takeout' WHERE book = {won} AND key = 'settle:jackpot_remainder'",
        "{won_code} jackpot_out: 0 in the ledger, 1 in the statement",
    ),
    "every bet's stake is an entry, every stake entry a bet": (
        "UPDATE pools_bet SET stake = 101 WHERE pool_id = {on_sale}",
        "of 101, entry stake:",
    ),
    "the winnings set aside are the rows of winnings": (
        "UPDATE pools_winning SET amount = 92 WHERE pool_id = {won}",
        "{won_code}: rows of 276, 279 set aside",
    ),
    "what is booked is what the payables are": (
        "DELETE FROM payouts_payable WHERE pool_id = {cancelled} AND pay_to_id IS NULL",
        "{cancelled_code}: booked 2 tickets, 0 + 200; payables 1, 0 + 100",
    ),
    **BREAKING_ARCHIVES,
    "what is owed in the ledger is what is due on tickets": (
        "UPDATE payouts_payable SET amount = 99 WHERE pool_id = {returned} AND state = 'due'",
        "{returned_code} refunds_due: payables of 99, 100 owed",
    ),
    "every payment is in the ledger, every paying entry is a payment": (
        "UPDATE payouts_payment SET tax = tax + 1, net = net - 1 WHERE pool_id = {won} AND method = 'cash'",
        "87 and tax 6, entries of winning-paid:",
    ),
    "what is paid has a payment, and only that": (
        "UPDATE payouts_payable SET state = 'paid' WHERE pool_id = {won} AND state = 'expired'",
        "paid of 93, no payment",
    ),
    "what has expired has an entry in the jackpot, and only that": (
        "UPDATE payouts_payable SET state = 'due', settled_at = NULL WHERE pool_id = {won} AND state = 'expired'",
        "no payable, entry winning-expired:",
    ),
    "what a cancelled bet moved is in the ledger": (
        "UPDATE accounts_transfer SET kind = 'bet_cancelled' WHERE book = {won} AND key LIKE 'winning-expired:%'",
        "no cancellation, entry winning-expired:",
    ),
    **BREAKING_CORRECTIONS,
    "what is revoked is the unpaid winning of a cancelled bet": (
        "UPDATE payouts_payable SET state = 'revoked' WHERE pool_id = {won} AND state = 'expired'",
        "revoked of 93, no cancelled bet",
    ),
    **BREAKING_REFUNDS,
}


def test_the_books_hold_and_every_proof_names_what_breaks_it() -> None:
    pools = live()
    names = {name.replace(" ", "_"): pool.pk for name, pool in pools.items()}
    names |= {f"{name}_code".replace(" ", "_"): pool.code for name, pool in pools.items()}  # type: ignore[misc]
    assert broken_invariants(PROOFS) == []
    assert set(BREAKING) == set(PROOFS)
    for proof, (sql, where) in BREAKING.items():
        with transaction.atomic():
            break_by(sql.format(**names))
            found = [each.where for each in broken_invariants({proof: PROOFS[proof]})]
            transaction.set_rollback(True)
        assert any(where.format(**names) in place for place in found), (proof, found)
    assert broken_invariants(PROOFS) == []


def break_by(sql: str) -> None:
    """Change rows behind the backs of all guards."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for table in TABLES:
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        cursor.execute(sql)
        assert cursor.rowcount > 0, sql


def test_the_command_says_ok_or_names_the_broken_and_exits_with_1() -> None:
    live()
    said = StringIO()
    call_command("reconcile_ledger", stdout=said)
    assert said.getvalue() == f"OK: {len(PROOFS)} proofs hold.\n"
    break_by("UPDATE accounts_ledgeraccount SET credits = credits + 1 WHERE kind = 'game_account' AND owner = '9'")
    said = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("reconcile_ledger", stdout=said)
    assert ended.value.code == 1
    assert said.getvalue() == (
        "BROKEN: counters of guarded accounts equal the sums of their entries:"
        " game_account:9 counters 5/6, entries 5/5\n"
    )


def test_the_nightly_job_journals_what_it_found() -> None:
    reconcile_nightly()
    break_by_opening = (
        "INSERT INTO accounts_transfer (book, key, kind, occurred_at, cause) VALUES (0, 'e', 'tax', now(), '')"
    )
    break_by(break_by_opening)
    reconcile_nightly()
    records = JournalRecord.objects.filter(act="reconcile").order_by("id")
    assert [record.after for record in records] == [
        {"proofs": len(PROOFS), "broken": []},
        {"proofs": len(PROOFS), "broken": ["every transfer has an entry: 0/e"]},
    ]
    assert {record.actor for record in records} == {"task:reconcile_nightly"}


def test_i3_a_certificate_has_every_figure_twice_and_holds() -> None:
    pools = live()
    certificate = money_certificate(pools["won"])
    assert certificate is not None
    assert {name: (figure.ledger, figure.stated) for name, figure in certificate.figures.items()} == {
        "turnover": (400, 400),
        "refunds": (0, 0),
        "takeout": (120, 120),
        "fund": (280, 280),
        "added": (0, 0),
        "jackpot_in": (0, 0),
        "winnings": (279, 279),
        "remainder": (1, 1),
        "jackpot_out": (1, 1),
        "paid": (186, 186),
        "unpaid": (0, 0),
        "expired": (93, 93),
        "refunds_paid": (0, 0),
        "refunds_unpaid": (0, 0),
    }
    assert (certificate.came_in, certificate.went_out, certificate.left, certificate.holds) == (400, 400, 0, True)


def test_i3_the_certificates_of_returned_and_cancelled_pools_hold() -> None:
    pools = live()
    for name in ("returned", "cancelled"):
        certificate = money_certificate(pools[name])
        assert certificate is not None
        figures = certificate.figures
        names = ("turnover", "refunds", "refunds_paid", "refunds_unpaid", "winnings")
        assert [figures[name].ledger for name in names] == [200, 200, 100, 100, 0]
        assert certificate.holds
    assert money_certificate(pools["on sale"]) is None


def test_i3_a_certificate_holds_before_the_payables_are_drawn_up() -> None:
    pool = make_pool("sportloto-variant")
    sell(pool, ("1", 100))
    settle(pool, "1")
    certificate = money_certificate(pool)
    assert certificate is not None
    assert (certificate.figures["unpaid"].ledger, certificate.holds) == (70, True)


@pytest.mark.parametrize("figure", ["takeout", "winnings"])
def test_i3_a_certificate_does_not_hold_when_a_kopeck_is_missing(figure: str) -> None:
    pool = make_pool("sportloto-variant")
    sell(pool, ("1", 100))
    settle(pool, "1")
    break_by(f"UPDATE accounts_entry SET amount = amount - 1 WHERE key = 'settle:{figure}'")
    certificate = money_certificate(pool)
    assert certificate is not None
    assert not certificate.holds
    assert not certificate.figures[figure].agrees


def test_a_proof_changes_nothing() -> None:
    live()
    before = every_row()
    broken_invariants(PROOFS)
    assert every_row() == before
