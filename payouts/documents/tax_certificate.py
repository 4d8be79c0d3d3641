"""The yearly certificate of winnings paid and tax withheld: for the person, on A4 and as a table (K5)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from totalizator.core.csv_text import csv_bytes
from totalizator.core.money import format_byn
from totalizator.core.pdf_blocks import Column, facts, figures, signatures, space, table
from totalizator.core.pdf_page import PageFrame, Strip, render_pages


@dataclass(frozen=True, slots=True)
class TaxedRow:
    """One winning; amounts in kopecks, `paid` written for people."""

    paid: str
    ticket: str
    how: str
    gross: int
    tax: int
    net: int


@dataclass(frozen=True, slots=True)
class TaxCertificate:
    """All that a certificate shows."""

    operator: str
    year: int
    number: str
    full_name: str
    identity_number: str
    rows: Sequence[TaxedRow]
    made: str
    version: str

    @property
    def gross(self) -> int:
        """All that was won."""
        return sum(row.gross for row in self.rows)

    @property
    def tax(self) -> int:
        """All that was withheld."""
        return sum(row.tax for row in self.rows)


def render_tax_certificate(certificate: TaxCertificate) -> bytes:
    """Return the certificate as a PDF, in the language that is active; same facts, same bytes."""
    frame = PageFrame(
        operator=certificate.operator,
        title=_("Certificate of winnings and tax withheld No. %(number)s") % {"number": certificate.number},
        period=_("for the year %(year)s") % {"year": certificate.year},
        made=certificate.made,
        version=certificate.version,
    )
    return render_pages(frame, list(_strips(certificate)))


def tax_certificate_csv(certificate: TaxCertificate) -> bytes:
    """Return the certificate as CSV, in the language that is active; its last row is the total."""
    heading = [_("Paid"), _("Ticket"), _("How"), _("Winning"), _("Tax withheld"), _("Paid out")]
    rows: list[list[str | int]] = [[*heading]]
    rows += [[row.paid, row.ticket, row.how, row.gross, row.tax, row.net] for row in certificate.rows]
    rows.append([_("In all"), "", "", certificate.gross, certificate.tax, certificate.gross - certificate.tax])
    return csv_bytes(rows)


def _strips(certificate: TaxCertificate) -> Iterator[Strip]:
    paid = certificate.gross - certificate.tax
    yield figures(
        [
            (_("Winnings"), format_byn(certificate.gross)),
            (_("Income tax withheld"), format_byn(certificate.tax)),
            (_("Paid out"), format_byn(paid)),
        ]
    )
    yield space(4)
    yield from facts([(_("Name"), certificate.full_name), (_("Identity number"), certificate.identity_number)])
    yield space(8)
    columns = [
        Column(_("Paid"), 17),
        Column(_("Ticket"), 27),
        Column(_("Winning"), 17, right=True),
        Column(_("Tax withheld"), 17, right=True),
        Column(_("Paid out"), 17, right=True),
    ]
    yield from table(
        columns,
        [
            [row.paid, f"{row.ticket}\n{row.how}", format_byn(row.gross), format_byn(row.tax), format_byn(row.net)]
            for row in certificate.rows
        ],
        totals=["", _("In all"), format_byn(certificate.gross), format_byn(certificate.tax), format_byn(paid)],
    )
    yield from signatures([_("For the organizer")])
