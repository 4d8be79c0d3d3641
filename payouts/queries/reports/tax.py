"""Income tax withheld, day by day and pool by pool (D-17)."""

from collections.abc import Sequence

from django.utils.translation import gettext_lazy as _

from payouts.models import PaymentMethod
from payouts.queries.reports.shape import Asked, Cell, ReportColumn, ReportKind, amount, count, rows_of

_WITHHELD = """
SELECT to_char(y.paid_at AT TIME ZONE 'Europe/Minsk', 'YYYY-MM-DD'), p.code, y.method, count(*),
       sum(y.gross)::bigint, sum(y.tax)::bigint, sum(y.net)::bigint
FROM payouts_payment y JOIN pools_pool p ON p.id = y.pool_id
WHERE y.tax > 0 AND y.paid_at >= %(since)s AND y.paid_at < %(until)s
GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
"""


def _find(asked: Asked) -> Sequence[Sequence[Cell]]:
    return [
        (day, pool, str(PaymentMethod(str(method)).label), *figures)
        for day, pool, method, *figures in rows_of(_WITHHELD, asked.parameters())
    ]


TAX = ReportKind(
    name="tax",
    title=_("Income tax withheld"),
    columns=(
        ReportColumn("day", _("Day")),
        ReportColumn("pool", _("Pool")),
        ReportColumn("way", _("Way")),
        count("payments", _("Payments")),
        amount("gross", _("Before tax")),
        amount("tax", _("Tax withheld")),
        amount("net", _("After tax")),
    ),
    find=_find,
)
