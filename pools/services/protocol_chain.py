"""The chain of protocols: what each names as the one before it, found again by its digest in the public log (H2)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pools.models import (
    AbandonedCorrection,
    LogEntry,
    LogKind,
    Pool,
    Protocol,
    ProtocolDissent,
    ProtocolSignature,
    ResultEntry,
)
from pools.snapshots.result import signed_document
from totalizator.engine.canonical import digest, json_file, parse_json


@dataclass(frozen=True, slots=True)
class Before:
    """The protocol whose digest another one names; `line` is that of the public log that has it, None if unsealed."""

    number: str
    code: str
    version: int
    line: int | None


@dataclass(frozen=True, slots=True)
class Link:
    """One version of a protocol in its chain.

    `digest`: what the next one names it by. `previous`: what it names itself; `before`: whose digest that is, None
    when no published protocol and no version of this pool has it. `standing` is `sealed`, `signing`, `given-up` or
    `replaced`.
    """

    pool: Pool
    protocol: Protocol
    digest: str
    previous: str | None
    before: Before | None
    line: int | None
    standing: str
    signatures: Sequence[ProtocolSignature]
    dissents: Sequence[ProtocolDissent]
    corrections: Sequence[ResultEntry]


def chain_of(pools: Sequence[Pool]) -> dict[int, list[Link]]:
    """Return the versions of each pool's protocol, the newest first, in as many questions for one pool as for many."""
    versions = _by(Protocol.objects.filter(pool__in=pools).order_by("-version"), "pool_id")
    of_versions = _Versions(pools)
    named = {each.pk: of_versions.digest(each) for group in versions.values() for each in group}
    previous = {each.pk: _previous(each) for group in versions.values() for each in group}
    logged = _logged({*named.values(), *(name for name in previous.values() if name)})
    chain: dict[int, list[Link]] = {}
    for pool in pools:
        group = versions[pool.pk]
        unsealed = {
            named[each.pk]: Before(each.number, pool.code, each.version, None)
            for each in group
            if each.sealed_at is None
        }
        published = {name: _published(entry) for name, entry in logged.items()}
        known = unsealed | published
        chain[pool.pk] = [
            Link(
                pool=pool,
                protocol=each,
                digest=named[each.pk],
                previous=previous[each.pk],
                before=known.get(previous[each.pk] or ""),
                line=logged[named[each.pk]].index if named[each.pk] in logged else None,
                standing=of_versions.standing(each, newest=each is group[0]),
                signatures=of_versions.signatures[each.pk],
                dissents=of_versions.dissents[each.pk],
                corrections=[entry for entry in of_versions.entries[pool.pk] if entry.attempt == each.attempt],
            )
            for each in group
        ]
    return chain


class _Versions:
    """What stands under and beside the versions of these pools."""

    def __init__(self, pools: Sequence[Pool]) -> None:
        signed = ProtocolSignature.objects.filter(pool__in=pools).select_related("key__member")
        self.signatures = _of_version(signed.order_by("signed_at", "key_id"))
        said = ProtocolDissent.objects.filter(pool__in=pools).select_related("member")
        self.dissents = _of_version(said.order_by("said_at"))
        corrections = ResultEntry.objects.filter(pool__in=pools, corrects__gt=0).select_related("member")
        self.entries = _by(corrections.order_by("entered_at"), "pool_id")
        given_up = AbandonedCorrection.objects.filter(pool__in=pools)
        self.given_up = set(given_up.values_list("pool_id", "version"))

    def digest(self, protocol: Protocol) -> str:
        """Return what the next protocol names this one by: as published, or if never sealed as it was to be signed."""
        if protocol.sealed_at is None:
            return digest(protocol.document_text.encode())
        return digest(json_file(signed_document(protocol, self.signatures[protocol.pk])))

    def standing(self, protocol: Protocol, *, newest: bool) -> str:
        """Tell what became of a version."""
        if protocol.sealed_at is not None:
            return "sealed"
        if (protocol.pool_id, protocol.version) in self.given_up:
            return "given-up"
        return "signing" if newest else "replaced"


def _previous(protocol: Protocol) -> str | None:
    document: Mapping[str, Any] = parse_json(protocol.document_text.encode(), where="result.json")
    previous: str | None = document["protocol"]["previous"]
    return previous


def _logged(names: set[str]) -> dict[str, LogEntry]:
    """Return the lines of the public log that have these documents; it holds a few lines a pool."""
    kinds = (LogKind.PROTOCOL, LogKind.CORRECTION)
    return {entry.digest: entry for entry in LogEntry.objects.filter(digest__in=names, kind__in=kinds)}


def _published(entry: LogEntry) -> Before:
    return Before(f"{entry.subject}/{entry.version}", entry.subject, entry.version, entry.index)


def _of_version(rows: Iterable[Any]) -> Mapping[Any, list[Any]]:
    found: dict[Any, list[Any]] = defaultdict(list)
    for row in rows:
        found[row.pool_id, row.version].append(row)
    return found


def _by(rows: Iterable[Any], name: str) -> Mapping[Any, list[Any]]:
    found: dict[Any, list[Any]] = defaultdict(list)
    for row in rows:
        found[getattr(row, name)].append(row)
    return found
