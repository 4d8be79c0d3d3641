"""What is the matter with paper forms: numbers passed over, money to be returned, forms to be approved (¶9.10, C8)."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from django.db import connection
from django.db.models import Q, QuerySet

from pools.models import FormState, PaperForm, PaperRegister, PoolState

Gap = tuple[int, int]

# The numbers between the register's first one and its highest entered one that no form has: first and last of each run.
_GAPS = """
SELECT previous + 1, number - 1
FROM (SELECT number, lag(number, 1, r.first - 1) OVER (ORDER BY number) AS previous
      FROM pools_paperform f JOIN pools_paperregister r ON r.id = f.register_id WHERE r.id = %s) n
WHERE number > previous + 1 ORDER BY 1
"""


def missing_forms(register: PaperRegister) -> Sequence[Gap]:
    """Return the runs of numbers that were passed over, each as its first and last number."""
    with connection.cursor() as cursor:
        cursor.execute(_GAPS, [register.pk])
        return [(int(first), int(last)) for first, last in cursor.fetchall()]


def registers_with_gaps() -> Iterator[tuple[PaperRegister, Sequence[Gap]]]:
    """Yield the registers in which numbers were passed over, with these."""
    for register in PaperRegister.objects.order_by("first"):
        if gaps := missing_forms(register):
            yield register, gaps


def forms_to_return() -> QuerySet[PaperForm]:
    """Return the refused forms whose money has not gone back yet: late, faulty, rejected."""
    return PaperForm.objects.filter(state=FormState.TO_RETURN).select_related("till__point", "pool").order_by("number")


def forms_to_approve() -> QuerySet[PaperForm]:
    """Return the forms that wait for a second person."""
    return PaperForm.objects.filter(state=FormState.ENTERED).select_related("till__point", "pool").order_by("number")


def forms_never_approved(now: datetime) -> QuerySet[PaperForm]:
    """Return the forms that still wait for a second person though their pool takes no bets any more (¶9.10)."""
    over = ~Q(pool__state__in=(PoolState.ANNOUNCED, PoolState.OPEN)) | Q(pool__closes_at__lte=now)
    return forms_to_approve().filter(over)
