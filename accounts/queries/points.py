"""Betting points, tills and terminals as their registers show them: cash beside its limit, shifts, certificates."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db import connection
from django.db.models import (
    BigIntegerField,
    CharField,
    Count,
    DateField,
    DateTimeField,
    F,
    Func,
    OuterRef,
    QuerySet,
    Subquery,
    Sum,
    Value,
)
from django.db.models.functions import Coalesce, Trim

from accounts.models import BettingPoint, CashLimit, EquipmentCertificate, Shift, Terminal, Till

NEAR_OF_FIVE = 4
"""From so many fifths of its limit on a point's cash is told of."""

_NEAR = """
SELECT p.id, p.code, p.name, t.cash, l.amount
FROM accounts_bettingpoint p
CROSS JOIN LATERAL (SELECT amount FROM accounts_cashlimit c WHERE c.point_id = p.id AND c.valid_from <= %(day)s
                    ORDER BY c.valid_from DESC, c.id DESC LIMIT 1) l
CROSS JOIN LATERAL (SELECT COALESCE(sum(a.debits - a.credits), 0)::bigint AS cash FROM accounts_till k
                    JOIN accounts_ledgeraccount a ON a.id = k.ledger_account_id WHERE k.point_id = p.id) t
WHERE t.cash > 0 AND t.cash * 5 >= l.amount * %(near)s
ORDER BY l.amount - t.cash, p.code
"""

_CASH = F("ledger_account__debits") - F("ledger_account__credits")
# An address begins with the town, or with the six digits of the post and then the town.
_WITHOUT_POSTAL_CODE = Func(F("address"), Value(r"^\s*\d{6}\s*,?"), Value(""), function="regexp_replace")
_TOWN = Trim(
    Func(_WITHOUT_POSTAL_CODE, Value(","), Value(1), function="split_part", output_field=CharField()),
    output_field=CharField(),
)


@dataclass(frozen=True, slots=True)
class NearLimit:
    """A point whose cash is near its limit; both in kopecks."""

    point_id: int
    code: str
    name: str
    cash: int
    limit: int


def points_with_cash(day: date) -> QuerySet[BettingPoint]:
    """Return all points with their `cash`, their `cash_limit` (kopecks; None: no limit) and `open_shifts` on that day.

    Of limits the newest that has begun counts (¶9.6).
    """
    limits = CashLimit.objects.filter(point=OuterRef("pk"), valid_from__lte=day).order_by("-valid_from", "-pk")
    tills = Till.objects.filter(point=OuterRef("pk")).order_by().values("point")
    shifts = Shift.objects.filter(till__point=OuterRef("pk"), closed_at__isnull=True).order_by().values("till__point")
    return BettingPoint.objects.annotate(
        cash=_number(tills.annotate(found=Sum(_CASH))),
        cash_limit=Subquery(limits.values("amount")[:1], output_field=BigIntegerField()),
        open_shifts=_number(shifts.annotate(found=Count("pk"))),
    )


def near_their_limits(day: date) -> Sequence[NearLimit]:
    """Return the points whose cash is near what the bank allows on that day, or over it; the fullest first."""
    with connection.cursor() as cursor:
        cursor.execute(_NEAR, {"day": day, "near": NEAR_OF_FIVE})
        return [NearLimit(*row) for row in cursor.fetchall()]


def towns() -> Sequence[str]:
    """Return the towns in which there are points, as their addresses begin."""
    named = BettingPoint.objects.annotate(town=_TOWN).exclude(town="").order_by("town")
    return list(named.values_list("town", flat=True).distinct())


def in_town(points: QuerySet[BettingPoint], town: str) -> QuerySet[BettingPoint]:
    """Return the points whose address begins with a town."""
    return points.annotate(town=_TOWN).filter(town=town)


def tills_on(day: date) -> QuerySet[Till]:
    """Return tills with their `cash` (kopecks), `shift_since` where one is open, and `certified_until` (¶7)."""
    open_shift = Shift.objects.filter(till=OuterRef("pk"), closed_at__isnull=True)
    return Till.objects.select_related("point", "cashier", "ledger_account").annotate(
        cash=_CASH,
        shift_since=Subquery(open_shift.values("opened_at")[:1], output_field=DateTimeField()),
        certified_until=_certified_until("till", day),
    )


def terminals_on(day: date) -> QuerySet[Terminal]:
    """Return terminals with the last day of the examination certificate that counts, `certified_until` (¶7)."""
    terminals = Terminal.objects.select_related("till__point")
    return terminals.annotate(certified_until=_certified_until("terminal", day))


def _certified_until(equipment: str, day: date) -> Subquery:
    begun = EquipmentCertificate.objects.filter(**{equipment: OuterRef("pk")}, valid_from__lte=day).order_by("-pk")
    return Subquery(begun.values("valid_until")[:1], output_field=DateField())


def _number(rows: "QuerySet[Any, Any]") -> Coalesce:
    return Coalesce(Subquery(rows.values("found")), 0, output_field=BigIntegerField())
