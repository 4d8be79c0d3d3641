"""The report of a suspicious operation to the authority, on sheets of A4 (Q1)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from totalizator.core.money import format_byn
from totalizator.core.pdf_blocks import Column, facts, figures, paragraph, signatures, space, table
from totalizator.core.pdf_page import PageFrame, Strip, render_pages
from totalizator.core.sums_in_words import byn_in_words


@dataclass(frozen=True, slots=True)
class ReportedPerson:
    """Somebody who took part: the part, and what is known; empty where it is not."""

    part: str
    token: str
    full_name: str
    birth_date: str
    identity_number: str
    document: str


@dataclass(frozen=True, slots=True)
class SuspicionFacts:
    """All that the report shows; amounts in kopecks, times written for people."""

    operator: str
    number: str
    day: str
    sign: str
    subject: str
    raised: str
    rule: Sequence[tuple[str, str]]
    operations: Sequence[tuple[str, str, int]]
    people: Sequence[ReportedPerson]
    opinion: str
    reviewed_by: str
    decision: str
    decided_by: str
    digest: str
    made: str
    version: str

    @property
    def total(self) -> int:
        """The sum of the operations."""
        return sum(amount for _when, _reference, amount in self.operations)


def render_suspicion(report: SuspicionFacts) -> bytes:
    """Return the report as a PDF, in the language that is active; same facts, same bytes."""
    title = _("Report No. %(number)s of a suspicious operation") % {"number": report.number}
    frame = PageFrame(report.operator, title, report.day, report.made, report.version)
    return render_pages(frame, list(_strips(report)))


def _strips(report: SuspicionFacts) -> Iterator[Strip]:
    yield figures([(_("Operations"), str(len(report.operations))), (_("Together"), format_byn(report.total))])
    yield space(4)
    rows = [
        (_("What was noticed"), report.sign),
        (_("Subject"), report.subject),
        (_("When it was noticed"), report.raised),
    ]
    yield from facts(
        [*rows, *report.rule, (_("Sum in words"), byn_in_words(report.total)), (_("Digest"), report.digest[7:39])]
    )
    yield from _heading(_("Persons"))
    for person in report.people:
        yield from facts(_known(person))
        yield space(5)
    if not report.people:
        yield from paragraph(_("Nobody was identified."), size=9.5)
    yield from _heading(_("Operations"))
    columns = [Column(_("When"), 22), Column(_("Reference"), 56), Column(_("Amount"), 22, right=True)]
    lines = [(when, reference, format_byn(amount)) for when, reference, amount in report.operations]
    yield from table(columns, lines, totals=["", _("Together"), format_byn(report.total)])
    yield from _heading(_("Opinion and decision"))
    yield from facts([(report.reviewed_by, report.opinion), (report.decided_by, report.decision)])
    yield space(10)
    yield from signatures([report.reviewed_by, report.decided_by])


def _heading(text: str) -> Iterator[Strip]:
    yield space(12)
    yield from paragraph(text, size=12, bold=True, joined=True)
    yield space(4)


def _known(person: ReportedPerson) -> list[tuple[str, str]]:
    known = [
        (_("Full name"), person.full_name),
        (_("Born"), person.birth_date),
        (_("Identity number"), person.identity_number),
        (_("Document"), person.document),
    ]
    rows = [(person.part, person.token), *((name, value) for name, value in known if value)]
    return rows if len(rows) > 1 else [*rows, ("", _("known only by the digest of the identity number"))]
