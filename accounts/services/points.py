"""Betting points, their tills, and the cash brought to them (¶9.2-9.7, ¶35.1). One act each, journalled."""

from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _

from accounts.ledger.balances import balance
from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import DuplicateTransfer, Movement, ledger_account, post
from accounts.locks import hold_till, hold_till_shared, lock_person
from accounts.models import HOUSE_BOOK, Agent, BettingPoint, FiscalKind, PointKind, Role, Shift, Till, Transfer, User
from accounts.services.desks import refuse_cash_over_limit
from accounts.services.fiscal import queue_fiscal
from accounts.services.staff import refuse_all_but_staff, written
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction

POINT_CODE = r"^[0-9A-Za-z._:-]{1,12}\Z"
"""What a point's code is made of: it stands in addresses and on tickets."""


def register_point(
    *,
    code: str,
    name: str,
    kind: PointKind,
    by: User,
    address: str = "",
    time_zone: str = "Europe/Minsk",
    agent: Agent | None = None,
) -> BettingPoint:
    """Register a betting point; an agent's point belongs to its agent for good.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE for a code known before, or an agent where none belongs.
    """
    refuse_all_but_staff(by)
    code = written(code, field="code", most=12)
    if (agent is not None) != (kind == PointKind.AGENT):
        raise DomainError(Refusal.BAD_VALUE, _("An agent's point, and only that, has an agent."), field="agent")
    with one_transaction():
        if BettingPoint.objects.filter(code=code).exists():
            raise DomainError(Refusal.BAD_VALUE, _("There is a point with this code."), field="code")
        point = BettingPoint.objects.create(
            code=code, name=written(name, field="name"), address=address, time_zone=time_zone, kind=kind, agent=agent
        )
        write_journal(
            at=clock.now(),
            actor=by.actor,
            act="register_point",
            subject=f"point:{point.pk}",
            after={"code": code, "kind": kind, "agent": agent.pk if agent is not None else None},
        )
    return point


def open_till(*, point: BettingPoint, number: int, cashier: User, by: User) -> Till:
    """Set up till `number` at `point` for `cashier`; it sells once it has a certificate and an open shift.

    :raises DomainError: NOT_ALLOWED, also when that person is no cashier; WRONG_STATE naming `number` when the point
        has a till with it, `cashier` when that person works at another till.
    """
    refuse_all_but_staff(by)
    if cashier.role != Role.CASHIER:
        raise DomainError(Refusal.NOT_ALLOWED, _("Only a cashier can work at a till."), field="cashier")
    with one_transaction():
        account = ledger_account(AccountKind.TILL, f"{point.code}/{number}")
        try:
            with transaction.atomic():
                till = Till.objects.create(point=point, number=number, cashier=cashier, ledger_account=account)
        except IntegrityError as fault:
            raise _why_no_till(point, number, cashier) from fault
        write_journal(
            at=clock.now(),
            actor=by.actor,
            act="open_till",
            subject=f"till:{till.pk}",
            after={"point": point.code, "number": number, "cashier": cashier.pk},
        )
    return till


def _why_no_till(point: BettingPoint, number: int, cashier: User) -> DomainError:
    if Till.objects.filter(point=point, number=number).exists():
        message = _("Point %(point)s has a till with number %(number)s.") % {"point": point.code, "number": number}
        return DomainError(Refusal.WRONG_STATE, message, field="number")
    other = Till.objects.select_related("point").filter(cashier=cashier).first()
    if other is None:
        again = _("This till was set up by somebody else just now: try again.")
        return DomainError(Refusal.WRONG_STATE, again, field="number")
    busy = _("This cashier works at till %(till)s: choose another one, or free that till first.") % {"till": other}
    return DomainError(Refusal.WRONG_STATE, busy, field="cashier")


def assign_cashier(*, till: Till, cashier: User | None, by: User) -> Till:
    """Give the till another cashier, or none, between two shifts.

    :raises DomainError: NOT_ALLOWED, also when that person is no cashier; WRONG_STATE with a shift open, at a till
        that is closed for good, or when the cashier works at another till.
    """
    refuse_all_but_staff(by)
    if cashier is not None and cashier.role != Role.CASHIER:
        raise DomainError(Refusal.NOT_ALLOWED, _("Only a cashier can work at a till."), field="cashier")
    with one_transaction():
        hold_till(till.pk)
        if cashier is not None:
            lock_person(cashier.pk)
        till.refresh_from_db()
        if till.closed_at is not None:
            raise DomainError(Refusal.WRONG_STATE, _("This till is closed for good."))
        if Shift.objects.filter(till=till, closed_at__isnull=True).exists():
            raise DomainError(Refusal.WRONG_STATE, _("Close its shift first."))
        if cashier is not None and Till.objects.filter(cashier=cashier).exclude(pk=till.pk).exists():
            raise DomainError(Refusal.WRONG_STATE, _("This cashier works at another till."), field="cashier")
        before, till.cashier = till.cashier_id, cashier
        till.save(update_fields=["cashier"])
        write_journal(
            at=clock.now(),
            actor=by.actor,
            act="assign_cashier",
            subject=f"till:{till.pk}",
            before={"cashier": before},
            after={"cashier": till.cashier_id},
        )
    return till


def close_till(*, till: Till, closed_by: User) -> Till:
    """Close a till for good and free its cashier: its terminals go with it, and its fiscal register is told last (C3).

    :raises DomainError: NOT_ALLOWED; WRONG_STATE when it is closed, has a shift open, or holds cash (`cash`).
    """
    refuse_all_but_staff(closed_by)
    with one_transaction():
        hold_till(till.pk)
        till.refresh_from_db()
        if till.closed_at is not None:
            raise DomainError(Refusal.WRONG_STATE, _("This till is closed for good."))
        if Shift.objects.filter(till=till, closed_at__isnull=True).exists():
            raise DomainError(Refusal.WRONG_STATE, _("Close its shift first."))
        cash = balance(till.ledger_account)
        if cash:
            raise DomainError(Refusal.WRONG_STATE, _("There is cash in it: hand it over first."), cash=cash)
        at = clock.now()
        till.terminals.filter(closed_at__isnull=True).update(enabled=False, closed_at=at)
        Till.objects.filter(pk=till.pk).update(enabled=False, closed_at=at, cashier=None)
        till.refresh_from_db()
        queue_fiscal(till=till, kind=FiscalKind.CLOSING, subject=f"till:{till.pk}", amount=0, at=at)
        write_journal(at=at, actor=closed_by.actor, act="close_till", subject=f"till:{till.pk}")
    return till


def give_float(*, till: Till, amount: int, document: str, by: User) -> bool:
    """Bring `amount` kopecks from the bank into the till; return False when `document` was booked before.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE when the amount is not above zero; CASH_LIMIT of the point (¶9.6).
    """
    refuse_all_but_staff(by)
    if amount <= 0:
        raise DomainError(Refusal.BAD_VALUE, _("The amount must be above zero."), field="amount")
    with one_transaction():
        hold_till_shared(till.pk)
        at = clock.now()
        key = f"till-float:{document}"
        if Transfer.objects.filter(book=HOUSE_BOOK, key=key).exists():
            return False
        refuse_cash_over_limit(till=till, cash=amount, now=at)
        try:
            post(
                key=key,
                kind=TransferKind.TILL_FLOAT,
                occurred_at=at,
                cause=f"till:{till.pk}",
                movements=[Movement(till.ledger_account, ledger_account(AccountKind.BANK), amount)],
            )
        except DuplicateTransfer:
            return False
        write_journal(
            at=at,
            actor=by.actor,
            act="give_float",
            subject=f"till:{till.pk}",
            after={"amount": amount, "document": document},
        )
    return True
