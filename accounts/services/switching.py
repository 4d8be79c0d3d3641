"""Switching points, tills and terminals off and on, at once, from the centre (C1).

Off waits for what is under way at the tills and lets nothing begin after: once it returns, nothing more is sold or
paid there.
"""

from datetime import datetime

from django.utils.translation import gettext_lazy as _

from accounts.locks import hold_till, hold_tills_of
from accounts.models import BettingPoint, Terminal, Till, User
from accounts.services.staff import refuse_all_but_staff, written
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.outbox import tell
from totalizator.core.outbox_kinds import EventKind
from totalizator.core.transactions import one_transaction


def switch_point(*, point: BettingPoint, on: bool, reason: str, by: User) -> None:
    """Switch a whole point on or off.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE without a reason.
    """
    reason = _checked(reason, by)
    with one_transaction():
        hold_tills_of(point.pk)
        BettingPoint.objects.filter(pk=point.pk).update(enabled=on)
        point.refresh_from_db(fields=["enabled"])
        _journal("switch_point", f"point:{point.pk}", on, reason, by)


def switch_till(*, till: Till, on: bool, reason: str, by: User) -> None:
    """Switch a till on or off.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE without a reason; WRONG_STATE when it is closed for good.
    """
    reason = _checked(reason, by)
    with one_transaction():
        hold_till(till.pk)
        till.refresh_from_db(fields=["enabled", "closed_at"])
        _refuse_closed(till.closed_at)
        Till.objects.filter(pk=till.pk).update(enabled=on)
        till.enabled = on
        _journal("switch_till", f"till:{till.pk}", on, reason, by)


def switch_terminal(*, terminal: Terminal, on: bool, reason: str, by: User) -> None:
    """Switch a terminal on or off: its next request finds it so.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE without a reason; WRONG_STATE when it is closed for good.
    """
    reason = _checked(reason, by)
    with one_transaction():
        hold_till(terminal.till_id)
        terminal.refresh_from_db(fields=["enabled", "closed_at"])
        _refuse_closed(terminal.closed_at)
        Terminal.objects.filter(pk=terminal.pk).update(enabled=on)
        terminal.enabled = on
        _journal("switch_terminal", terminal.actor, on, reason, by)


def _checked(reason: str, by: User) -> str:
    refuse_all_but_staff(by)
    return written(reason, field="reason")


def _refuse_closed(closed_at: datetime | None) -> None:
    if closed_at is not None:
        raise DomainError(Refusal.WRONG_STATE, _("It is closed for good."))


def _journal(act: str, subject: str, on: bool, reason: str, by: User) -> None:
    at = clock.now()
    write_journal(at=at, actor=by.actor, act=act, subject=subject, reason=reason, after={"on": on})
    tell(EventKind.EQUIPMENT_SWITCHED, subject, {"on": on}, at=at)
