"""Finding pools as people name them: by number, by name, by who plays in them (O1)."""

import json
from datetime import datetime

from django.db.models import BooleanField, F, Func, JSONField, Q, QuerySet, Value
from django.db.models.functions import Cast, Coalesce

from pools.models import Pool, PoolState

OVER = (PoolState.RESULTED, PoolState.SETTLED, PoolState.ARCHIVED, PoolState.CANCELLED)
"""The states of a pool that has a result, or will never have one."""


class _IsNamed(Func):
    """Whether a string at a path of the terms holds some words, as they are written, in whatever case."""

    function = "jsonb_path_exists"
    template = "%(function)s(%(expressions)s::jsonpath)"
    output_field = BooleanField()

    def __init__(self, path: str, words: str) -> None:
        literal = json.dumps(words, ensure_ascii=False)
        super().__init__(Cast("terms_text", JSONField()), Value(f'{path} ? (@ like_regex {literal} flag "iq")'))


def pools_named(pools: QuerySet[Pool], words: str) -> QuerySet[Pool]:
    """Keep the pools whose number, name or conditions (the matches and their teams) hold `words`, in any language."""
    by_name, by_condition = _IsNamed("$.pool.name.*", words), _IsNamed("$.conditions[*].name.*", words)
    return pools.filter(Q(code__icontains=words) | Q(by_name) | Q(by_condition))


def pools_over(*, since: datetime | None = None, until: datetime | None = None) -> QuerySet[Pool]:
    """Pools with a result, or cancelled, the latest first; `ended_at` is when sales ended or it was cancelled.

    Those that ended from `since` on, and before `until`.
    """
    ended = Coalesce(F("closed_at"), F("cancellation__cancelled_at"), F("closes_at"))
    pools = Pool.objects.filter(state__in=OVER).annotate(ended_at=ended)
    if since is not None:
        pools = pools.filter(ended_at__gte=since)
    if until is not None:
        pools = pools.filter(ended_at__lt=until)
    return pools.order_by("-ended_at", "code")
