"""Correcting a settled pool: through the commission's services, and what came of it ticket by ticket."""

from datetime import datetime
from functools import partial
from typing import Any

from django.db.models import Sum

from accounts.ledger.balances import entries_balance
from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from payouts.models import WINNINGS, CorrectedPayable, Payable, PayableState
from pools.models import CorrectedWinning, Correction, Pool, Protocol
from pools.queries.corrections import changed_amounts
from pools.services.correcting_settlement import correct_settlement
from pools.services.protocols import sign_protocol
from pools.services.results import ResultProgress, correct_result
from tests.making import PASSPHRASE
from tests.resulting import make_result, members_of


def enter_correction(pool: Pool, right: str, *, started_at: datetime | None = None, **more: Any) -> ResultProgress:
    """Let two members enter what the result should have been: a correcting protocol is drawn up."""
    act = partial(
        correct_result,
        code=pool.code,
        result=make_result(pool, right, started_at=started_at, **more),
        reason="Home and away were mixed up.",
        document="Referee's sheet 12",
    )
    first, second = members_of(pool)[:2]
    act(member=first)
    return act(member=second)


def sign_correction(pool: Pool) -> None:
    """Let two members sign it: it is sealed."""
    signed = [sign_protocol(code=pool.code, member=each, passphrase=PASSPHRASE) for each in members_of(pool)[:2]]
    assert signed == [False, True]


def correct(pool: Pool, right: str, *, started_at: datetime | None = None, **more: Any) -> Correction:
    """Correct the result of a settled pool, to the official correction of its settlement."""
    enter_correction(pool, right, started_at=started_at, **more)
    sign_correction(pool)
    return correct_settlement(code=pool.code, actor="test")


def corrected_winnings(pool: Pool) -> dict[tuple[str, str], int]:
    """(ticket, level) → kopecks, of every row by the correction."""
    rows = CorrectedWinning.objects.filter(pool=pool).values_list("ticket", "level", "amount")
    return {(ticket, level): amount for ticket, level, amount in rows}


def changes_of(pool: Pool) -> list[tuple[str, str, int, int]]:
    """(ticket, kind, before, after) of everything that the correction changes."""
    return [(each.ticket, each.kind, each.before, each.after) for each in changed_amounts(pool)]


def draw_up_right(pool: Pool, right: str, *, started_at: datetime | None = None, event_void: bool = False) -> Protocol:
    """A correcting protocol that two members have entered and nobody has signed."""
    protocol = enter_correction(pool, right, started_at=started_at, event_void=event_void).protocol
    assert protocol is not None
    return protocol


def make_right(pool: Pool, right: str, *, started_at: datetime | None = None, event_void: bool = False) -> Correction:
    """An official correction of the pool's settlement, that is not applied yet."""
    return correct(pool, right, started_at=started_at, event_void=event_void)


def outcomes_of(pool: Pool) -> dict[tuple[str, str], tuple[str, int, int]]:
    """(ticket, kind) → (outcome, moved, overpaid), of every row."""
    rows = CorrectedPayable.objects.filter(pool=pool)
    return {(row.ticket, row.kind): (row.outcome, row.moved, row.overpaid) for row in rows}


def owed_on(pool: Pool, ticket: str) -> dict[str, tuple[int, str]]:
    """kind → (amount, state), of what was ever owed on a ticket."""
    rows = Payable.objects.filter(pool=pool, ticket=ticket)
    return {row.kind: (row.amount, row.state) for row in rows}


def paid_and_due(pool: Pool, ticket: str) -> tuple[int, int]:
    """What a ticket's winnings come to: paid, before tax, and still due; what expired counts as paid."""
    payables = Payable.objects.filter(pool=pool, ticket=ticket, kind__in=WINNINGS)
    paid = payables.filter(state__in=(PayableState.PAID, PayableState.EXPIRED)).aggregate(
        total=Sum("amount", default=0)
    )
    due = payables.filter(state=PayableState.DUE).aggregate(total=Sum("amount", default=0))
    return int(paid["total"]), int(due["total"])


def organizers_money() -> int:
    """The organizer's own money."""
    return entries_balance(ledger_account(AccountKind.ORGANIZER))


def takeout_of(pool: Pool) -> int:
    """The pool's takeout."""
    return entries_balance(ledger_account(AccountKind.TAKEOUT, pool.code))
