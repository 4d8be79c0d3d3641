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


def jackpot_chart(name: str, moments: Sequence[tuple[datetime, int]]) -> Chart:
    """Draw what a jackpot held after each of at least two of its moves, in kopecks."""
    instants, amounts = [at for at, _amount in moments], tuple(amount for _at, amount in moments)
    rows = tuple((local_text(at), format_byn(amount)) for at, amount in moments)
    title = f"{_('Jackpot')}: {name}"
    drawing = line_chart(instants, [Series(name, amounts)])
    return Chart(title, _from_to(rows[0], rows[-1]), drawing, (_("When"), _("Jackpot")), rows)


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
