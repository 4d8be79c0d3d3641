"""Opening and closing a cashier's shift (C2). Expected cash = float + in − out, by the till's own counters.

A sale or payment holds its till shared (`desks.py`), opening and closing hold it alone: none is ever half in a shift.
"""

from datetime import date, datetime

from django.utils.translation import gettext_lazy as _

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import Movement, ledger_account, post
from accounts.locks import hold_till
from accounts.models import BettingPoint, FiscalKind, Role, Shift, Till, User
from accounts.queries.point_documents import missing_documents
from accounts.queries.shifts import lock_counters
from accounts.services.fiscal import queue_fiscal
from accounts.services.z_reports import make_z_report
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction
from totalizator.engine.deadlines import legal_day


def open_shift(*, till: Till, cashier: User, counted: int, reason: str = "") -> Shift:
    """Open a shift with the cash that the cashier has counted, in kopecks.

    The float is what the ledger says is in the till; a difference is posted before the shift begins, with its reason.

    :raises DomainError: NOT_ALLOWED for who is not the till's cashier; SWITCHED_OFF; WRONG_STATE with a shift open;
        DOCUMENTS_MISSING (`missing`, ¶9.4); NO_AGREEMENT without the agent's contract in force; BAD_VALUE for a count
        below zero, or a difference without a reason (`expected`).
    """
    with one_transaction():
        hold_till(till.pk)
        till = Till.objects.select_related("point__agent", "ledger_account").get(pk=till.pk)
        at = clock.now()
        _refuse_opening(till, cashier, legal_day(at))
        last = Shift.objects.filter(till=till).order_by("-number").first()
        number = last.number + 1 if last is not None else 1
        cash = lock_counters(till.ledger_account).cash
        _post_difference(till, cash, counted, reason, key=f"shift-opening:{till.pk}:{number}", at=at)
        counters = lock_counters(till.ledger_account)
        shift = Shift.objects.create(
            till=till,
            number=number,
            cashier=cashier,
            opened_at=clock.now(),
            opening_debits=counters.debits,
            opening_credits=counters.credits,
        )
        write_journal(
            at=shift.opened_at,
            actor=cashier.actor,
            act="open_shift",
            subject=f"shift:{shift.pk}",
            reason=reason,
            after={"till": till.pk, "number": number, "float": counted, "difference": counted - cash},
        )
    return shift


def close_shift(*, shift: Shift, counted: int, closed_by: User, reason: str = "") -> Shift:
    """Close a shift with the cash counted: a shortage or excess is posted, and the Z-report frozen.

    Waits for sales and payments under way at the till; none gets in after.

    :raises DomainError: NOT_ALLOWED for who is neither its cashier nor of the staff; WRONG_STATE when it is closed;
        BAD_VALUE for a count below zero, or a difference without a reason (`expected`).
    """
    if closed_by.pk != shift.cashier_id and closed_by.role != Role.ORGANIZER:
        raise DomainError(Refusal.NOT_ALLOWED, _("Only its cashier or the organizer's staff can close a shift."))
    with one_transaction():
        hold_till(shift.till_id)
        shift = Shift.objects.select_related("till__point", "till__ledger_account", "cashier").get(pk=shift.pk)
        if shift.closed_at is not None:
            raise DomainError(Refusal.WRONG_STATE, _("This shift is closed."))
        counters = lock_counters(shift.till.ledger_account)
        at = clock.now()
        _post_difference(shift.till, counters.cash, counted, reason, key=f"shift-closing:{shift.pk}", at=at)
        shift.closed_at, shift.expected, shift.counted, shift.reason = at, counters.cash, counted, reason.strip()
        shift.save(update_fields=["closed_at", "expected", "counted", "reason"])
        make_z_report(shift, counters)
        queue_fiscal(till=shift.till, kind=FiscalKind.Z, subject=f"shift:{shift.pk}", amount=counted, at=at)
        write_journal(
            at=at,
            actor=closed_by.actor,
            act="close_shift",
            subject=f"shift:{shift.pk}",
            reason=shift.reason,
            after={"expected": counters.cash, "counted": counted, "difference": counted - counters.cash},
        )
    return shift


def open_shift_of(till: Till) -> Shift | None:
    """Return the shift that is open at the till, if one is."""
    return Shift.objects.filter(till=till, closed_at__isnull=True).first()


def _refuse_opening(till: Till, cashier: User, day: date) -> None:
    if cashier.role != Role.CASHIER or till.cashier_id != cashier.pk:
        raise DomainError(Refusal.NOT_ALLOWED, _("Only the cashier of this till can open its shift."))
    if not (till.enabled and till.point.enabled):
        raise DomainError(Refusal.SWITCHED_OFF, _("This till is switched off."))
    if open_shift_of(till) is not None:
        raise DomainError(Refusal.WRONG_STATE, _("A shift is open at this till."))
    _refuse_point(till.point, day)


def _refuse_point(point: BettingPoint, day: date) -> None:
    missing = missing_documents(point, day)
    if missing:
        names = ", ".join(str(kind.label) for kind in missing)
        message = _("These documents are missing or out of date (¶9.4): %(names)s.") % {"names": names}
        raise DomainError(Refusal.DOCUMENTS_MISSING, message, missing=[str(kind) for kind in missing])
    agent = point.agent
    if agent is not None and not agent.valid_from <= day <= agent.valid_until:
        raise DomainError(Refusal.NO_AGREEMENT, _("The agent's contract is not in force (¶35.1)."))


def _post_difference(till: Till, cash: int, counted: int, reason: str, *, key: str, at: datetime) -> None:
    """Make the till hold what was counted; a shortage is somebody's debt, an excess the organizer's until explained."""
    if counted < 0:
        raise DomainError(Refusal.BAD_VALUE, _("The amount must not be below zero."), field="counted")
    if counted == cash:
        return
    if not reason.strip():
        message = _("The count differs from what is expected: give the reason.")
        raise DomainError(Refusal.BAD_VALUE, message, field="reason", expected=cash, counted=counted)
    account, short = till.ledger_account, counted < cash
    other = ledger_account(AccountKind.CASH_SHORTAGE if short else AccountKind.CASH_EXCESS, str(till))
    post(
        key=key,
        kind=TransferKind.CASH_SHORT if short else TransferKind.CASH_OVER,
        occurred_at=at,
        cause=f"till:{till.pk}",
        movements=[Movement(other, account, cash - counted) if short else Movement(account, other, counted - cash)],
    )
