"""What a list of results says of each pool: its right row, who won most, and the files that prove it."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pools.models import Computed, LogEntry, LogKind, Pool, Protocol
from pools.queries.corrections import all_in_force
from pools.queries.log_proofs import newest_head
from pools.views.log import LINES_A_PAGE


@dataclass(frozen=True, slots=True)
class ResultRow:
    """A pool that is over. `right` has a text for each condition, `–` for one that did not take place.

    `best` is the highest level that paid anything, as statement.json has it; `log_page` is where the public log shows
    its last line of this pool's money.
    """

    pool: Pool
    right: tuple[str, ...]
    statement: Mapping[str, Any] | None
    best: Mapping[str, Any] | None
    version: int | None
    protocol: int | None
    log_line: int | None
    log_page: int | None

    @property
    def returned(self) -> bool:
        """Whether every stake goes back."""
        return self.statement is not None and self.statement["refunds"] == self.statement["turnover"] > 0


def result_rows(pools: Sequence[Pool], *, with_log: bool = True) -> list[ResultRow]:
    """Return the rows of these pools, in five queries for any number of them, in three without the public log."""
    computed = all_in_force(pools)
    protocols = _protocols(pools, computed)
    lines = _log_lines([pool.code for pool in pools]) if with_log else {}
    newest = newest_head() if lines else None
    return [
        _row(pool, computed.get(pool.pk), protocols.get(pool.pk), lines.get(pool.code), newest.size if newest else 0)
        for pool in pools
    ]


def _row(pool: Pool, computed: Computed | None, protocol: Protocol | None, line: int | None, size: int) -> ResultRow:
    statement = json.loads(computed.statement_text) if computed is not None else None
    return ResultRow(
        pool,
        _right(pool, json.loads(protocol.document_text)) if protocol is not None else (),
        statement,
        _best(statement["levels"]) if statement is not None else None,
        computed.version if computed is not None else None,
        protocol.version if protocol is not None else None,
        line,
        (size - 1 - line) // LINES_A_PAGE + 1 if line is not None else None,
    )


def _protocols(pools: Sequence[Pool], computed: Mapping[int, Computed]) -> dict[int, Protocol]:
    """Return of each pool the sealed protocol that it is settled by; of one not settled yet the newest."""
    sealed = Protocol.objects.filter(pool__in=pools, sealed_at__isnull=False).order_by("pool_id", "version")
    found: dict[int, Protocol] = {}
    for protocol in sealed:
        settled = computed.get(protocol.pool_id)
        if settled is None or settled.version == protocol.version:
            found[protocol.pool_id] = protocol
    return found


def _log_lines(codes: Iterable[str]) -> dict[str, int]:
    """Return the last line of the public log that is about the money of each pool."""
    kinds = (LogKind.SETTLEMENT, LogKind.AMENDMENT)
    rows = LogEntry.objects.filter(subject__in=list(codes), kind__in=kinds).order_by("index")
    return dict(rows.values_list("subject", "index"))


def _right(pool: Pool, document: Mapping[str, Any]) -> tuple[str, ...]:
    outcomes = document.get("conditions") or {}
    right = (outcomes.get(condition.code, "void") for condition in pool.terms.conditions)
    return tuple("–" if codes == "void" else "+".join(codes) for codes in right)


def _best(levels: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """Return the highest level that paid; levels stand from the highest down."""
    return next((level for level in levels if level["paid"]), None)
