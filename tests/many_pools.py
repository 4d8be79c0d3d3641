"""Pools by the thousand, made as rows of one that was played: for what lists them."""

import json
from datetime import timedelta
from typing import Any

from pools.models import Pool, PoolState, Protocol, Settlement
from totalizator.core import clock


def copy_settled(pool: Pool, count: int) -> list[Pool]:
    """Write `count` settled pools like this one, each ended a day before the other, with protocol and settlement."""
    settlement, protocol = Settlement.objects.get(pool=pool), Protocol.objects.get(pool=pool)
    assert pool.closed_at is not None
    days = [timedelta(days=number) for number in range(1, count + 1)]
    copies = [
        _copied(pool, f"C-{number}", state=pool.state, closed_at=pool.closed_at - day)
        for number, day in enumerate(days, 1)
    ]
    made = Pool.objects.bulk_create(copies)
    Protocol.objects.bulk_create([Protocol(**_values_of(protocol, one)) for one in made])
    Settlement.objects.bulk_create([Settlement(**_values_of(settlement, one)) for one in made])
    return made


def copy_open(pool: Pool, count: int) -> list[Pool]:
    """Write `count` pools like this one that take bets, each closing an hour after the other."""
    copies = [
        _copied(pool, f"O-{number}", state=PoolState.OPEN, closes_at=clock.now() + timedelta(hours=number))
        for number in range(1, count + 1)
    ]
    return Pool.objects.bulk_create(copies)


def _copied(pool: Pool, code: str, **changes: object) -> Pool:
    document = json.loads(pool.terms_text)
    document["pool"]["code"] = code
    kept = {
        field.attname: getattr(pool, field.attname) for field in Pool._meta.concrete_fields if not field.primary_key
    }
    terms = {"code": code, "terms_text": json.dumps(document, ensure_ascii=False)}
    return Pool(**{**kept, **terms, **changes})


def _values_of(row: Protocol | Settlement, pool: Pool) -> dict[str, Any]:
    """The values of a row, of another pool."""
    kept = {field.attname: getattr(row, field.attname) for field in type(row)._meta.concrete_fields}
    return {**kept, "pool_id": pool.pk}
