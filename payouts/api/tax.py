"""Tax withheld, over the API: the player's own certificate; the staff's register and anybody's certificate (K5)."""

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.views import APIView

from accounts.api.callers import person_asking
from accounts.api.staff.acts import Download, GivenFile, Told
from accounts.api.staff.answering import BYTES
from accounts.api.staff.naming import found
from accounts.models import Person, User
from accounts.permissions import ArePlayers
from accounts.services.persons import person_of
from payouts.documents.tax_certificate import render_tax_certificate, tax_certificate_csv
from payouts.services.tax_certificates import draw_up_certificate, draw_up_register, register_csv
from totalizator.core.api.bodies import Body, Day, read_query
from totalizator.core.api.described import described
from totalizator.core.errors import Refusal

TAG = "Tax"
_PDF, _CSV = "application/pdf", "text/csv"


class FormatQuery(Body):
    """On paper, or as a table."""

    as_table = serializers.BooleanField(required=False, default=False, help_text="CSV instead of PDF.")


class PeriodQuery(Body):
    """The legal days of the register, both included."""

    first = Day()
    last = Day()


class MyTaxCertificate(APIView):
    """`GET me/tax-certificates/{year}`."""

    permission_classes = (ArePlayers,)

    @described(
        "me_tax_certificate",
        "What I won in a year and what tax was withheld",
        tag=TAG,
        answers={(200, _PDF): BYTES, (200, _CSV): BYTES},
        query=FormatQuery,
        refused=(Refusal.NOT_FOUND,),
    )
    def get(self, request: Request, year: int) -> HttpResponse:
        """Send the certificate."""
        player = person_asking(request)
        given = _certificate(player, person_of(player), read_query(request, FormatQuery), year)
        return HttpResponse(given.content, content_type=given.media_type)


def _certificate(asked_by: User, person: Person, told: Told, year: int) -> GivenFile:
    certificate = draw_up_certificate(person=person, year=year, asked_by=asked_by)
    name = f"tax-{year}-{person.pk}"
    if told["as_table"]:
        return GivenFile(f"{name}.csv", tax_certificate_csv(certificate), _CSV)
    return GivenFile(f"{name}.pdf", render_tax_certificate(certificate), _PDF)


def _of_anybody(staff: User, told: Told, number: int, year: int) -> GivenFile:
    return _certificate(staff, found(Person.objects.all(), pk=number), told, year)


def _register(staff: User, told: Told) -> GivenFile:
    register = draw_up_register(**told, asked_by=staff)
    return GivenFile(f"tax-{told['first']}-{told['last']}.csv", register_csv(register), _CSV)


DECLARED = (
    Download(
        path="tax-register",
        name="staff_tax_register",
        summary="Tax withheld in a period, person by person, with what the ledger says",
        tag=TAG,
        media_types=(_CSV,),
        read=_register,
        query=PeriodQuery,
        refused=(),
    ),
    Download(
        path="persons/<int:number>/tax-certificates/<int:year>",
        name="staff_tax_certificate",
        summary="A person's certificate of a year",
        tag=TAG,
        media_types=(_PDF, _CSV),
        read=_of_anybody,
        query=FormatQuery,
    ),
)
