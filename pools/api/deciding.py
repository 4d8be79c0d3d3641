"""The commission's work over the API: conflicts, two entries, their differences, corrections (¶10, H1, H5)."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.callers import person_asking
from accounts.permissions import CommissionDecides
from pools.api.evidence import MEMBERS, MOST_NUMBER, TAG
from pools.api.pools import announced
from pools.services.conflicts import declare_conflict
from pools.services.differing import entries_side_by_side
from pools.services.result_entries import Difference
from pools.services.results import ResultProgress, correct_result, enter_result
from totalizator.core.api.bodies import Body, Text, read_body
from totalizator.core.api.described import described
from totalizator.core.api.documents import Moment, instant
from totalizator.core.errors import Refusal

ENTRY = (*MEMBERS, Refusal.SAME_PERSON, Refusal.EVIDENCE_MISSING)


class StatedReason(Body):
    """Why."""

    reason = Text(max_length=500)


class DeclaredDocument(serializers.Serializer[None]):
    """A declared conflict."""

    pool = serializers.CharField()
    reason = serializers.CharField()
    declared_at = Moment()


class EntryBody(Body):
    """What a member says the result is, as in result.json, and from what it is known."""

    result = serializers.DictField(
        help_text="`conditions`, `event_void`, `first_started_at` as in result.json; `void_reasons`: why, by condition,"
        " or under `event`."
    )
    evidence = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=MOST_NUMBER),
        required=False,
        max_length=1_000,
        help_text="Numbers of evidence; left out: all that is filed.",
    )


class CorrectionBody(EntryBody):
    """What the result should have been."""

    reason = Text(max_length=500)
    document = Text(max_length=200, help_text="The paper that says so.")


class ProgressDocument(serializers.Serializer[None]):
    """Where the entering stands; what the other entered is not told."""

    attempt = serializers.IntegerField()
    entries = serializers.IntegerField()
    differing = serializers.ListField(child=serializers.CharField())
    protocol = serializers.CharField(allow_null=True, help_text="Its number, once both agree.")


class DifferenceDocument(serializers.Serializer[None]):
    """One place where two entries differ."""

    place = serializers.CharField(help_text="A condition's code, `event_void` or `first_started_at`.")
    entered = serializers.ListField(child=serializers.JSONField(), help_text="In the order of `members`.")


class DifferencesDocument(serializers.Serializer[None]):
    """Two entries side by side."""

    attempt = serializers.IntegerField()
    members = serializers.ListField(child=serializers.CharField())
    differences = DifferenceDocument(many=True)


class PoolConflicts(APIView):
    """`commission/pools/{code}/conflicts`."""

    permission_classes = (CommissionDecides,)

    @described(
        "conflict_declare",
        "Declare that one must not decide this pool; it is not taken back",
        tag=TAG,
        answers={201: DeclaredDocument},
        body=StatedReason,
        refused=MEMBERS[:2],
    )
    def post(self, request: Request, code: str) -> Response:
        """Declare it."""
        reason = read_body(request, StatedReason)["reason"]
        declared = declare_conflict(code=announced(code).code, member=person_asking(request), reason=reason)
        told = {"pool": code, "reason": declared.reason, "declared_at": instant(declared.declared_at)}
        return Response(told, status=201)


class PoolEntries(APIView):
    """`commission/pools/{code}/entries`."""

    permission_classes = (CommissionDecides,)

    @described(
        "result_enter",
        "Enter the result; the second entry that agrees draws up the protocol",
        tag=TAG,
        answers={201: ProgressDocument},
        body=EntryBody,
        refused=ENTRY,
    )
    def post(self, request: Request, code: str) -> Response:
        """Enter it."""
        told = read_body(request, EntryBody)
        progress = enter_result(code=announced(code).code, member=person_asking(request), **told)
        return Response(_progress(progress), status=201)


class Corrections(APIView):
    """`commission/pools/{code}/corrections`."""

    permission_classes = (CommissionDecides,)

    @described(
        "result_correct",
        "Enter what the result should have been; the second entry that agrees draws up the next version (H5)",
        tag=TAG,
        answers={201: ProgressDocument},
        body=CorrectionBody,
        refused=ENTRY,
    )
    def post(self, request: Request, code: str) -> Response:
        """Enter it."""
        told = read_body(request, CorrectionBody)
        progress = correct_result(code=announced(code).code, member=person_asking(request), **told)
        return Response(_progress(progress), status=201)


class Differences(APIView):
    """`commission/pools/{code}/differences`."""

    permission_classes = (CommissionDecides,)

    @described(
        "differences",
        "Two entries side by side, to the two who made them, once both are there",
        tag=TAG,
        answers={200: DifferencesDocument},
        refused=(Refusal.NOT_FOUND,),
    )
    def get(self, request: Request, code: str) -> Response:
        """Show them."""
        shown = entries_side_by_side(announced(code), person_asking(request))
        return Response(
            {
                "attempt": shown.attempt,
                "members": [entry.member.username for entry in shown.entries],
                "differences": [_difference(each) for each in shown.differences],
            }
        )


def _progress(progress: ResultProgress) -> dict[str, Any]:
    return {
        "attempt": progress.attempt,
        "entries": progress.entries,
        "differing": list(progress.differing),
        "protocol": progress.protocol.number if progress.protocol is not None else None,
    }


def _difference(each: Difference) -> Mapping[str, Any]:
    return {"place": each.place, "entered": [each.one, each.other]}
