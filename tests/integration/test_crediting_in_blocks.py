"""Crediting in blocks leaves what crediting one by one leaves: the same transfers, entries, taxes and events."""

import random
from typing import Any

import pytest
from django.db import connection, transaction

from accounts.ledger.posting import post_many
from accounts.models import Entry, LedgerAccount, Transfer
from payouts import locks
from payouts.models import Payable, PayableState, Payment
from payouts.services.booking import book_payables
from payouts.services.crediting import credit_accounts
from payouts.services.paying import open_desk, settle_payables, stakes_of
from pools.models import Pool
from tests.making import bet_from_account, make_player, make_pool
from tests.paying import broken, go_to, payable_from
from tests.settling import sell, settle
from totalizator.core import clock
from totalizator.core.models import JournalRecord
from totalizator.core.outbox_models import PendingEvent

pytestmark = pytest.mark.django_db
BETS = 40


def won_at_random(seed: int, *, event_void: bool = False) -> Pool:
    """A pool by stakes, booked and payable: players with several tickets each, all of other sums; others pay cash."""
    chance = random.Random(seed)
    pool, players = make_pool("totolot-variant"), [make_player(10_000_000) for _ in range(5)]
    least = pool.terms.price.least
    assert least is not None
    for _ in range(BETS):
        bet_from_account(pool, chance.choice(players), chance.choice("11X"), least * chance.randint(1, 500))
    sell(pool, ("1", least), ("X", 7 * least))
    settle(pool, "1", event_void=event_void)
    book_payables(code=pool.code)
    if not event_void:
        go_to(payable_from(pool))
    return pool


def credit_one_by_one(pool: Pool) -> int:
    """Pay as a desk does: each payable by itself, with a statement for each row."""
    at = clock.now()
    desk, due = open_desk(pool, at=at), Payable.objects.filter(pool=pool, state="due", pay_to__isnull=False)
    payables = list(due.select_related("pay_to").order_by("ticket", "kind"))
    for payable in payables:
        assert payable.pay_to is not None
        payment, transfer = desk.pay(payable, stake=stakes_of(pool, [payable])[payable.ticket], to=payable.pay_to)
        post_many([transfer])
        payment.save(force_insert=True)
        settle_payables([payable], PayableState.PAID, at=at)
    return len(payables)


def all_that_is_left() -> dict[str, Any]:
    """Every row that paying writes, but for the instants and how many are told of at once."""
    told: dict[tuple[str, str], list[Any]] = {}
    for event in PendingEvent.objects.filter(kind__in=["winnings.paid", "refunds.paid", "tax.withheld"]).order_by("id"):
        sums = told.setdefault((event.kind, event.subject), [0, 0, []])
        sums[0] += event.payload["count"]
        sums[1] += event.payload["amount"]
        sums[2] += event.payload.get("tickets", [])
    return {
        "transfers": list(Transfer.objects.order_by("book", "key").values_list("book", "key", "kind", "cause")),
        "entries": list(
            Entry.objects.order_by("book", "key", "line").values_list(
                "book", "key", "line", "debit__kind", "debit__owner", "credit__kind", "credit__owner", "amount"
            )
        ),
        "accounts": sorted(LedgerAccount.objects.values_list("kind", "owner", "debits", "credits")),
        "payments": list(
            Payment.objects.order_by("ticket", "kind").values_list(
                "ticket", "kind", "method", "gross", "tax", "net", "rounded", "till", "paid_by"
            )
        ),
        "payables": list(Payable.objects.order_by("ticket", "kind").values_list("ticket", "kind", "amount", "state")),
        "told": told,
    }


@pytest.mark.parametrize(("seed", "event_void"), [(1, False), (2, False), (3, True)])
def test_in_blocks_of_any_size_the_same_is_left_as_one_by_one(seed: int, event_void: bool) -> None:
    pool = won_at_random(seed, event_void=event_void)
    left, journalled = [], []
    for chunk in (None, 1, 7, 1_000):
        with transaction.atomic():
            made = credit_one_by_one(pool) if chunk is None else credit_accounts(code=pool.code, chunk=chunk)
            left.append((made, all_that_is_left()))
            records = [record.after or {} for record in JournalRecord.objects.filter(act="credit_accounts")]
            journalled.append([sum(record[part] for record in records) for part in ("rows", "gross", "tax", "net")])
            assert broken() == []
            transaction.set_rollback(True)
    made, one_by_one = left[0]
    assert made == len(one_by_one["payments"]) > BETS // 3
    assert len({gross for _t, _k, _m, gross, *_rest in one_by_one["payments"]}) > 10
    assert all(each == left[0] for each in left[1:])
    gross, tax, net = (sum(payment[place] for payment in one_by_one["payments"]) for place in (3, 4, 5))
    assert (tax > 0) is not event_void
    assert journalled == [[0, 0, 0, 0], *[[made, gross, tax, net]] * 3]


def test_the_next_block_is_read_on_by_the_key() -> None:
    """Nothing but the order of the key may find it: who sorts what is due does so for each block anew."""
    pool = won_at_random(4)
    values: dict[str, Any] = {"pool": pool.pk, "after_ticket": "", "after_kind": "", "now": clock.now()}
    locks.lock_creditable(pool, now=clock.now(), limit=5)
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {locks._CREDITABLE}", values | {"limit": 5, "disputed": "{}"})
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "Index Scan using payouts_payable_pkey" in plan
    assert "Sort" not in plan
    assert "Hash" not in plan


def test_a_run_reads_each_payable_once_however_many_blocks_it_takes() -> None:
    pool = won_at_random(5)
    seen: list[str] = []
    after = locks.BEFORE_ALL
    while due := locks.lock_creditable(pool, now=clock.now(), limit=3, after=after):
        seen += [payable.ticket for payable in due]
        after = due[-1].ticket, due[-1].kind
    assert len(seen) > BETS // 3
    assert seen == sorted(set(seen))
