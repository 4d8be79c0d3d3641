"""Handing cash over: point → cash desk → bank, and back (¶9.5). Two people, two counts, one document (C3)."""

from collections.abc import Mapping
from datetime import datetime

from django.db.models import Max
from django.utils.translation import gettext_lazy as _

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import Movement, ledger_account, post
from accounts.locks import hold_till_shared, lock_handover_numbers
from accounts.models import (
    AT_A_POINT,
    FiscalKind,
    Handover,
    HandoverState,
    LedgerAccount,
    Role,
    Route,
    Shift,
    Till,
    User,
)
from accounts.services.desks import refuse_cash_over_limit
from accounts.services.fiscal import queue_fiscal
from accounts.services.staff import written
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.idempotency import fingerprint_of, recall_or_reserve
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction

_ENDS: Mapping[Route, tuple[AccountKind, AccountKind]] = {
    Route.POINT_TO_DESK: (AccountKind.TILL, AccountKind.CASH_DESK),
    Route.DESK_TO_BANK: (AccountKind.CASH_DESK, AccountKind.BANK),
    Route.BANK_TO_DESK: (AccountKind.BANK, AccountKind.CASH_DESK),
    Route.DESK_TO_POINT: (AccountKind.CASH_DESK, AccountKind.TILL),
}


def announce_handover(
    *,
    route: Route,
    amount: int,
    given_by: User,
    till: Till | None = None,
    document: str = "",
    idempotency_key: str | None = None,
) -> Handover:
    """Give `amount` kopecks out of hands: from now on they are on their way.

    `till` is the end at a point; there its cashier gives, in an open shift, elsewhere the organizer's staff.
    `document` is the bank's, where one end is the bank. With an `idempotency_key` the same request again is answered
    with the same handover.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE; NO_OPEN_SHIFT; INSUFFICIENT_FUNDS; KEY_REUSED.
    """
    if amount <= 0:
        raise DomainError(Refusal.BAD_VALUE, _("The amount must be above zero."), field="amount")
    if (till is not None) != (route in AT_A_POINT):
        raise DomainError(Refusal.BAD_VALUE, _("Name the till at the point's end, and only there."), field="till")
    if route not in AT_A_POINT:
        document = written(document, field="document", most=60)
    with one_transaction():
        if till is not None:
            hold_till_shared(till.pk)
        lock_handover_numbers()
        at = clock.now()
        number = (Handover.objects.aggregate(last=Max("number"))["last"] or 0) + 1
        if idempotency_key is not None:
            # Keys of their own, asked for under the lock above: so nobody waits here.
            first = recall_or_reserve(
                scope=f"handovers:{given_by.pk}",
                key=idempotency_key,
                fingerprint=fingerprint_of("announce_handover", route, amount, till and till.pk, document),
                answer=str(number),
                created_at=at,
            )
            if first is not None:
                return Handover.objects.select_related("till__point").get(number=int(first))
        _refuse_person(route, till if route == Route.POINT_TO_DESK else None, given_by)
        handover = Handover.objects.create(
            number=number,
            route=route,
            till=till,
            amount=amount,
            document=document,
            given_by=given_by,
            announced_at=at,
        )
        source = _end(_ENDS[route][0], till)
        _move(handover, "sent", TransferKind.CASH_SENT, Movement(_transit(handover), source, amount), at)
        if route == Route.POINT_TO_DESK and till is not None:
            _queue(handover, till, FiscalKind.COLLECTION, amount, at)
        _journal("announce_handover", handover, given_by, {"route": route, "amount": amount}, at)
    return handover


def receive_handover(*, handover: Handover, counted: int, received_by: User, reason: str = "") -> Handover:
    """Take over what arrived, `counted` kopecks; a difference is recorded with its reason.

    At a point the till's cashier receives, in an open shift, elsewhere the organizer's staff; never who gave.

    :raises DomainError: NOT_ALLOWED; SAME_PERSON; NO_OPEN_SHIFT; WRONG_STATE when it was received before; BAD_VALUE
        for a count below zero, or a difference without a reason; CASH_LIMIT of the receiving point (¶9.6): the cash
        stays on its way until the point has handed enough over.
    """
    if counted < 0:
        raise DomainError(Refusal.BAD_VALUE, _("The amount must not be below zero."), field="counted")
    if handover.given_by_id == received_by.pk:
        raise DomainError(Refusal.SAME_PERSON, _("Another person must receive it."))
    if counted != handover.amount and not reason.strip():
        raise DomainError(
            Refusal.BAD_VALUE, _("The count differs from what is expected: give the reason."), field="reason"
        )
    with one_transaction():
        if handover.till is not None:
            hold_till_shared(handover.till.pk)
        at = clock.now()
        route = Route(handover.route)
        _refuse_person(route, handover.till if route == Route.DESK_TO_POINT else None, received_by)
        if route == Route.DESK_TO_POINT and handover.till is not None:
            refuse_cash_over_limit(till=handover.till, cash=counted, now=at)
        received = Handover.objects.filter(pk=handover.pk, state=HandoverState.ANNOUNCED).update(
            state=HandoverState.RECEIVED,
            received_by=received_by,
            received_at=at,
            counted=counted,
            reason=reason.strip(),
        )
        if not received:
            raise DomainError(Refusal.WRONG_STATE, _("It was received before."))
        handover.refresh_from_db()
        _settle(handover, route, counted, at)
        if route == Route.DESK_TO_POINT and handover.till is not None:
            _queue(handover, handover.till, FiscalKind.FUNDING, counted, at)
        _journal("receive_handover", handover, received_by, {"amount": handover.amount, "counted": counted}, at)
    return handover


def _settle(handover: Handover, route: Route, counted: int, at: datetime) -> None:
    """Empty the transit: what was counted to its end, what was short or over to its own account."""
    transit, end, number = _transit(handover), _end(_ENDS[route][1], handover.till), str(handover.number)
    short = handover.amount - counted
    if short < 0:
        over = Movement(transit, ledger_account(AccountKind.CASH_EXCESS, f"handover:{number}"), -short)
        _move(handover, "over", TransferKind.CASH_OVER, over, at)
    if counted:
        _move(handover, "received", TransferKind.CASH_RECEIVED, Movement(end, transit, counted), at)
    if short > 0:
        lost = Movement(ledger_account(AccountKind.CASH_SHORTAGE, f"handover:{number}"), transit, short)
        _move(handover, "short", TransferKind.CASH_SHORT, lost, at)


def _refuse_person(route: Route, till: Till | None, person: User) -> None:
    """Refuse who may not give or receive at this end: `till` where the end is a point, None where it is not."""
    if till is None:
        if person.role != Role.ORGANIZER:
            raise DomainError(Refusal.NOT_ALLOWED, _("Only the organizer's staff can do this."))
        return
    if person.role != Role.CASHIER or not Till.objects.filter(pk=till.pk, cashier=person).exists():
        raise DomainError(Refusal.NOT_ALLOWED, _("Only the cashier of this till can do this."))
    if not Shift.objects.filter(till=till, closed_at__isnull=True, opened_at__lte=clock.now()).exists():
        raise DomainError(Refusal.NO_OPEN_SHIFT, _("Open a shift at this till first."), route=str(route))


def _end(kind: AccountKind, till: Till | None) -> LedgerAccount:
    if kind == AccountKind.TILL:
        assert till is not None
        return till.ledger_account
    return ledger_account(kind)


def _transit(handover: Handover) -> LedgerAccount:
    return ledger_account(AccountKind.CASH_IN_TRANSIT, str(handover.number))


def _move(handover: Handover, step: str, kind: TransferKind, movement: Movement, at: datetime) -> None:
    post(
        key=f"handover-{step}:{handover.number}",
        kind=kind,
        occurred_at=at,
        cause=f"handover:{handover.number}",
        movements=[movement],
    )


def _queue(handover: Handover, till: Till, kind: FiscalKind, amount: int, at: datetime) -> None:
    queue_fiscal(till=till, kind=kind, subject=f"handover:{handover.number}", amount=amount, at=at)


def _journal(act: str, handover: Handover, actor: User, after: Mapping[str, object], at: datetime) -> None:
    write_journal(
        at=at,
        actor=actor.actor,
        act=act,
        subject=f"handover:{handover.number}",
        reason=handover.reason,
        after=dict(after) | {"till": handover.till_id},
    )
