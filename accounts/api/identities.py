"""Who a player is: told by the player, compared by staff with the document, one account a person (¶35.3, E1)."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.callers import account_named, person_asking
from accounts.api.persons import PersonBody
from accounts.models import AccountState, GameAccount, TraitKind, VerificationMethod
from accounts.permissions import AreDeskPeople, ArePlayers, AreStaff
from accounts.queries.duplicates import Likeness, likely_duplicates
from accounts.services.identity import record_identity, refuse_other_document, verify_identity
from totalizator.core.api.bodies import Body, Text, read_body
from totalizator.core.api.described import described
from totalizator.core.api.documents import Moment, instant
from totalizator.core.errors import Refusal

TAG = "Identity"


class IdentityBody(PersonBody):
    """What the player's document says."""

    full_name = Text(max_length=200)
    document = Text(max_length=200, help_text="Kind, series and number, issued by whom and when.")
    bank_account = Text(required=False, allow_blank=True, max_length=40)


class VerificationBody(Body):
    """Which player, and what the document says that staff have in hand."""

    username = Text(max_length=150)
    method = serializers.ChoiceField(VerificationMethod.choices)
    shown = PersonBody()


class RecordedIdentity(serializers.Serializer[None]):
    """That it is recorded; what was recorded is not told again."""

    recorded_at = Moment()
    verified = serializers.BooleanField()


class VerifiedPlayer(serializers.Serializer[None]):
    """A player who may bet from now on."""

    username = serializers.CharField()
    method = serializers.ChoiceField(VerificationMethod.choices)
    verified_at = Moment()


class AlikePlayer(serializers.Serializer[None]):
    """One of the accounts that are alike."""

    username = serializers.CharField()
    state = serializers.ChoiceField(AccountState.choices)
    verified = serializers.BooleanField()


class AlikePlayers(serializers.Serializer[None]):
    """Accounts that have something in common."""

    in_common = serializers.ChoiceField(TraitKind.choices)
    players = AlikePlayer(many=True)


class Duplicates(serializers.Serializer[None]):
    """Every such likeness."""

    duplicates = AlikePlayers(many=True)


class MyIdentity(APIView):
    """`PUT me/identity`."""

    permission_classes = (ArePlayers,)

    @described(
        "identity_record",
        "Record what my document says; it can be corrected until staff have seen the document",
        tag=TAG,
        answers={200: RecordedIdentity},
        body=IdentityBody,
        refused=(Refusal.UNDER_AGE, Refusal.WRONG_STATE, Refusal.PERSON_KNOWN, Refusal.MAY_NOT_PLAY),
    )
    def put(self, request: Request) -> Response:
        """Record it, encrypted."""
        told, player = read_body(request, IdentityBody), person_asking(request)
        identity = record_identity(player=player, **told, actor=player.actor)
        return Response({"recorded_at": instant(identity.recorded_at), "verified": False})


class Verifications(APIView):
    """`POST players/verifications`."""

    permission_classes = (AreDeskPeople,)

    @described(
        "player_verify",
        "Note that I compared a player with the document: the player may bet from now on",
        tag=TAG,
        answers={201: VerifiedPlayer},
        body=VerificationBody,
        refused=(
            Refusal.NOT_FOUND,
            Refusal.UNDER_AGE,
            Refusal.WRONG_STATE,
            Refusal.PERSON_KNOWN,
            Refusal.MAY_NOT_PLAY,
        ),
        about="`shown` is typed from the document, and must be what the player recorded.",
    )
    def post(self, request: Request) -> Response:
        """Note it."""
        told, verifier = read_body(request, VerificationBody), person_asking(request)
        player = account_named(told["username"]).player
        refuse_other_document(player=player, **told["shown"], field="shown")
        verification = verify_identity(player=player, method=VerificationMethod(told["method"]), verified_by=verifier)
        answer = {
            "username": player.username,
            "method": verification.method,
            "verified_at": instant(verification.verified_at),
        }
        return Response(answer, status=201)


class LikelyDuplicates(APIView):
    """`GET players/duplicates`."""

    permission_classes = (AreStaff,)

    @described(
        "players_duplicates",
        "Accounts that are likely to belong to one person",
        tag=TAG,
        answers={200: Duplicates},
        about="By name with birth date, bank account, card or device. Whether it is one person, people decide.",
    )
    def get(self, request: Request) -> Response:  # noqa: ARG002
        """List what two or more accounts have in common."""
        found = likely_duplicates()
        players = {person.player_id for likeness in found for person in likeness.persons}
        accounts: Mapping[int | None, GameAccount] = {
            account.player_id: account
            for account in GameAccount.objects.select_related("player__person__verification").filter(player__in=players)
        }
        return Response({"duplicates": [_alike(likeness, accounts) for likeness in found]})


def _alike(likeness: Likeness, accounts: Mapping[int | None, GameAccount]) -> dict[str, Any]:
    of_each = [accounts[person.player_id] for person in likeness.persons]
    return {
        "in_common": str(likeness.kind),
        "players": [
            {
                "username": account.player.username,
                "state": account.state,
                "verified": hasattr(account.player.person, "verification"),
            }
            for account in of_each
        ],
    }
