"""The statement that a player is given: any period, each kopeck with its cause in words (E4, ¶35.3).

Half a year is shown at once; all that is older is kept, and comes with any other period that is asked for.
"""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.documents.statement import StatementFacts, StatementRow
from accounts.ledger.kinds import TransferKind
from accounts.models import Currency, GameAccount, TopUp, TopUpWay, Withdrawal
from accounts.queries.statements import AccountLine, AccountPeriod, account_period
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.legal import legal_numbers
from totalizator.core.localtime import LEGAL_ZONE, local_text
from totalizator.core.money import plain_byn
from totalizator.engine.deadlines import legal_day
from totalizator.engine.version import ENGINE_VERSION


def shown_from(today: date) -> date:
    """Return the first day of what a player is shown unless another period is asked for."""
    months = int(legal_numbers(clock.now())["history_shown_months"])
    year, month = divmod(today.year * 12 + today.month - 1 - months, 12)
    day = today.day
    while True:  # 31 August less six months is the last day of February
        try:
            return date(year, month + 1, day)
        except ValueError:
            day -= 1


def statement_period(account: GameAccount, first: date, last: date) -> AccountPeriod:
    """Return the account's entries of the legal days from `first` to `last`, both included.

    :raises DomainError: BAD_VALUE when the period ends before it begins.
    """
    if last < first:
        raise DomainError(Refusal.BAD_VALUE, gettext_lazy("The period must not end before it begins."), field="last")
    return account_period(account.ledger_account, _midnight(first), _midnight(last + timedelta(days=1)))


def statement_facts(account: GameAccount, first: date, last: date) -> StatementFacts:
    """Return the statement of a period, in words of the language that is active.

    :raises DomainError: BAD_VALUE, as `statement_period`.
    """
    period, at = statement_period(account, first, last), clock.now()
    words = line_words(account, period)
    totals: dict[str, int] = {}
    for line in period.lines:
        name = str(TransferKind(line.kind).label)
        totals[name] = totals.get(name, 0) + line.change
    player = account.player
    return StatementFacts(
        operator=settings.OPERATOR_NAME,
        account=str(account.pk),
        holder=player.get_full_name() or player.username,
        first=_day(first),
        last=_day(min(last, legal_day(at))),
        opening=period.opening,
        rows=[
            StatementRow(
                when=local_text(line.occurred_at, with_seconds=True),
                what=capfirst(str(TransferKind(line.kind).label)),
                cause=words[line.key],
                change=line.change,
                tax=line.tax,
                balance=line.balance,
            )
            for line in period.lines
        ],
        totals=[(capfirst(name), amount) for name, amount in totals.items()],
        closing=period.closing,
        tax=sum(line.tax for line in period.lines),
        made=_("Made %(time)s, Minsk time") % {"time": local_text(at)},
        version=software_version(),
    )


def line_words(account: GameAccount, period: AccountPeriod) -> Mapping[str, str]:
    """Return for each entry, by its transfer's key, what it was for, in words."""
    top_ups = {
        top_up.transfer_key: top_up
        for top_up in TopUp.objects.filter(account=account, credited_at__lt=period.until).select_related("rate")
    }
    withdrawals = {
        f"withdrawal:{withdrawal.pk}": withdrawal
        for withdrawal in Withdrawal.objects.filter(account=account).select_related("instrument")
    }
    return {line.key: _words(line, top_ups.get(line.key), withdrawals.get(line.cause)) for line in period.lines}


def software_version() -> str:
    """Return what documents say of the software that made them (N5)."""
    return f"Totalizator {ENGINE_VERSION}"


def _words(line: AccountLine, top_up: TopUp | None, withdrawal: Withdrawal | None) -> str:
    if top_up is not None:
        return _top_up_words(top_up)
    if withdrawal is not None:
        shown = {"reference": withdrawal.reference, "instrument": withdrawal.instrument.label}
        return _("%(reference)s to %(instrument)s") % shown
    subject, _colon, name = line.cause.partition(":")
    if line.kind == TransferKind.REVERSAL:
        return line.cause
    if subject == "bet":
        return _("ticket %(ticket)s") % {"ticket": name}
    if subject == "card":
        return _("card %(number)s") % {"number": name}
    return "" if subject == "game_account" else line.cause


def _top_up_words(top_up: TopUp) -> str:
    way = str(TopUpWay(top_up.way).label)
    if top_up.currency == Currency.BYN or top_up.rate is None:
        return way
    paid = {"way": way, "amount": plain_byn(top_up.original_amount), "currency": top_up.currency}
    return _("%(way)s: %(amount)s %(currency)s at the rate of %(rate)s") % {**paid, "rate": top_up.rate.rate}


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), tzinfo=ZoneInfo(LEGAL_ZONE)).astimezone(UTC)


def _day(day: date) -> str:
    return day.strftime("%d.%m.%Y")
