"""Reading and signing a protocol over the API, and dissent (¶10, X5)."""

import json
from typing import Any

from django.http import Http404
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.callers import person_asking
from accounts.permissions import CommissionDecides
from pools.api.evidence import MEMBERS, TAG, pool_of
from pools.api.pools import announced
from pools.models import Protocol, ProtocolDissent
from pools.services.dissents import MOST_LETTERS, dissent, dissents_from
from pools.services.protocols import document_digest, sign_protocol, signatures_under
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


class StandingProtocol(APIView):
    """`commission/pools/{code}/protocol`."""

    permission_classes = (CommissionDecides,)

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

    permission_classes = (CommissionDecides,)

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

    permission_classes = (CommissionDecides,)

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
