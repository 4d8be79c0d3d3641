"""Money that came by transfer leaves `bank_suspense` for its place, part by part, or is left for people to decide."""

from datetime import datetime

from django.utils.translation import gettext_lazy as _

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import Movement, ledger_account, post
from accounts.locks import lock_receipt
from accounts.models import GameAccount, LedgerAccount, Outcome, PaymentOrder, Placement, Receipt, TopUpWay, WhyOpen
from accounts.services.payment_orders import Payee, draw_up_order
from accounts.services.post import came_by_post
from accounts.services.topups import Paid, credit
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction
from totalizator.engine.deadlines import start_of_legal_day


def suspense() -> LedgerAccount:
    """Return the account in which transfers wait."""
    return ledger_account(AccountKind.BANK_SUSPENSE)


def held_receipt(line_id: int) -> Receipt:
    """Lock a receipt and return it as it is now; :raises DomainError: NOT_FOUND."""
    receipt = lock_receipt(line_id)
    if receipt is None:
        raise DomainError(Refusal.NOT_FOUND, _("There is no such receipt."), field="receipt")
    return receipt


def leave_open(receipt: Receipt, why: WhyOpen, *, actor: str, reference: str = "", refusal: str = "") -> None:
    """Leave what waits of a locked receipt to people, and say why; `refusal` is the code of what was refused."""
    at = clock.now()
    receipt.why, receipt.reference, receipt.refusal, receipt.looked_at = why, reference, refusal, at
    receipt.save(update_fields=["why", "reference", "refusal", "looked_at"])
    write_journal(
        at=at,
        actor=actor,
        act="leave_receipt_open",
        subject=f"receipt:{receipt.pk}",
        reason=refusal,
        after={"why": str(why), "amount": receipt.open_amount},
    )


def note_placed(
    receipt: Receipt,
    outcome: Outcome,
    *,
    amount: int,
    subject: str,
    actor: str,
    rest: WhyOpen = WhyOpen.OVERPAID,
    reference: str = "",
) -> Placement:
    """Note that `amount` kopecks of a locked receipt, which the caller has moved, found their place.

    What is left of it waits on, for the reason `rest`.
    """
    assert 0 < amount <= receipt.open_amount, f"{amount} of {receipt.open_amount}"
    at = clock.now()
    placement = Placement.objects.create(
        receipt=receipt,
        number=receipt.placements.count() + 1,
        outcome=outcome,
        amount=amount,
        subject=subject,
        placed_at=at,
        placed_by=actor,
    )
    receipt.open_amount -= amount
    receipt.why = rest if receipt.open_amount else WhyOpen.PLACED
    receipt.reference, receipt.refusal, receipt.looked_at = reference or receipt.reference, "", at
    receipt.save(update_fields=["open_amount", "why", "reference", "refusal", "looked_at"])
    write_journal(
        at=at,
        actor=actor,
        act="place_receipt",
        subject=f"receipt:{receipt.pk}",
        after={"outcome": str(outcome), "amount": amount, "to": subject, "open": receipt.open_amount},
    )
    return placement


def credit_game_account(receipt: Receipt, account: GameAccount, *, actor: str, reference: str = "") -> Placement:
    """Put all that waits of a locked receipt onto a game account (¶35.5-35.6).

    :raises DomainError: as `accounts.services.topups.credit`: blocked, excluded, over a limit; nothing was moved.
    """
    amount = receipt.open_amount
    with one_transaction():
        credit(
            account=account,
            paid_from=suspense(),
            paid=Paid.in_byn(amount),
            way=TopUpWay.POSTAL_TRANSFER if came_by_post(receipt.line) else TopUpWay.BANK_TRANSFER,
            reference=part_key(receipt),
            received_at=start_of_legal_day(receipt.line.booked_on),
            actor=actor,
        )
    subject = f"game_account:{account.pk}"
    return note_placed(receipt, Outcome.GAME_ACCOUNT, amount=amount, subject=subject, actor=actor, reference=reference)


def return_to_payer(receipt: Receipt, payee: Payee, *, purpose: str, at: datetime, actor: str) -> PaymentOrder:
    """Draw up the payment order that gives all that waits of a locked receipt back (¶9.13)."""
    amount, cause = receipt.open_amount, part_key(receipt)
    order = draw_up_order(cause=cause, payee=payee, amount=amount, purpose=purpose, at=at, actor=actor)
    move_out(receipt, ledger_account(AccountKind.ORDERS_DUE), TransferKind.RECEIPT_RETURNED, at=at)
    note_placed(receipt, Outcome.RETURNED, amount=amount, subject=f"order:{order.pk}", actor=actor)
    return order


def move_out(receipt: Receipt, to: LedgerAccount, kind: TransferKind, *, at: datetime) -> None:
    """Post all that waits of a locked receipt from suspense to `to`; the caller notes it as placed."""
    post(
        key=f"placed:{part_key(receipt)}",
        kind=kind,
        occurred_at=at,
        cause=f"bank_line:{receipt.pk}",
        movements=[Movement(suspense(), to, receipt.open_amount)],
    )


def part_key(receipt: Receipt) -> str:
    """Return what names the part of a receipt that is placed next: `receipt:17:1`."""
    return f"receipt:{receipt.pk}:{receipt.placements.count() + 1}"
