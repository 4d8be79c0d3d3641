"""Paying out: holders of cash tickets come to the tills, accounts are credited by Celery, the rest expires."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.db.models import Count, Max, Sum

from accounts.ledger.posting import balance_of_guarded
from accounts.models import Till
from accounts.services.persons import person_at_desk
from accounts.services.points import give_float
from payouts.management.demo.cast import Cast
from payouts.management.demo.sales import Slip
from payouts.management.demo.waiting import Stage
from payouts.models import Payable, PayableKind, PayableState, Payment, PaymentMethod
from payouts.services.cash import pay_in_cash
from pools.models import Settlement

FORGETFUL = 4  # every fourth holder of a winning cash ticket never comes
HOLDERS = 50  # people who hold the cash tickets
MONEY_BAG = 100_000  # kopecks a till is sent when it has too little


@dataclass(frozen=True, slots=True)
class Paid:
    """How many payables went one way, and their kopecks: before tax, the tax, after it."""

    count: int
    gross: int
    tax: int
    net: int


def credit_by_clock(codes: Sequence[str], stage: Stage) -> None:
    """Let the day after the result come (¶12, 40), and the job credit the game accounts (¶41)."""
    stage.move_clock_to(_latest(codes, "payable_from"))
    winners = Payable.objects.filter(pool__code__in=codes, pay_to__isnull=False)
    settled = Settlement.objects.filter(pool__code__in=codes, pool__booking__isnull=True)
    stage.wait_for(
        "the game accounts to be credited",
        lambda: not settled.exists() and not winners.filter(state=PayableState.DUE).exists(),
    )


def collect_in_cash(slips: Sequence[Slip], codes: Sequence[str], cast: Cast) -> None:
    """Have the holders of winning cash tickets come to the tills, but for the forgetful ones (D-13)."""
    due = dict(
        Payable.objects.filter(pool__code__in=codes, pay_to__isnull=True, state=PayableState.DUE).values_list(
            "ticket", "amount"
        )
    )
    winners = [slip for slip in slips if slip.ticket in due]
    for place, slip in enumerate(winners):
        if place % FORGETFUL == FORGETFUL - 1:
            continue
        desk = place % len(cast.tills)
        _have_cash(cast.tills[desk], due[slip.ticket], slip.ticket, cast)
        pay_in_cash(
            ticket=slip.ticket,
            check_code=slip.check_code,
            cashier=cast.cashiers[desk],
            idempotency_key=f"demo:pay:{slip.ticket}",
            # Everybody shows a document here: who has won much must (Q1).
            person=person_at_desk(identity_number=f"DEMOHOLDER{place % HOLDERS}", birth_date=date(1985, 6, 7)),
        )


def expire_by_clock(codes: Sequence[str], stage: Stage) -> None:
    """Let the claim term end (D-2, D-4): what nobody collected goes into the jackpot (¶15, ¶38.2)."""
    stage.move_clock_to(_latest(codes, "payable_until"))
    due = Payable.objects.filter(
        pool__code__in=codes, kind=PayableKind.WINNING, state=PayableState.DUE, pay_to__isnull=True
    )
    stage.wait_for("the unclaimed winnings to expire", lambda: not due.exists())


def paid_by(method: PaymentMethod, codes: Sequence[str]) -> Paid:
    """Return what was paid by one method on these pools."""
    sums = Payment.objects.filter(pool__code__in=codes, method=method).aggregate(
        count=Count("*"), gross=Sum("gross"), tax=Sum("tax"), net=Sum("net")
    )
    return Paid(**{name: int(value or 0) for name, value in sums.items()})


def expired(codes: Sequence[str]) -> Paid:
    """Return what expired on these pools; no tax is withheld of it."""
    sums = Payable.objects.filter(pool__code__in=codes, state=PayableState.EXPIRED).aggregate(
        count=Count("*"), amount=Sum("amount")
    )
    amount = int(sums["amount"] or 0)
    return Paid(int(sums["count"]), amount, 0, amount)


def _latest(codes: Sequence[str], term: str) -> datetime:
    latest: datetime = Settlement.objects.filter(pool__code__in=codes).aggregate(latest=Max(term))["latest"]
    return latest


def _have_cash(till: Till, amount: int, ticket: str, cast: Cast) -> None:
    """Send the till a money bag when it holds too little for this winner (¶9.5)."""
    if balance_of_guarded(till.ledger_account) < amount:
        give_float(till=till, amount=amount + MONEY_BAG, document=f"demo:{ticket}", by=cast.announcer)
