"""Limits on one's own play: lowered at once, raised only after a day and a second yes (P1, X15).

A limit binds the person in every channel. Limits on stakes and losses are asked at each bet
(`pools/services/players.py`), those on deposits here. Windows roll (`LimitPeriod`), and money paid in counts from the
instant at which it is credited.
"""

from datetime import datetime, timedelta

from django.db import connection
from django.db.models import Q, Sum
from django.utils.translation import gettext_lazy as _

from accounts.ledger.kinds import DEPOSITS
from accounts.locks import hold_play_of
from accounts.models import Entry, LimitKind, LimitPeriod, LimitRaise, Person, PlayLimit, User
from accounts.queries.standing import standing_of
from accounts.services.persons import person_of
from accounts.services.standing import refuse_barred
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.legal import legal_numbers
from totalizator.core.localtime import local_text
from totalizator.core.money import format_byn
from totalizator.core.transactions import one_transaction


def set_limit(
    *, person: Person, kind: LimitKind, period: LimitPeriod, amount: int, actor: str
) -> PlayLimit | LimitRaise:
    """Set a limit of `amount` kopecks: at once when it is new or lower, else as a raise that has to be confirmed.

    :raises DomainError: BAD_VALUE for an amount below zero.
    """
    if amount < 0:
        raise DomainError(Refusal.BAD_VALUE, _("The amount must not be below zero."), field="amount")
    with one_transaction():
        hold_play_of(person)
        at = clock.now()
        standing = _limit(person, kind, period)
        if standing is not None and amount > standing.amount:
            return _ask_to_raise(standing, amount, actor, at)
        LimitRaise.objects.filter(person=person, kind=kind, period=period).delete()
        return _put_in_force(person, kind, period, amount, actor, at, act="set_limit")


def ask_to_remove_limit(*, person: Person, kind: LimitKind, period: LimitPeriod, actor: str) -> LimitRaise:
    """Ask to have a limit removed; it is, once that is confirmed in a day or later.

    :raises DomainError: NOT_FOUND when there is none.
    """
    with one_transaction():
        hold_play_of(person)
        standing = _limit(person, kind, period)
        if standing is None:
            raise DomainError(Refusal.NOT_FOUND, _("There is no such limit."), field="period")
        return _ask_to_raise(standing, None, actor, clock.now())


def confirm_raise(*, person: Person, kind: LimitKind, period: LimitPeriod, actor: str) -> PlayLimit | None:
    """Confirm a raise that has waited long enough; return the limit in force, None when it is removed.

    :raises DomainError: NOT_FOUND when no raise waits; WRONG_STATE before its time, with when that is.
    """
    with one_transaction():
        hold_play_of(person)
        at = clock.now()
        waiting = LimitRaise.objects.filter(person=person, kind=kind, period=period).first()
        if waiting is None:
            raise DomainError(Refusal.NOT_FOUND, _("No raise of this limit is waiting."), field="period")
        if at < waiting.ready_at:
            message = _("This can be confirmed from %(when)s.") % {"when": local_text(waiting.ready_at)}
            raise DomainError(Refusal.WRONG_STATE, message, ready_at=waiting.ready_at)
        amount = waiting.amount
        waiting.delete()
        if amount is not None:
            return _put_in_force(person, kind, period, amount, actor, at, act="confirm_raise")
        PlayLimit.objects.filter(person=person, kind=kind, period=period).delete()
        _journal(person, kind, period, None, actor, at, act="confirm_raise")
    return None


def refuse_deposit_over_limits(*, player: User, amount: int, at: datetime) -> None:
    """Refuse to credit `amount` kopecks to the player's account when a limit or a bar forbids it (P1, P2).

    Call it in the transaction that then credits them: it holds the person, so that no two deposits pass one limit.

    :raises DomainError: LIMIT_REACHED, with the limit and what is left of it; what `refuse_barred` refuses.
    """
    assert connection.in_atomic_block, "what is checked must still hold when the money is credited"
    person = person_of(player)
    hold_play_of(person)
    standing = standing_of(person, at)
    refuse_barred(standing, at)
    for limit in standing.limits:
        if limit.kind == LimitKind.DEPOSIT:
            (used,) = deposited_since(player, at - limit.period.length)
            refuse_over_limit(limit.period, limit.amount, used, amount)


def room_for_deposits(player: User, at: datetime) -> list[tuple[LimitPeriod, int, int]]:
    """Return each limit on deposits that the player has set: its period, its kopecks, and what is left of them."""
    limits = PlayLimit.objects.filter(person=person_of(player), kind=LimitKind.DEPOSIT)
    found = {LimitPeriod(limit.period): limit.amount for limit in limits}
    periods = [period for period in LimitPeriod if period in found]
    if not periods:
        return []
    used = deposited_since(player, *(at - period.length for period in periods))
    return [(period, found[period], max(0, found[period] - sum_)) for period, sum_ in zip(periods, used, strict=True)]


def deposited_since(player: User, *instants: datetime) -> list[int]:
    """Return how many kopecks were paid into the player's account after each of the instants."""
    entries = Entry.objects.filter(
        credit__game_account__player=player, transfer__kind__in=DEPOSITS, transfer__occurred_at__gt=min(instants)
    )
    sums = entries.aggregate(
        **{
            f"since_{number}": Sum("amount", filter=Q(transfer__occurred_at__gt=since))
            for number, since in enumerate(instants)
        }
    )
    return [int(sums[f"since_{number}"] or 0) for number in range(len(instants))]


def refuse_over_limit(period: LimitPeriod, limit: int, used: int, amount: int) -> None:
    """Refuse `amount` kopecks more where `used` of `limit` are used in the period.

    :raises DomainError: LIMIT_REACHED.
    """
    if used + amount > limit:
        left = max(0, limit - used)
        words = {"limit": format_byn(limit), "period": period.label, "left": format_byn(left)}
        message = _("Your limit is %(limit)s in %(period)s; %(left)s are left of it.") % words
        raise DomainError(Refusal.LIMIT_REACHED, message, limit=limit, available=left, period=str(period))


def _limit(person: Person, kind: LimitKind, period: LimitPeriod) -> PlayLimit | None:
    return PlayLimit.objects.filter(person=person, kind=kind, period=period).first()


def _ask_to_raise(standing: PlayLimit, amount: int | None, actor: str, at: datetime) -> LimitRaise:
    wait = timedelta(hours=int(legal_numbers(at)["limit_raise_hours"]))
    person, kind, period = standing.person, LimitKind(standing.kind), LimitPeriod(standing.period)
    waiting, _created = LimitRaise.objects.update_or_create(
        person=person, kind=kind, period=period, defaults={"amount": amount, "asked_at": at, "ready_at": at + wait}
    )
    _journal(person, kind, period, amount, actor, at, act="ask_to_raise_limit")
    return waiting


def _put_in_force(
    person: Person, kind: LimitKind, period: LimitPeriod, amount: int, actor: str, at: datetime, *, act: str
) -> PlayLimit:
    limit, _created = PlayLimit.objects.update_or_create(
        person=person, kind=kind, period=period, defaults={"amount": amount, "set_at": at}
    )
    _journal(person, kind, period, amount, actor, at, act=act)
    return limit


def _journal(
    person: Person, kind: LimitKind, period: LimitPeriod, amount: int | None, actor: str, at: datetime, *, act: str
) -> None:
    after = {"kind": str(kind), "period": str(period), "amount": amount}
    write_journal(at=at, actor=actor, act=act, subject=person.subject, after=after)
