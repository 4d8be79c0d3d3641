"""Payment orders: drawn up, given to the bank in a file, executed or returned (¶41-42).

The money of an order waits in the ledger until the bank's statement says that it was paid: that of a withdrawal in
`withdrawals_due`, all other in `orders_due`, where whoever draws up the order has put it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import override

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import Movement, ledger_account, post
from accounts.models import (
    ORDER_MOVES,
    Ending,
    Identity,
    InstrumentKind,
    OrderState,
    PaymentInstrument,
    PaymentOrder,
    User,
    Withdrawal,
    WithdrawalState,
)
from accounts.services.bank_addresses import looks_like_wrong_iban
from accounts.services.persons import person_of
from accounts.services.post import post_in_force, spelled_address
from accounts.services.staff import refuse_all_but_staff, written
from accounts.services.withdrawal_ends import confirm, give_back, move_on
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


@dataclass(frozen=True, slots=True)
class Payee:
    """Who is paid: the name as the bank knows it, the account (IBAN), the bank's BIC where it is known.

    With an `address` and no account, the post brings the money there, for a document in this name.
    """

    name: str
    account: str = ""
    bank: str = ""
    address: str = ""


def draw_up_order(*, cause: str, payee: Payee, amount: int, purpose: str, at: datetime, actor: str) -> PaymentOrder:
    """Draw up the order for money that the caller moves to `orders_due` in the same transaction; once for a cause.

    :raises DomainError: BAD_VALUE for a payee without name, or without account or address; NO_AGREEMENT when it goes
        by post and there is none.
    """
    return _written(cause, payee, amount, purpose, at=at, actor=actor)


def draw_up_withdrawal(withdrawal: Withdrawal) -> PaymentOrder:
    """Draw up the order of a withdrawal to the player's bank account, in the caller's transaction."""
    identity = Identity.objects.get(person=person_of(withdrawal.account.player))
    ending = Ending.objects.filter(account=withdrawal.account_id).first()
    return _written(
        f"withdrawal:{withdrawal.pk}",
        _owner(identity.full_name, withdrawal.instrument),
        withdrawal.amount,
        withdrawal_purpose(withdrawal.reference),
        at=clock.now(),
        actor=f"withdrawal:{withdrawal.pk}",
        withdrawal=withdrawal,
        requisites_by_id=ending.bank_account_by_id if ending is not None else None,
    )


def _owner(name: str, instrument: PaymentInstrument) -> Payee:
    by_post = instrument.kind == InstrumentKind.POSTAL_ADDRESS
    return Payee(name, address=instrument.token) if by_post else Payee(name, instrument.token)


def withdrawal_purpose(reference: str) -> str:
    """Return what the bank is told, in the house's language, whoever draws it up."""
    with override(settings.LANGUAGE_CODE):
        return _("Withdrawal %(reference)s from the game account") % {"reference": reference}


def draw_up_anew(*, order: PaymentOrder, payee: Payee, drawn_up_by: User) -> PaymentOrder:
    """Replace an order that came back by another with the right requisites, which another person gives to the bank.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE, also for an account that no bank can pay to; WRONG_STATE for an order
        that did not come back, or of a withdrawal, whose money is on the account again.
    """
    refuse_all_but_staff(drawn_up_by)
    if looks_like_wrong_iban("".join(payee.account.upper().split())):
        message = _("This is no bank account: check its digits (IBAN).")
        raise DomainError(Refusal.BAD_VALUE, message, field="payee_account")
    with one_transaction():
        at = clock.now()
        if order.withdrawal_id is not None:
            raise DomainError(Refusal.WRONG_STATE, _("The money of this order is on the account again."))
        _move(order, OrderState.REPLACED, at=at, actor=drawn_up_by.actor)
        return _written(
            order.cause,
            payee,
            order.amount,
            order.purpose,
            at=at,
            actor=drawn_up_by.actor,
            replaces=order,
            requisites_by=drawn_up_by,
        )


def note_exported(*, orders: Sequence[PaymentOrder], file_digest: str, actor: str) -> None:
    """Note that the orders stand in a file for the bank: all of them, or none when one was exported meanwhile.

    The caller keeps the file in the same transaction, so that the bank can be given the very same file again.

    :raises DomainError: WRONG_STATE.
    """
    with one_transaction():
        at = clock.now()
        for order in orders:
            _move(order, OrderState.EXPORTED, at=at, actor=actor, file_digest=file_digest)
            if order.withdrawal is not None:
                move_on(order.withdrawal, WithdrawalState.SENT, actor=actor, act="send_withdrawal", at=at)


def note_executed(*, order: PaymentOrder, bank_reference: str, actor: str) -> None:
    """Note that the bank's statement shows the order as paid.

    :raises DomainError: WRONG_STATE.
    """
    with one_transaction():
        at = clock.now()
        _move(order, OrderState.EXECUTED, at=at, actor=actor, bank_reference=bank_reference)
        if order.withdrawal is not None:
            confirm(order.withdrawal, actor=actor, provider_reference=bank_reference)
            return
        post(
            key=f"order-executed:{order.pk}",
            kind=TransferKind.ORDER_EXECUTED,
            occurred_at=at,
            cause=order.cause,
            movements=[
                Movement(ledger_account(AccountKind.ORDERS_DUE), ledger_account(AccountKind.BANK), order.amount)
            ],
        )


def note_returned(*, order: PaymentOrder, reason: str, by: User) -> None:
    """Note that the bank did not execute the order: a withdrawal's money goes back, another order is drawn up anew.

    So ends, too, an order that was never given to the bank, since no file takes an account that cannot be right.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE without a reason; WRONG_STATE, also for what waits to be exported.
    """
    refuse_all_but_staff(by)
    reason = written(reason, field="reason")
    if order.state == OrderState.DRAWN_UP and not looks_like_wrong_iban(order.payee_account):
        raise DomainError(Refusal.WRONG_STATE, _("The order waits to be given to the bank."), state=order.state)
    with one_transaction():
        _move(order, OrderState.RETURNED, at=clock.now(), actor=by.actor, reason=reason)
        if order.withdrawal is not None:
            give_back(order.withdrawal, WithdrawalState.FAILED, reason=reason, actor=by.actor, act="fail_withdrawal")


def _written(
    cause: str, payee: Payee, amount: int, purpose: str, *, at: datetime, actor: str, **links: Any
) -> PaymentOrder:
    post = post_in_force(at) if payee.address and not payee.account else None
    account, bank = (post.account, post.bank) if post is not None else (payee.account, payee.bank)
    order = PaymentOrder.objects.create(
        cause=cause,
        payee_name=written(payee.name, field="payee_name", most=140),
        payee_account=written("".join(account.upper().split()), field="payee_account", most=34),
        payee_bank=bank,
        payee_address=spelled_address(payee.address, field="payee_address") if post is not None else "",
        post=post,
        amount=amount,
        purpose=written(purpose, field="purpose", most=140),
        drawn_up_at=at,
        moved_at=at,
        **links,
    )
    _journal(order, "draw_up_order", actor, at, after={"cause": cause, "amount": amount})
    return order


def _move(order: PaymentOrder, to: OrderState, *, at: datetime, actor: str, **changes: Any) -> None:
    """Take the order from the state it was read in to `to`, if nobody moved it meanwhile."""
    came_from, moved = OrderState(order.state), 0
    if to in ORDER_MOVES[came_from]:
        found = PaymentOrder.objects.filter(pk=order.pk, state=came_from)
        moved = found.update(state=to, moved_at=at, **changes)
    if not moved:
        message = _("The order is: %(state)s; it cannot become: %(wanted)s.")
        raise DomainError(
            Refusal.WRONG_STATE,
            message % {"state": came_from.label, "wanted": to.label},
            state=came_from.value,
        )
    order.state = to
    _journal(order, f"order_{to}", actor, at, reason=str(changes.get("reason", "")))


def _journal(
    order: PaymentOrder, act: str, actor: str, at: datetime, *, reason: str = "", after: dict[str, Any] | None = None
) -> None:
    write_journal(at=at, actor=actor, act=act, subject=f"order:{order.pk}", reason=reason, after=after)
