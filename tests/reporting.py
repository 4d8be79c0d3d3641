"""Histories to make reports of, and what the ledger says of the same days."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from random import Random

from django.db.models import Q, Sum

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.models import Entry, Till, User
from payouts.models import PayableKind
from payouts.queries.reports.shape import Report
from payouts.services.jackpot import add_to_jackpot
from payouts.services.reports import make_report
from payouts.tasks import book_due_payables, credit_due_accounts, expire_due_winnings
from pools.models import BetCancellation, Pool, PoolState
from pools.services.betting import PlacedBet
from pools.services.cancelling import approve_cancellation, propose_cancellation
from tests.carding import Bought, bet_by_card
from tests.disputing import cancelled
from tests.making import bet_from_account, bet_in_cash, keep_register_fresh, make_organizers, make_pool
from tests.paying import go_to, pay, payable_from, payable_until
from tests.resulting import close_by_clock, seal
from tests.settling import settle
from totalizator.core import clock
from totalizator.engine.deadlines import legal_day

INTO_JACKPOT = (
    TransferKind.JACKPOT_UNDRAWN,
    TransferKind.JACKPOT_NO_WINNER,
    TransferKind.JACKPOT_CAP,
    TransferKind.JACKPOT_REMAINDER,
)


def today() -> date:
    return legal_day(clock.now())


def report(name: str, first: date, last: date, **filters: str) -> Report:
    return make_report(name, first, last, filters)


def a_day_or_two(chance: Random) -> None:
    clock.move_clock(timedelta(hours=chance.choice((1, 9, 26, 50))))
    keep_register_fresh()


def random_days(chance: Random, tills: list[Till], players: list[User], card: Bought, pools: int = 2) -> list[Pool]:
    """Live through some random days: pools sold by each channel, of each fate, some of the winnings fetched."""
    lived: list[Pool] = []
    for _ in range(pools):
        terms: dict[str, object] = {"jackpot": {"level": "all", "share": "1"}} if chance.random() < 0.4 else {}
        if chance.random() < 0.3:
            terms["min_dividend"] = {"amount": 95, "below": "top_up"}
        pool = make_pool("sportloto-variant", lasts=timedelta(days=8), terms=terms)
        slips: list[tuple[Till, PlacedBet]] = []
        for _bet in range(chance.randint(0, 5)):
            pick = chance.choice(("1", "1", "X"))
            way = chance.choice(("cash", "cash", "account", "card"))
            if way == "cash":
                till = chance.choice(tills)
                slips.append((till, bet_in_cash(pool, till, pick, 100)))
            elif way == "account":
                bet_from_account(pool, chance.choice(players), pick, 100)
            else:
                bet_by_card(pool, card, pick, 100)
            a_day_or_two(chance)
        if chance.random() < 0.2:
            _cancel_one(chance, pool)
        _end(chance, pool)
        if chance.random() < 0.8:
            book_due_payables()
            _fetch(chance, pool, slips)
        if chance.random() < 0.4:
            _cancel_one(chance, pool)
        lived.append(pool)
    if chance.random() < 0.5:
        one, _other = make_organizers()
        add_to_jackpot(game="sportloto", amount=chance.randint(1, 999), document=f"Order {clock.now()}", actor=one)
    return lived


def _end(chance: Random, pool: Pool) -> None:
    fate = chance.random()
    if fate < 0.15:
        one, other = make_organizers()
        propose_cancellation(code=pool.code, reason="The cup is off.", document="Letter 7", proposed_by=one)
        a_day_or_two(chance)
        approve_cancellation(code=pool.code, approved_by=other)
    elif fate < 0.3:
        settle(pool, "1", event_void=True)
    elif fate < 0.45:
        settle(pool, "1", started_at=(pool.opens_at + timedelta(days=2)).replace(microsecond=0))
    elif fate < 0.9:
        settle(pool, chance.choice(("1", "X", "2")))
    else:
        close_by_clock(pool)
        seal(pool, "1")


def _cancel_one(chance: Random, pool: Pool) -> None:
    """Two people cancel one of the bets, whatever became of it, unless its stake was returned (¶29)."""
    pool.refresh_from_db()
    if pool.state == PoolState.CANCELLED:
        return
    book_due_payables()
    cancelled_before = BetCancellation.objects.filter(pool=pool).values("ticket")
    returned = pool.payables.filter(kind=PayableKind.REFUND).values("ticket")
    tickets = pool.bets.exclude(ticket__in=cancelled_before).exclude(ticket__in=returned).order_by("ticket")
    if tickets:
        a_day_or_two(chance)
        cancelled(chance.choice(tickets).ticket)


def _fetch(chance: Random, pool: Pool, slips: list[tuple[Till, PlacedBet]]) -> None:
    settlement = getattr(pool, "settlement", None)
    if settlement is None or settlement.payable_from is None:
        return
    go_to(max(clock.now(), payable_from(pool)))
    keep_register_fresh()
    credit_due_accounts()
    owed = set(pool.payables.filter(state="due").values_list("ticket", flat=True))
    for till, slip in slips:
        if slip.bet.ticket in owed and chance.random() < 0.6:
            pay(slip, till)
            clock.move_clock(timedelta(hours=1))
    if chance.random() < 0.3:
        go_to(payable_until(pool))
        expire_due_winnings()
        keep_register_fresh()


def moved(
    first: datetime, until: datetime, *kinds: TransferKind, book: int | None = None, **accounts: AccountKind
) -> int:
    """The kopecks that moved for these reasons, `debit` or `credit` being an account of that kind."""
    where = Q(transfer__kind__in=kinds, transfer__occurred_at__gte=first, transfer__occurred_at__lt=until)
    where &= Q() if book is None else Q(book=book)
    for side, kind in accounts.items():
        where &= Q(**{f"{side}__kind": kind})
    return int(Entry.objects.filter(where).aggregate(total=Sum("amount"))["total"] or 0)


def owed_at(until: datetime, kind: AccountKind, *, book: int | None = None) -> int:
    """The balance of all accounts of a kind of debt at an instant."""
    rows = Entry.objects.filter(transfer__occurred_at__lt=until)
    rows = rows if book is None else rows.filter(book=book)
    credits = rows.filter(credit__kind=kind).aggregate(total=Sum("amount"))["total"] or 0
    debits = rows.filter(debit__kind=kind).aggregate(total=Sum("amount"))["total"] or 0
    return int(credits - debits)


def by_ledger(first: datetime, until: datetime, *, book: int | None = None) -> Mapping[str, int]:
    """What the ledger says of the figures of N1."""
    paying = (TransferKind.WINNING_PAID, TransferKind.REFUND_PAID)
    return {
        "sales": moved(first, until, TransferKind.STAKE, book=book),
        "voids": moved(first, until, TransferKind.REFUND, TransferKind.BET_CANCELLED, book=book),
        "winnings": moved(first, until, TransferKind.WINNINGS, book=book),
        "paid": moved(first, until, TransferKind.WINNING_PAID, book=book),
        "tax": moved(first, until, *paying, book=book, credit=AccountKind.TAX_DUE),
        "expired": moved(first, until, TransferKind.JACKPOT_UNCLAIMED, book=book),
        "revoked": moved(first, until, TransferKind.JACKPOT_CANCELLED, book=book),
        "unpaid": owed_at(until, AccountKind.WINNINGS_DUE, book=book),
        "returned": moved(first, until, TransferKind.REFUND_PAID, book=book),
        "unreturned": owed_at(until, AccountKind.REFUNDS_DUE, book=book),
    }


def pool_by_ledger(first: datetime, until: datetime, *, book: int | None = None) -> Mapping[str, int]:
    """What the ledger says of a pool's own figures, or of all pools'."""
    return {
        **by_ledger(first, until, book=book),
        "takeout": moved(first, until, TransferKind.TAKEOUT, book=book),
        "added": moved(first, until, TransferKind.TOP_UP, book=book),
        "jackpot_in": moved(first, until, TransferKind.JACKPOT_DRAWN, book=book),
        "jackpot_out": moved(first, until, *INTO_JACKPOT, book=book),
    }


def jackpot_change(first: datetime, until: datetime) -> int:
    rows = Entry.objects.filter(transfer__occurred_at__gte=first, transfer__occurred_at__lt=until)
    credits = rows.filter(credit__kind=AccountKind.JACKPOT).aggregate(total=Sum("amount"))["total"] or 0
    debits = rows.filter(debit__kind=AccountKind.JACKPOT).aggregate(total=Sum("amount"))["total"] or 0
    return int(credits - debits)
