"""The documents of a point: filed, read again, and what ends soon (¶7, ¶9.4)."""

from datetime import date
from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.staff.acts import Act, Download, GivenFile, Listing, Told, Written
from accounts.api.staff.naming import found, point_at
from accounts.api.staff.uploads import FileBody, content_of
from accounts.models import DocumentKind, PointDocument, User
from accounts.permissions import AreStaff
from accounts.queries.point_documents import expiring
from accounts.services.point_documents import file_document, read_document
from totalizator.core import clock
from totalizator.core.api.bodies import Day, Text
from totalizator.core.api.described import described
from totalizator.core.api.documents import Moment, instant
from totalizator.core.errors import Refusal
from totalizator.core.legal import legal_number

TAG = "Staff: points"


class PaperBody(FileBody):
    """A scan (PDF, JPEG or PNG), and what it is of."""

    kind = serializers.ChoiceField(DocumentKind.choices)
    number = Text(max_length=100)
    valid_from = Day()
    valid_until = Day(required=False, help_text="The last day; without an end unless told.")


class Paper(serializers.Serializer[None]):
    """A filed document."""

    id = serializers.IntegerField()
    point = serializers.CharField()
    kind = serializers.ChoiceField(DocumentKind.choices)
    number = serializers.CharField()
    valid_from = serializers.DateField()
    valid_until = serializers.DateField(allow_null=True)
    digest = serializers.CharField()
    filed_by = serializers.CharField()
    filed_at = Moment()


class EndingSoon(serializers.Serializer[None]):
    """What ends, and its last day; null when it is not there at all."""

    subject = serializers.CharField(help_text="`point:P1`, `till:3`, `terminal:5`, `agent:2`, `organizer`.")
    what = serializers.CharField(help_text="`document:licence`, `certificate:C-1`, `contract:A-1`, `agreement:B-1`.")
    last_day = serializers.DateField(allow_null=True)


class AllEndingSoon(serializers.Serializer[None]):
    """All that ends soon, has ended, or is missing."""

    ending = EndingSoon(many=True)


class WhatEnds(APIView):
    """`GET staff/expiries`."""

    permission_classes = (AreStaff,)

    @described(
        "staff_expiries",
        "What ends in the next 30 days, has ended, or is missing: documents, certificates, contracts, agreements",
        tag=TAG,
        answers={200: AllEndingSoon},
        about="The number of days is a dated setting (`expiry_warning_days`).",
    )
    def get(self, request: Request) -> Response:  # noqa: ARG002
        """List them."""
        day = clock.today()
        ending = expiring(day, within=int(legal_number("expiry_warning_days", day)))
        listed = [{"subject": each.subject, "what": each.what, "last_day": _day(each.last_day)} for each in ending]
        return Response({"ending": listed})


def _papers() -> QuerySet[PointDocument]:
    return PointDocument.objects.select_related("point", "filed_by")


def _of_point(query: Told, code: str) -> QuerySet[PointDocument]:  # noqa: ARG001
    return _papers().filter(point=point_at(code))


def _file(staff: User, told: Told, code: str) -> Written:
    about: dict[str, Any] = dict(told)
    file = about.pop("file")
    about["kind"] = DocumentKind(about["kind"])
    about.setdefault("valid_until", None)
    point = point_at(code)
    document = file_document(point=point, **about, content=content_of(file), original_name=str(file.name), by=staff)
    return _written(document)


def _scan(staff: User, told: Told, number: int) -> GivenFile:  # noqa: ARG001
    document = found(_papers(), pk=number)
    ending = str(document.file.name).rpartition(".")[2]
    return GivenFile(f"{document.point.code}-{document.kind}.{ending}", read_document(document), document.content_type)


def _day(day: date | None) -> str | None:
    return day.isoformat() if day is not None else None


def _written(document: PointDocument) -> Written:
    return {
        "id": document.pk,
        "point": document.point.code,
        "kind": document.kind,
        "number": document.number,
        "valid_from": document.valid_from.isoformat(),
        "valid_until": _day(document.valid_until),
        "digest": document.digest,
        "filed_by": document.filed_by.username,
        "filed_at": instant(document.filed_at),
    }


DECLARED = (
    Listing(
        path="points/<label:code>/papers",
        name="staff_papers",
        summary="A point's documents, the latest filed first",
        tag=TAG,
        rows_name="papers",
        row=Paper,
        rows=_of_point,
        write=_written,
    ),
    Act(
        path="points/<label:code>/papers",
        name="staff_paper_file",
        summary="File a document of a point: from its first day on it counts instead of those before",
        tag=TAG,
        body=PaperBody,
        answer=Paper,
        do=_file,
        refused=(Refusal.NOT_FOUND,),
        is_upload=True,
    ),
    Download(
        path="papers/<int:number>/scan",
        name="staff_paper_scan",
        summary="The scan of a document",
        tag=TAG,
        media_types=("application/pdf", "image/jpeg", "image/png"),
        read=_scan,
    ),
)
