"""Money that waits for people: what came and found no place, and what is to be sent."""

from accounts.models import (
    BankLine,
    BankLineDecision,
    HeldDeposit,
    HeldState,
    OrderState,
    PaymentOrder,
    Receipt,
    UnmatchedItem,
    WhyOpen,
    Withdrawal,
    WithdrawalState,
)
from payouts.queries.waiting.shape import Rows
from totalizator.core.money import format_byn


def unmatched_transfers() -> Rows:
    """Transfers of which nobody knows whose they are, or that were refused (¶17.1-17.3)."""
    rows = Receipt.objects.exclude(why__in=[WhyOpen.NEW, WhyOpen.PLACED]).select_related("line")
    return Rows(rows, "line__statement__imported_at", _transfer)


def unmatched_payments() -> Rows:
    """What does not agree between us and a payment system (F1)."""
    return Rows(UnmatchedItem.objects.filter(closed_at__isnull=True), "found_at", _unmatched)


def withdrawals() -> Rows:
    """Withdrawals that somebody has to approve (F2)."""
    rows = Withdrawal.objects.filter(state=WithdrawalState.REQUESTED)
    return Rows(rows, "requested_at", lambda row: f"{row.reference}: {format_byn(row.amount)}")


def payment_orders() -> Rows:
    """Payment orders that no file to the bank has yet."""
    rows = PaymentOrder.objects.filter(state=OrderState.DRAWN_UP)
    return Rows(rows, "drawn_up_at", lambda row: f"{row.number}: {format_byn(row.amount)}, {row.cause}")


def held_deposits() -> Rows:
    """Deposits that were taken and may not be credited (F1)."""
    rows = HeldDeposit.objects.filter(state=HeldState.HELD)
    return Rows(rows, "held_at", lambda row: f"D-{row.pk}: {format_byn(row.amount)}")


def bank_doubts() -> Rows:
    """Lines of the bank that may have come before in another format (¶35.5)."""
    decided = BankLineDecision.objects.values("proposal__line")
    rows = BankLine.objects.filter(resembles__isnull=False).exclude(pk__in=decided)
    return Rows(rows, "statement__imported_at", lambda row: f"{row}: {format_byn(row.amount)}, {row.booked_on}")


def _transfer(row: Receipt) -> str:
    return f"{row.line.booked_on}: {format_byn(row.open_amount)}, {WhyOpen(row.why).label}"


def _unmatched(row: UnmatchedItem) -> str:
    return f"{row.provider} {row.reference}: {row.get_mismatch_display()} ({row.ours} / {row.theirs})"
