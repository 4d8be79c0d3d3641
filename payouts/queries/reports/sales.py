"""A period by pool, point and channel: sales, voids, winners, paid, unpaid (N1)."""

from collections.abc import Sequence

from django.utils.translation import gettext_lazy as _

from payouts.queries.reports.facts import FACTS, SUMS
from payouts.queries.reports.shape import Asked, Cell, ReportColumn, ReportKind, amount, count, rows_of
from pools.models import Channel

FIGURES = (
    count("bets", _("Bets")),
    count("winners", _("Winning bets")),
    amount("sales", _("Sales")),
    amount("voids", _("Stakes to be returned")),
    amount("winnings", _("Winnings")),
    amount("paid", _("Winnings paid")),
    amount("tax", _("Tax withheld")),
    amount("expired", _("Expired")),
    amount("revoked", _("Taken back (¶29)")),
    amount("unpaid", _("Unpaid at the end")),
    amount("returned", _("Stakes returned")),
    amount("unreturned", _("Not returned at the end")),
)

_BY_POINT = f"""
WITH {FACTS}
SELECT p.code, COALESCE(o.code, ''), b.channel, {SUMS}
FROM facts f JOIN pools_bet b USING (pool_id, ticket) JOIN pools_pool p ON p.id = f.pool_id
LEFT JOIN accounts_till t ON t.id = b.till_id LEFT JOIN accounts_bettingpoint o ON o.id = t.point_id
WHERE (%(pool)s = '' OR p.code = %(pool)s) AND (%(point)s = '' OR o.code = %(point)s)
  AND (%(channel)s = '' OR b.channel = %(channel)s) AND (%(game)s = '' OR p.game = %(game)s)
GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
"""

FILTERS = ("game", "pool", "point", "channel")


def _find(asked: Asked) -> Sequence[Sequence[Cell]]:
    chosen = {name: asked.filters.get(name, "") for name in FILTERS}
    return [
        (pool, point, str(Channel(str(channel)).label), *figures)
        for pool, point, channel, *figures in rows_of(_BY_POINT, {**asked.parameters(), **chosen})
    ]


SALES = ReportKind(
    name="sales",
    title=_("Sales and payments by pool, point and channel"),
    columns=(
        ReportColumn("pool", _("Pool")),
        ReportColumn("point", _("Point")),
        ReportColumn("channel", _("Channel")),
        *FIGURES,
    ),
    find=_find,
    filters=FILTERS,
)
