"""Drawing up a protocol on paper, in the reader's language."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from accounts.models import User
from pools.documents.protocol import (
    PrintedDissent,
    PrintedEvidence,
    PrintedSignature,
    ProtocolFacts,
    breakable,
    render_protocol,
)
from pools.models import Game, Pool, Protocol, ProtocolSignature
from pools.services.dissents import dissents_from
from pools.services.protocols import document_digest, signatures_under
from pools.snapshots.result import result_file
from totalizator.core.localtime import LEGAL_ZONE, local_text, zone_name
from totalizator.core.names import localized
from totalizator.engine.announced import Condition
from totalizator.engine.canonical import digest, parse_json
from totalizator.engine.result import VOID

_SHOWN_LETTERS = 16


def protocol_pdf(pool: Pool, protocol: Protocol, *, address: str) -> bytes:
    """Return one version of the pool's protocol as a PDF; same state, language and address, same bytes.

    `address`: where the result is public, for the code on the paper.
    """
    return render_protocol(protocol_facts(pool, protocol, address=address))


def protocol_facts(pool: Pool, protocol: Protocol, *, address: str = "") -> ProtocolFacts:
    """Return all that the paper says, in the reader's language: a page that shows this reads the same."""
    document = parse_json(protocol.document_text.encode(), where="result.json")
    signatures = list(signatures_under(protocol).select_related("key__member").order_by("signed_at", "key_id"))
    quorum, signed = pool.terms.quorum, document_digest(protocol)
    return ProtocolFacts(
        operator=settings.OPERATOR_NAME,
        number=protocol.number,
        pool=localized(pool.terms.pool.name),
        heading=list(_heading(pool, protocol, document)),
        results=list(_results(pool, document)),
        evidence=[_evidence(pool, each) for each in document["protocol"]["evidence"]],
        dissents=[
            PrintedDissent(name_of(said.member), said.words, _moment(said.said_at), said.key_id, said.signature, signed)
            for said in dissents_from(protocol)
        ],
        members=list(_members(pool)),
        signatures=[_signature(each) for each in signatures],
        need=quorum.need if quorum is not None else 0,
        sealed=_("Sealed %(time)s") % {"time": _moment(protocol.sealed_at)} if protocol.sealed_at else "",
        digest=digest(result_file(protocol)),
        address=address,
    )


def name_of(person: User) -> str:
    """Name a person on paper."""
    return person.get_full_name() or person.username


def _heading(pool: Pool, protocol: Protocol, document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield _("Game"), str(Game(pool.game).label)
    yield _("Pool"), pool.code
    yield _("Drawn up"), _moment(protocol.drawn_up_at)
    if document["first_started_at"]:
        yield _("Actual start"), _moment(datetime.fromisoformat(document["first_started_at"]))
    if document["event_void"]:
        yield _("The event"), _("did not take place: every stake is returned in full (¶32)")
    yield _("Digest of the result"), breakable(document["protocol"]["digest"])
    yield _("Digest of what is signed"), breakable(document_digest(protocol))
    yield _("Protocol before it"), breakable(document["protocol"]["previous"] or "–")


def _results(pool: Pool, document: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    for number, condition in enumerate(pool.terms.conditions, 1):
        right = document["conditions"].get(condition.code, VOID)
        yield str(number), localized(condition.name), _right(condition, right)


def _right(condition: Condition, right: Any) -> str:
    if right == VOID:
        return _("did not take place")
    named = [outcome for outcome in condition.outcomes if outcome.code in right]
    return ", ".join(f"{outcome.code} {localized(outcome.name)}".strip() for outcome in named)


def _evidence(pool: Pool, each: dict[str, str]) -> PrintedEvidence:
    names = {condition.code: localized(condition.name) for condition in pool.terms.conditions}
    captured = each.get("captured_at")
    return PrintedEvidence(
        about=names[each["condition"]] if "condition" in each else _("the whole event"),
        source=each["source"],
        captured=_moment(datetime.fromisoformat(captured)) if captured else "",
        digest=each.get("digest", ""),
    )


def _members(pool: Pool) -> Iterator[tuple[str, str]]:
    for row in pool.members.select_related("member").order_by("-chair", "member_id"):
        yield _("Chair") if row.chair else _("Member"), name_of(row.member)


def _signature(each: ProtocolSignature) -> PrintedSignature:
    return PrintedSignature(
        name_of(each.key.member), each.key_id, _moment(each.signed_at), f"{each.signature[:_SHOWN_LETTERS]}…"
    )


def _moment(instant: datetime) -> str:
    return f"{local_text(instant, with_seconds=True)} {zone_name(LEGAL_ZONE)}"
