"""The charts of the trade: a pool's fund, how its outcomes are shared, a jackpot's history, a day's turnover."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from fractions import Fraction

from django.utils.translation import gettext as _

from totalizator.core.charts import Chart, Series, column_chart, line_chart, share_chart
from totalizator.core.localtime import local_text
from totalizator.core.money import format_byn


def fund_chart(moments: Sequence[tuple[datetime, int]]) -> Chart:
    """Draw what a winning fund held at each of at least two moments, in kopecks."""
    title = _("Winning fund")
    instants, amounts = [at for at, _amount in moments], tuple(amount for _at, amount in moments)
    rows = tuple((local_text(at), format_byn(amount)) for at, amount in moments)
    drawing = line_chart(instants, [Series(title, amounts)])
    return Chart(title, _from_to(rows[0], rows[-1]), drawing, (_("When"), title), rows)


def jackpot_chart(name: str, moments: Sequence[tuple[datetime, int]], until: datetime | None = None) -> Chart:
    """Draw what a jackpot held after each of its moves, in kopecks: level from one to the next, and on to `until`.

    :raises ValueError: for fewer than two moments, or one without `until`.
    """
    drawn = [*moments[:1]]
    for at, amount in moments[1:]:
        drawn += [(at, drawn[-1][1]), (at, amount)]
    if until is not None:
        drawn.append((max(until, drawn[-1][0]), drawn[-1][1]))
    rows = tuple((local_text(at), format_byn(amount)) for at, amount in moments)
    jackpot = _("Jackpot")
    title = f"{jackpot}: {name}"
    drawing = line_chart([at for at, _amount in drawn], [Series(name, tuple(amount for _at, amount in drawn))])
    return Chart(title, _from_to(rows[0], rows[-1]), drawing, (_("When"), jackpot), rows)


def division_chart(staked: int, parts: Mapping[str, int]) -> Chart:
    """Draw where the money of a pool went, in kopecks by the name of each part; together they are all that was staked.

    :raises ValueError: when they are not.
    """
    if sum(parts.values()) != staked:
        raise ValueError("the parts are not the whole")
    title, rows = _("Where the money goes"), tuple((name, format_byn(amount)) for name, amount in parts.items())
    whole = _("Staked")
    drawing = share_chart([(f"{whole}: {format_byn(staked)}", list(parts.items()))])
    summary = "; ".join(f"{name}: {amount}" for name, amount in rows)
    return Chart(title, summary, drawing, (_("What"), _("Amount")), rows)


def turnover_chart(hours: Sequence[tuple[int, int]]) -> Chart:
    """Draw what was staked in each hour of a legal day: the hour, and kopecks."""
    title, staked = _("Staked"), sum(amount for _hour, amount in hours)
    names = [f"{hour:02d}" for hour, _amount in hours]
    rows = tuple((f"{hour:02d}:00", format_byn(amount)) for hour, amount in hours)
    drawing = column_chart(names, [amount for _hour, amount in hours])
    return Chart(title, format_byn(staked), drawing, (_("When"), title), rows)


def shares_chart(counts: Mapping[str, Mapping[str, int]]) -> Chart:
    """Draw how the lines of a pool are shared among the outcomes, condition by condition: counts by code by name."""
    title = _("Lines by outcome")
    rows = tuple(
        (name, ", ".join(f"{code} {_share(count, sum(parts.values()))}" for code, count in parts.items()))
        for name, parts in counts.items()
    )
    drawing = share_chart([(name, list(parts.items())) for name, parts in counts.items()])
    summary = "; ".join(f"{name}: {told}" for name, told in rows[:1])
    return Chart(title, summary, drawing, (_("Condition"), title), rows)


def _share(count: int, whole: int) -> str:
    tenths = int(Fraction(count * 1_000, whole or 1))
    return f"{count} ({tenths // 10},{tenths % 10}\u00a0%)"


def _from_to(first: tuple[str, str], last: tuple[str, str]) -> str:
    return f"{first[0]}: {first[1]}; {last[0]}: {last[1]}"
