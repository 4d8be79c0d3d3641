"""Proofs as people read them: the climb from a leaf to a root, and the list of late bets (X2, X7)."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render

from pools.models import Bet, Computed, LogEntry, LogKind, Pool
from pools.queries.corrections import in_force
from pools.snapshots.pool_archives import archived_bet, is_archived
from pools.snapshots.result import protocol_of, result_document
from pools.views.reading import pool_or_404
from totalizator.core.paging import page_of
from totalizator.engine.merkle import node_hash
from totalizator.engine.merkle_proofs import inclusion_ranges

LATE_A_PAGE = 100


@dataclass(frozen=True, slots=True)
class Step:
    """One step from a leaf towards the root: the sibling, on which side it stands, and the hash of both; in hex."""

    left: bool
    sibling: str
    node: str


def climb(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> Iterator[Step]:
    """Go from the leaf at `index` of `size` leaves along a path that is known to be right."""
    start, node = index, leaf
    for (first, _end), sibling in zip(inclusion_ranges(index, size), path, strict=True):
        left = first < start
        node = node_hash(sibling, node) if left else node_hash(node, sibling)
        start = min(start, first)
        yield Step(left, sibling.hex(), node.hex())


def official(pool: Pool) -> Computed | None:
    """Return how the pool is settled by now, officially, corrected if it was: what is in it, is public."""
    return in_force(pool)


def commitment_line(pool: Pool) -> LogEntry | None:
    """Return the line of the public log that fixed the pool's bets."""
    return LogEntry.objects.filter(subject=pool.code, kind=LogKind.COMMITMENT).first()


def late_bets(request: HttpRequest, code: str) -> HttpResponseBase:
    """List every bet made at or after the actual start, won or lost, with what is known of the start (D-16, X7)."""
    pool = pool_or_404(request, code)
    settlement = official(pool)
    if settlement is None:
        raise Http404
    protocol = protocol_of(settlement)
    document = result_document(protocol)
    tickets = json.loads(settlement.statement_text)["late"]
    page = page_of(request, tickets, LATE_A_PAGE)
    context = {
        "pool": pool,
        "page": page,
        "late": len(tickets),
        "bets": _bets_of(pool, list(page.object_list)),
        "started_at": document["first_started_at"],
        "evidence": document["protocol"].get("evidence") or [],
        "protocol": protocol,
        "line": commitment_line(pool),
    }
    return render(request, "pools/late.html", context)


def _bets_of(pool: Pool, tickets: Sequence[str]) -> Sequence[Bet]:
    if is_archived(pool):
        return [bet for bet in (archived_bet(pool, ticket) for ticket in tickets) if bet is not None]
    return list(Bet.objects.filter(pool=pool, ticket__in=tickets).order_by("ticket"))
