"""A period pool by pool: sales, fund, takeout, winnings, jackpot, and what is paid of it (N1)."""

from collections.abc import Sequence

from django.utils.translation import gettext_lazy as _

from payouts.queries.reports.facts import FACTS, SUMS
from payouts.queries.reports.sales import FIGURES
from payouts.queries.reports.shape import Asked, Cell, ReportColumn, ReportKind, amount, rows_of

_STATED = ("fund", "takeout", "added", "jackpot_out")
_FIGURES_STATED = ", ".join(f"(s.statement_text::jsonb ->> '{name}')::bigint AS {name}" for name in _STATED)

# The jackpot is put into the pot when the settlement is calculated; all the rest moves when it becomes official.
_BY_POOL = f"""
WITH {FACTS},
stated AS (
    SELECT s.pool_id, {_FIGURES_STATED} FROM pools_settlement s
    WHERE s.state = 'official' AND s.official_at >= %(since)s AND s.official_at < %(until)s
),
drawn AS (
    SELECT pool_id, jackpot_in FROM pools_settlement
    WHERE jackpot_in > 0 AND calculated_at >= %(since)s AND calculated_at < %(until)s
),
moved AS (
    SELECT f.pool_id, {SUMS} FROM facts f GROUP BY f.pool_id
)
SELECT p.code, p.state, COALESCE(s.fund, 0), COALESCE(s.takeout, 0), COALESCE(s.added, 0), COALESCE(d.jackpot_in, 0),
       COALESCE(s.jackpot_out, 0), m.*
FROM pools_pool p LEFT JOIN stated s ON s.pool_id = p.id LEFT JOIN drawn d ON d.pool_id = p.id
LEFT JOIN moved m ON m.pool_id = p.id
WHERE (s.pool_id IS NOT NULL OR d.pool_id IS NOT NULL OR m.pool_id IS NOT NULL)
  AND (%(pool)s = '' OR p.code = %(pool)s) AND (%(game)s = '' OR p.game = %(game)s)
ORDER BY p.code
"""
FILTERS = ("game", "pool")


def _find(asked: Asked) -> Sequence[Sequence[Cell]]:
    chosen = {name: asked.filters.get(name, "") for name in FILTERS}
    found = rows_of(_BY_POOL, {**asked.parameters(), **chosen})
    return [(*row[:7], *(figure or 0 for figure in row[8:])) for row in found]


POOLS = ReportKind(
    name="pools",
    title=_("Pools: sales, fund, takeout, winnings, jackpot"),
    columns=(
        ReportColumn("pool", _("Pool")),
        ReportColumn("state", _("State")),
        amount("fund", _("Fund")),
        amount("takeout", _("Takeout")),
        amount("added", _("Added by the organizer")),
        amount("jackpot_in", _("Drawn from the jackpot")),
        amount("jackpot_out", _("Into the jackpot")),
        *FIGURES,
    ),
    find=_find,
    filters=FILTERS,
)
