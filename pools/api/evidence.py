"""The evidence of a result over the API (H4)."""

from typing import Any

from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.callers import person_asking
from accounts.api.staff.uploads import FileBody, content_of, read_form
from accounts.models import Role
from accounts.permissions import CommissionDecides
from pools.api.pools import announced
from pools.models import Evidence, Pool
from pools.services.commission import only_member
from pools.services.evidence import file_evidence, file_proposal
from pools.views.deciding import sent_evidence
from totalizator.core.api.bodies import Body, Instant, read_body
from totalizator.core.api.described import described
from totalizator.core.api.documents import Moment, instant
from totalizator.core.errors import Refusal

TAG = "Commission"
MOST_NUMBER = 2**63 - 1
BYTES = {"type": "string", "format": "binary"}
# What every act of a member may be refused with.
MEMBERS = (Refusal.NOT_FOUND, Refusal.WRONG_STATE, Refusal.CONFLICT)


class EvidenceBody(FileBody):
    """A file that a result is known from: PDF, JPEG, PNG or text."""

    condition = serializers.CharField(max_length=20, required=False, help_text="Its code; left out: the whole event.")
    source_name = serializers.CharField(max_length=200, help_text="Who says so.")
    address = serializers.CharField(max_length=500, required=False)
    captured_at = Instant()


class EvidenceDocument(serializers.Serializer[None]):
    """What is filed."""

    number = serializers.IntegerField()
    condition = serializers.CharField(allow_null=True)
    source_name = serializers.CharField()
    address = serializers.CharField(allow_blank=True)
    captured_at = Moment()
    digest = serializers.CharField(help_text="`sha256:` + hex, of the file.")
    filed_by = serializers.CharField()
    filed_at = Moment()


class EvidenceList(serializers.Serializer[None]):
    """All of it, the earliest first."""

    evidence = EvidenceDocument(many=True)


class FiledProposalBody(Body):
    """What a result feed said."""

    proposal = serializers.IntegerField(min_value=1, max_value=MOST_NUMBER, help_text="Its number.")


class PoolEvidence(APIView):
    """`commission/pools/{code}/evidence`."""

    permission_classes = (CommissionDecides,)
    parser_classes = (MultiPartParser,)

    @described(
        "evidence", "What a pool's result is known from", tag=TAG, answers={200: EvidenceList}, refused=(MEMBERS[0],)
    )
    def get(self, request: Request, code: str) -> Response:
        """List it."""
        pool = pool_of(request, code)
        filed = pool.evidence.select_related("filed_by").order_by("pk")
        return Response({"evidence": [_evidence(each) for each in filed]})

    @described(
        "evidence_file_new",
        "File evidence",
        tag=TAG,
        answers={201: EvidenceDocument},
        body=EvidenceBody,
        refused=MEMBERS,
    )
    def post(self, request: Request, code: str) -> Response:
        """File a file."""
        told = read_form(request, EvidenceBody)
        filed = file_evidence(
            code=announced(code).code,
            condition=told.get("condition", ""),
            source=told["source_name"],
            address=told.get("address", ""),
            captured_at=told["captured_at"],
            content=content_of(told["file"]),
            original_name=told["file"].name,
            filed_by=person_asking(request),
        )
        return Response(_evidence(filed), status=201)


class EvidenceFile(APIView):
    """`commission/pools/{code}/evidence/{number}`."""

    permission_classes = (CommissionDecides,)

    @described(
        "evidence_file",
        "A filed file",
        tag=TAG,
        answers={(200, "application/octet-stream"): BYTES},
        refused=(Refusal.NOT_FOUND, Refusal.EVIDENCE_CHANGED),
    )
    def get(self, request: Request, code: str, number: int) -> HttpResponseBase:
        """Send it, if it still is what was filed."""
        pool = pool_of(request, code)
        return sent_evidence(get_object_or_404(Evidence, pool=pool, pk=min(number, MOST_NUMBER)))


class FiledProposals(APIView):
    """`commission/pools/{code}/proposals`."""

    permission_classes = (CommissionDecides,)

    @described(
        "evidence_of_proposal",
        "File what a result feed said as evidence of the whole event",
        tag=TAG,
        answers={201: EvidenceDocument},
        body=FiledProposalBody,
        refused=MEMBERS,
    )
    def post(self, request: Request, code: str) -> Response:
        """File the feed's own file."""
        number = read_body(request, FiledProposalBody)["proposal"]
        filed = file_proposal(code=announced(code).code, number=number, filed_by=person_asking(request))
        return Response(_evidence(filed), status=201)


def pool_of(request: Request, code: str) -> Pool:
    """Return a pool to its own commission and to staff; :raises DomainError: NOT_ALLOWED for other members."""
    pool, person = announced(code), person_asking(request)
    if person.role == Role.COMMISSION:
        only_member(pool, person)
    return pool


def _evidence(filed: Evidence) -> dict[str, Any]:
    return {
        "number": filed.pk,
        "condition": filed.condition or None,
        "source_name": filed.source,
        "address": filed.address,
        "captured_at": instant(filed.captured_at),
        "digest": filed.digest,
        "filed_by": filed.filed_by.username,
        "filed_at": instant(filed.filed_at),
    }
