"""Reading and signing a protocol over the API, dissent, lost keys, late annulments (¶10, ¶32, X5)."""

import json
from typing import Any

from django.http import Http404
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.callers import person_asking
from accounts.permissions import AreCommissionOrStaff, AreStaff
from pools.api.deciding import MEMBERS, TAG, ReasonBody, pool_of
from pools.api.pools import announced
from pools.models import LateAnnulment, Protocol, ProtocolDissent
from pools.services.dissents import MOST_LETTERS, dissent, dissents_from
from pools.services.late_annulments import note_late_annulment
from pools.services.lost_keys import approve_key_revocation, propose_key_revocation
from pools.services.protocols import document_digest, sign_protocol, signatures_under
from pools.services.sealing_outlook import pools_short_of_signers
from totalizator.core.api.bodies import Body, Text, read_body
from totalizator.core.api.described import described
from totalizator.core.api.documents import Moment, PublicFile, instant, instant_or_none
from totalizator.core.errors import Refusal

SIGNING = (
    *MEMBERS,
    Refusal.WRONG_CODE,
    Refusal.RESULT_MISMATCH,
    Refusal.EVIDENCE_CHANGED,
    Refusal.SAME_PERSON,
    Refusal.BAD_SIGNATURE,
)


class SignatureBody(Body):
    """The document that was read, and what opens one's own key."""

    read = Text(max_length=71, help_text="`digest` of the protocol as it was read.")
    passphrase = Text(max_length=1_000, trim_whitespace=False)


class DissentBody(Body):
    """Why one disagrees."""

    words = Text(max_length=MOST_LETTERS)
    passphrase = Text(max_length=1_000, trim_whitespace=False)


class GivenSignature(serializers.Serializer[None]):
    """One signature."""

    member = serializers.CharField()
    key = serializers.CharField()
    signed_at = Moment()


class GivenDissent(serializers.Serializer[None]):
    """One dissent."""

    member = serializers.CharField()
    words = serializers.CharField()
    said_at = Moment()
    beside = serializers.BooleanField(help_text="Signed apart, after the first signature.")


class StandingDocument(serializers.Serializer[None]):
    """The newest version of a protocol."""

    number = serializers.CharField()
    version = serializers.IntegerField()
    digest = serializers.CharField(help_text="Of the document: what a signature names.")
    document = PublicFile(help_text="result.json without signatures: exactly what is signed.")
    sealed_at = Moment(allow_null=True)
    signatures = GivenSignature(many=True)
    dissents = GivenDissent(many=True)


class SealedDocument(serializers.Serializer[None]):
    """What a signature did."""

    sealed = serializers.BooleanField()


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


class StandingProtocol(APIView):
    """`commission/pools/{code}/protocol`."""

    permission_classes = (AreCommissionOrStaff,)

    @described(
        "standing_protocol",
        "The newest version of a pool's protocol, to be read before signing",
        tag=TAG,
        answers={200: StandingDocument},
        refused=(Refusal.NOT_FOUND,),
    )
    def get(self, request: Request, code: str) -> Response:
        """Show it."""
        protocol = pool_of(request, code).protocols.order_by("-version").first()
        if protocol is None:
            raise Http404
        return Response(_standing(protocol))


class Signatures(APIView):
    """`commission/pools/{code}/signatures`."""

    permission_classes = (AreCommissionOrStaff,)

    @described(
        "protocol_sign",
        "Sign the protocol that was read; the last needed signature seals it",
        tag=TAG,
        answers={201: SealedDocument},
        body=SignatureBody,
        refused=SIGNING,
    )
    def post(self, request: Request, code: str) -> Response:
        """Sign."""
        told = read_body(request, SignatureBody)
        sealed = sign_protocol(code=announced(code).code, member=person_asking(request), **told)
        return Response({"sealed": sealed}, status=201)


class Dissents(APIView):
    """`commission/pools/{code}/dissents`."""

    permission_classes = (AreCommissionOrStaff,)

    @described(
        "protocol_dissent",
        "Say why one disagrees: in the document until the first signature, beside it later",
        tag=TAG,
        answers={201: GivenDissent},
        body=DissentBody,
        refused=(*MEMBERS, Refusal.WRONG_CODE, Refusal.RESULT_MISMATCH),
    )
    def post(self, request: Request, code: str) -> Response:
        """Record it."""
        told = read_body(request, DissentBody)
        said = dissent(code=announced(code).code, member=person_asking(request), **told)
        return Response(_dissent(said), status=201)


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
        body=ReasonBody,
        refused=MEMBERS[:2],
    )
    def post(self, request: Request, key_id: str) -> Response:
        """Propose it."""
        reason = read_body(request, ReasonBody)["reason"]
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
        key = approve_key_revocation(key_id=key_id, number=min(number, 2**63 - 1), approved_by=person_asking(request))
        return Response({"number": number, "key": key_id, "revoked_at": instant_or_none(key.revoked_at)}, status=201)


def _standing(protocol: Protocol) -> dict[str, Any]:
    given = signatures_under(protocol).select_related("key__member").order_by("signed_at")
    return {
        "number": protocol.number,
        "version": protocol.version,
        "digest": document_digest(protocol),
        "document": json.loads(protocol.document_text),
        "sealed_at": instant_or_none(protocol.sealed_at),
        "signatures": [
            {"member": each.key.member.username, "key": each.key_id, "signed_at": instant(each.signed_at)}
            for each in given
        ],
        "dissents": [_dissent(said) for said in dissents_from(protocol)],
    }


def _dissent(said: ProtocolDissent) -> dict[str, Any]:
    return {
        "member": said.member.username,
        "words": said.words,
        "said_at": instant(said.said_at),
        "beside": bool(said.signature),
    }


def _annulment(noted: LateAnnulment) -> dict[str, Any]:
    return {
        "condition": noted.condition or None,
        "reason": noted.reason,
        "document": noted.document,
        "noted_at": instant(noted.noted_at),
    }
