"""A player's page of income tax withheld: the winnings of a year, and its certificate (K5)."""

from dataclasses import dataclass

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from accounts.models import Verification
from accounts.permissions import PersonRequest, player_only
from accounts.services.game_accounts import open_game_account
from accounts.services.persons import person_of
from payouts.documents.tax_certificate import TaxCertificate, render_tax_certificate, tax_certificate_csv
from payouts.models import PaymentMethod
from payouts.queries.tax_register import TaxedPayment, taxed_payments
from payouts.services.tax_certificates import draw_up_certificate
from totalizator.core import clock
from totalizator.engine.deadlines import legal_day

LEAST_YEARS = 5


@dataclass(frozen=True, slots=True)
class ShownPayment:
    """A winning that was paid, and how."""

    payment: TaxedPayment
    how: str


@player_only
def tax(request: PersonRequest) -> HttpResponseBase:
    """Show what was won and withheld in a year, with the way to its certificate."""
    account = open_game_account(player=request.user)
    this_year, person = legal_day(clock.now()).year, person_of(request.user)
    first = min(legal_day(account.opened_at).year, this_year - LEAST_YEARS + 1)
    years = list(range(this_year, first - 1, -1))
    asked = request.GET.get("year", "")
    year = int(asked) if asked in map(str, years) else this_year
    paid = taxed_payments(person.pk, year)
    context = {
        "years": years,
        "year": year,
        "shown": [ShownPayment(each, str(PaymentMethod(each.method).label)) for each in paid],
        "gross": sum(each.gross for each in paid),
        "tax": sum(each.tax for each in paid),
        "net": sum(each.net for each in paid),
        "verified": Verification.objects.filter(person=person).exists(),
    }
    return render(request, "player/money/tax.html", context)


@player_only
def certificate(request: PersonRequest, year: int) -> HttpResponseBase:
    """Hand out the certificate of a year as a PDF."""
    return _file(render_tax_certificate(_drawn_up(request, year)), "application/pdf", f"{year}.pdf")


@player_only
def certificate_table(request: PersonRequest, year: int) -> HttpResponseBase:
    """Hand out the certificate of a year as CSV."""
    return _file(tax_certificate_csv(_drawn_up(request, year)), "text/csv; charset=utf-8", f"{year}.csv")


def _drawn_up(request: PersonRequest, year: int) -> TaxCertificate:
    open_game_account(player=request.user)
    return draw_up_certificate(person=person_of(request.user), year=year, asked_by=request.user)


def _file(content: bytes, kind: str, name: str) -> HttpResponse:
    disposition = f'attachment; filename="tax_{name}"'
    return HttpResponse(content, content_type=kind, headers={"Content-Disposition": disposition})
