"""Examination certificates of tills and terminals (¶7)."""

from rest_framework import serializers

from accounts.api.staff.acts import Act, Listing, Told, Written
from accounts.api.staff.naming import found, till_at
from accounts.models import EquipmentCertificate, Terminal, Till, User
from accounts.services.equipment import register_certificate
from totalizator.core.api.bodies import Body, Day, Text
from totalizator.core.errors import Refusal

TAG = "Staff: equipment"


class CertificateBody(Body):
    """An examination certificate."""

    number = Text(max_length=60)
    valid_from = Day()
    valid_until = Day(help_text="The last day.")


class EquipmentCertificateDocument(serializers.Serializer[None]):
    """An examination certificate, and of what."""

    equipment = serializers.CharField(help_text="`P1/2`, or a terminal's serial number.")
    number = serializers.CharField()
    valid_from = serializers.DateField()
    valid_until = serializers.DateField()


def _of_till(staff: User, told: Told, code: str, number: int) -> Written:
    return _register(staff, told, till_at(code, number))


def _of_terminal(staff: User, told: Told, number: int) -> Written:
    return _register(staff, told, found(Terminal.objects.all(), pk=number))


def _register(staff: User, told: Told, equipment: Till | Terminal) -> Written:
    return _written(register_certificate(equipment=equipment, **told, by=staff))


def _written(certificate: EquipmentCertificate) -> Written:
    return {
        "equipment": str(certificate.till) if certificate.terminal is None else certificate.terminal.serial,
        "number": certificate.number,
        "valid_from": certificate.valid_from.isoformat(),
        "valid_until": certificate.valid_until.isoformat(),
    }


DECLARED = (
    Listing(
        path="certificates",
        name="staff_certificates",
        summary="Examination certificates, the latest first",
        tag=TAG,
        rows_name="certificates",
        row=EquipmentCertificateDocument,
        rows=lambda _query: EquipmentCertificate.objects.select_related("till__point", "terminal"),
        write=_written,
    ),
    Act(
        path="points/<label:code>/tills/<int:number>/certificates",
        name="staff_till_certify",
        summary="Register a till's examination certificate",
        tag=TAG,
        body=CertificateBody,
        answer=EquipmentCertificateDocument,
        do=_of_till,
        refused=(Refusal.NOT_FOUND,),
    ),
    Act(
        path="terminals/<int:number>/certificates",
        name="staff_terminal_certify",
        summary="Register a terminal's examination certificate",
        tag=TAG,
        body=CertificateBody,
        answer=EquipmentCertificateDocument,
        do=_of_terminal,
        refused=(Refusal.NOT_FOUND,),
    ),
)
