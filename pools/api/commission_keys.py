"""Lost keys, pools that nobody can seal any more, and late annulments over the API (¶10, ¶32, X5)."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.callers import person_asking
from accounts.permissions import AreCommissionOrStaff, AreStaff
from pools.api.deciding import StatedReason
from pools.api.evidence import MEMBERS, MOST_NUMBER, TAG, pool_of
from pools.models import LateAnnulment
from pools.services.late_annulments import note_late_annulment
from pools.services.lost_keys import approve_key_revocation, propose_key_revocation
from pools.services.sealing_outlook import pools_short_of_signers
from totalizator.core.api.bodies import Body, Text, read_body
from totalizator.core.api.described import described
from totalizator.core.api.documents import Moment, instant, instant_or_none
from totalizator.core.errors import Refusal


class AnnulmentBody(Body):
    """What was annulled once the pool was settled."""

    condition = Text(max_length=20, required=False, help_text="Its code; left out: the whole event.")
    reason = Text(max_length=500)
    document = Text(max_length=200)


class AnnulmentDocument(serializers.Serializer[None]):
    """A late annulment. It changes nothing (¶32)."""

    condition = serializers.CharField(allow_null=True)
    reason = serializers.CharField()
    document = serializers.CharField()
    noted_at = Moment()


class AnnulmentList(serializers.Serializer[None]):
    """All of a pool."""

    annulments = AnnulmentDocument(many=True)


class ShortPool(serializers.Serializer[None]):
    """A pool that nobody can seal any more."""

    pool = serializers.CharField()
    able = serializers.ListField(child=serializers.CharField(), help_text="Keys that can still sign.")
    need = serializers.IntegerField()


class ShortPools(serializers.Serializer[None]):
    """Such pools."""

    pools = ShortPool(many=True)


class RevocationDocument(serializers.Serializer[None]):
    """A proposal to revoke a key, or what became of it."""

    number = serializers.IntegerField()
    key = serializers.CharField()
    revoked_at = Moment(allow_null=True)


class LateAnnulments(APIView):
    """`commission/pools/{code}/annulments`."""

    permission_classes = (AreCommissionOrStaff,)

    @described(
        "late_annulments",
        "Results annulled once the pool was settled",
        tag=TAG,
        answers={200: AnnulmentList},
        refused=(Refusal.NOT_FOUND,),
    )
    def get(self, request: Request, code: str) -> Response:
        """List them."""
        noted = pool_of(request, code).late_annulments.order_by("pk")
        return Response({"annulments": [_annulment(each) for each in noted]})

    @described(
        "late_annulment_note",
        "Note that a result was annulled once the pool was settled; nothing changes (¶32)",
        tag=TAG,
        answers={201: AnnulmentDocument},
        body=AnnulmentBody,
        refused=MEMBERS[:2],
    )
    def post(self, request: Request, code: str) -> Response:
        """Note it."""
        told = {"condition": "", **read_body(request, AnnulmentBody)}
        pool = pool_of(request, code)
        return Response(_annulment(note_late_annulment(code=pool.code, noted_by=person_asking(request), **told)), 201)


class ShortOfSigners(APIView):
    """`commission/pools/short-of-signers`."""

    permission_classes = (AreStaff,)

    @described(
        "short_of_signers",
        "Pools that nobody can seal any more, as keys were revoked or conflicts declared",
        tag=TAG,
        answers={200: ShortPools},
    )
    def get(self, request: Request) -> Response:  # noqa: ARG002
        """List them."""
        short = [
            {"pool": pool.code, "able": list(outlook.able), "need": outlook.need}
            for pool, outlook in pools_short_of_signers()
        ]
        return Response({"pools": short})


class KeyRevocations(APIView):
    """`commission/keys/{key_id}/revocation`."""

    permission_classes = (AreStaff,)

    @described(
        "key_revocation_propose",
        "Propose to revoke a lost key; another person approves",
        tag=TAG,
        answers={201: RevocationDocument},
        body=StatedReason,
        refused=MEMBERS[:2],
    )
    def post(self, request: Request, key_id: str) -> Response:
        """Propose it."""
        reason = read_body(request, StatedReason)["reason"]
        proposal = propose_key_revocation(key_id=key_id, reason=reason, proposed_by=person_asking(request))
        return Response({"number": proposal.pk, "key": key_id, "revoked_at": None}, status=201)


class KeyRevocationApprovals(APIView):
    """`commission/keys/{key_id}/revocation/{number}/approval`."""

    permission_classes = (AreStaff,)

    @described(
        "key_revocation_approve",
        "Revoke a lost key as another person proposed",
        tag=TAG,
        answers={201: RevocationDocument},
        body=Body,
        refused=(*MEMBERS[:2], Refusal.SAME_PERSON),
    )
    def post(self, request: Request, key_id: str, number: int) -> Response:
        """Revoke it."""
        read_body(request, Body)
        key = approve_key_revocation(key_id=key_id, number=min(number, MOST_NUMBER), approved_by=person_asking(request))
        return Response({"number": number, "key": key_id, "revoked_at": instant_or_none(key.revoked_at)}, status=201)


def _annulment(noted: LateAnnulment) -> dict[str, Any]:
    return {
        "condition": noted.condition or None,
        "reason": noted.reason,
        "document": noted.document,
        "noted_at": instant(noted.noted_at),
    }
