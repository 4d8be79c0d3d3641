"""The protocol of a result on paper: what was decided, from what evidence, who disagreed, who signed (¶10, ¶30, H2)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from django.utils.translation import gettext as _
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from totalizator.core.pdf import draw_qr
from totalizator.core.pdf_blocks import Column, facts, paragraph, space, table
from totalizator.core.pdf_page import LEFT, PageFrame, Strip, render_pages

_QR_SIDE: float = 34 * mm
_COLUMN = 26
"""Letters of a digest or a key that a column of a table has room for."""


@dataclass(frozen=True, slots=True)
class PrintedSignature:
    """Who signed with which key and when, and how the signature begins."""

    name: str
    key: str
    when: str
    begins: str


@dataclass(frozen=True, slots=True)
class PrintedEvidence:
    """What of the result one piece of evidence is about, who says so, when it was captured, the file's digest."""

    about: str
    source: str
    captured: str
    digest: str


@dataclass(frozen=True, slots=True)
class PrintedDissent:
    """What a member has to say against it; one beside it is signed apart from the document, with this key."""

    name: str
    words: str
    when: str
    key: str
    signature: str
    document: str

    @property
    def beside(self) -> bool:
        """Whether it is a statement of its own."""
        return bool(self.signature)


@dataclass(frozen=True, slots=True)
class ProtocolFacts:
    """All that the document shows; instants are written for people. An unsealed protocol has no `sealed`."""

    operator: str
    number: str
    pool: str
    heading: Sequence[tuple[str, str]]
    results: Sequence[tuple[str, str, str]]
    evidence: Sequence[PrintedEvidence]
    dissents: Sequence[PrintedDissent]
    members: Sequence[tuple[str, str]]
    signatures: Sequence[PrintedSignature]
    need: int
    sealed: str
    digest: str
    address: str


def render_protocol(told: ProtocolFacts) -> bytes:
    """Return the protocol as a PDF, in the language that is active; same facts, same bytes."""
    frame = PageFrame(
        operator=told.operator,
        title=_("Protocol of the result No. %(number)s") % {"number": told.number},
        period=told.pool,
        made=told.sealed or _("not sealed"),
        version=told.digest,
    )
    return render_pages(frame, list(_strips(told)))


def breakable(name: str, width: int = 39) -> str:
    """Let a long digest or key be broken after each `width` letters."""
    return " ".join(name[place : place + width] for place in range(0, len(name), width))


def _strips(told: ProtocolFacts) -> Iterator[Strip]:
    yield from facts(told.heading)
    yield from _titled(_("Result"))
    yield from table([Column("", 1), Column(_("Condition"), 8), Column(_("Right outcome"), 5)], told.results)
    yield from _titled(_("Known from"))
    yield from table(
        [
            Column(_("Condition"), 3),
            Column(_("Source"), 7),
            Column(_("Captured"), 4),
            Column(_("Digest of the file"), 7),
        ],
        [(each.about, each.source, each.captured, breakable(each.digest, _COLUMN)) for each in told.evidence],
    )
    yield from _dissents(told.dissents)
    yield from _titled(_("Commission"))
    yield from facts(told.members)
    yield from _titled(_("Signatures: %(given)s of %(need)s") % {"given": len(told.signatures), "need": told.need})
    yield from table(
        [Column(_("Member"), 5), Column(_("Key"), 6), Column(_("Time"), 5), Column(_("Signature begins"), 5)],
        [(each.name, breakable(each.key, _COLUMN), each.when, each.begins) for each in told.signatures],
        nothing=_("Nobody has signed yet."),
    )
    yield space(4 * mm)
    yield Strip(_QR_SIDE, partial(_draw_qr, told.address))
    yield from paragraph(told.address, size=8)


def _titled(title: str) -> Iterator[Strip]:
    yield space(4 * mm)
    yield from paragraph(title, size=12, bold=True, joined=True)


def _dissents(dissents: Sequence[PrintedDissent]) -> Iterator[Strip]:
    if not dissents:
        return
    yield from _titled(_("Dissenting opinions"))
    for each in dissents:
        said = _("signed apart, after the first signature") if each.beside else _("part of what all sign")
        yield from paragraph(f"{each.name}, {each.when} ({said})", size=8.5, joined=True)
        yield from paragraph(each.words)
        if each.beside:
            signed = _("Key %(key)s, document %(document)s, signature %(signature)s")
            names = {"key": each.key, "document": each.document, "signature": each.signature}
            yield from paragraph(signed % {what: breakable(name) for what, name in names.items()}, size=7)
        yield space(1.5 * mm)


def _draw_qr(address: str, canvas: Canvas, top: float) -> None:
    draw_qr(canvas, address, LEFT, top - _QR_SIDE, _QR_SIDE)
