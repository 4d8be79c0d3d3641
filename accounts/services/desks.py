"""May this desk take money, may it pay? Asked before every sale and payment at a point, in whatever app."""

from datetime import datetime, timedelta

from django.utils.translation import gettext_lazy as _

from accounts.locks import hold_point_cash, hold_till_shared
from accounts.models import Terminal, Till
from accounts.queries.desks import DeskStanding, agreement_on_takings, cash_at_point, desk_standing
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.legal import legal_numbers
from totalizator.core.money import format_byn
from totalizator.engine.deadlines import legal_day


def refuse_to_sell(*, till: Till, cash: int, now: datetime, terminal: Terminal | None = None) -> None:
    """Refuse a sale at a desk that may not make it; `cash` kopecks would come into the till, 0 for a sale without.

    Holds the till, shared with other sales, until the transaction ends: so no shift is closed, and nothing switched
    off, in the middle of one. Call it before money is posted.

    :raises DomainError: SWITCHED_OFF, NO_OPEN_SHIFT, NO_AGREEMENT at an agent's whose contract has ended (¶35.1),
        NOT_CERTIFIED (¶7), LINK_LOST (G5), CASH_LIMIT (¶9.6).
    """
    standing = _standing(till, now, terminal)
    if not standing.contract_runs:
        raise DomainError(Refusal.NO_AGREEMENT, _("The agent's contract is not in force (¶35.1)."))
    if not standing.certified:
        raise DomainError(Refusal.NOT_CERTIFIED, _("This equipment has no examination certificate in date (¶7)."))
    if terminal is not None and link_lost(standing.terminal_seen_at, now):
        raise DomainError(Refusal.LINK_LOST, _("The link was lost: the terminal must synchronise before it sells."))
    if cash and standing.cash_limit is not None:
        _refuse_over_limit(till.point_id, cash, standing.cash_limit)


def refuse_to_pay(*, till: Till, now: datetime, terminal: Terminal | None = None) -> None:
    """Refuse a payment in cash at a desk that may not make it; holds the till as `refuse_to_sell` does.

    :raises DomainError: SWITCHED_OFF, NO_OPEN_SHIFT; NO_AGREEMENT when the bank has not agreed that takings are paid
        out (¶9.7).
    """
    _standing(till, now, terminal)
    if agreement_on_takings(till, legal_day(now)) is None:
        message = _("No agreement with the bank lets takings be paid out here (¶9.7).")
        raise DomainError(Refusal.NO_AGREEMENT, message)


def refuse_cash_over_limit(*, till: Till, cash: int, now: datetime) -> None:
    """Refuse `cash` kopecks that are brought to a point which would then hold more than its bank allows.

    :raises DomainError: CASH_LIMIT (¶9.6).
    """
    limit = desk_standing(till.pk, None, legal_day(now)).cash_limit
    if limit is not None:
        _refuse_over_limit(till.point_id, cash, limit)


def link_lost(seen_at: datetime | None, now: datetime) -> bool:
    """Tell whether a terminal that was last seen then has to synchronise before it sells again (G5)."""
    return seen_at is None or seen_at < links_since(now)


def links_since(now: datetime) -> datetime:
    """Return since when a terminal must have been seen so that its link is unbroken (G5)."""
    return now - timedelta(seconds=int(legal_numbers(now)["terminal_link_seconds"]))


def _standing(till: Till, now: datetime, terminal: Terminal | None) -> DeskStanding:
    hold_till_shared(till.pk)
    standing = desk_standing(till.pk, terminal.pk if terminal is not None else None, legal_day(now))
    if not standing.point_enabled:
        raise DomainError(Refusal.SWITCHED_OFF, _("This betting point is switched off."))
    if not standing.till_enabled:
        raise DomainError(Refusal.SWITCHED_OFF, _("This till is switched off."))
    if terminal is not None and not standing.terminal_enabled:
        raise DomainError(Refusal.SWITCHED_OFF, _("This terminal is switched off."))
    if terminal is not None and not standing.cashier_active:
        raise DomainError(Refusal.SWITCHED_OFF, _("Nobody works at the till of this terminal."))
    # What began before the shift was opened is not of this shift, however long it has waited.
    if standing.shift_opened_at is None or now < standing.shift_opened_at:
        raise DomainError(Refusal.NO_OPEN_SHIFT, _("Open a shift at this till first."))
    return standing


def _refuse_over_limit(point_id: int, taken: int, limit: int) -> None:
    hold_point_cash(point_id)
    cash = cash_at_point(point_id)
    if cash + taken > limit:
        message = _("The bank lets this point hold %(limit)s; hand cash over first (¶9.6).")
        raise DomainError(
            Refusal.CASH_LIMIT, message % {"limit": format_byn(limit)}, limit=limit, cash=cash, amount=taken
        )
