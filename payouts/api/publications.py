"""Winners who have agreed to be published: for everybody, and what a player agrees to (¶14, ¶44)."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.callers import person_asking
from accounts.api.staff.naming import found
from accounts.permissions import ArePlayers
from accounts.views.step_up import requires_step_up
from payouts.api.staff_publications import ConsentDocument, consent_document
from payouts.models import ConsentWay, Publication
from payouts.queries.publications import consents, published_winners
from payouts.services.publishing_winners import Agreed, consent_from_account, withdraw_consent
from totalizator.core.api.bodies import Body, Text, read_body, read_query
from totalizator.core.api.described import described
from totalizator.core.api.documents import Byn, Moment, instant
from totalizator.core.api.open_data import OpenDocument, OpenRead, opened
from totalizator.core.api.reading import PageQuery, page_of
from totalizator.core.errors import Refusal
from totalizator.core.money import plain_byn


class OwnConsentBody(Body):
    """My winning ticket, and what may be published of me: what is left out may not."""

    ticket = Text(max_length=60)
    name = Text(max_length=200, required=False, default="")
    words = Text(max_length=500, required=False, default="", help_text="What else may be told of me.")
    amount = serializers.BooleanField(required=False, default=False, help_text="Whether the sum may be shown.")


class OwnConsents(serializers.Serializer[None]):
    """What I have agreed to, the newest first."""

    consents = ConsentDocument(many=True)


class Winner(serializers.Serializer[None]):
    """A winner: null is what they did not agree to."""

    pool = serializers.CharField()
    name = serializers.CharField(allow_null=True)
    words = serializers.CharField(allow_null=True)
    amount = Byn(allow_null=True, help_text="Won, before tax.")
    photo = serializers.CharField(allow_null=True, help_text="Its address on this site.")
    published_at = Moment()


class WinnerPage(OpenDocument):
    """A page of winners, the first published first."""

    winners = Winner(many=True)
    next = serializers.URLField(allow_null=True)


class OpenWinners(OpenRead):
    """`GET open-data/winners`."""

    @described(
        "open_winners",
        "Winners who have agreed to be published",
        tag="Open data",
        answers={200: WinnerPage},
        query=PageQuery,
        public=True,
        cached=True,
        about="Whoever withdraws the consent is not in it any more, from the next answer on.",
    )
    def get(self, request: Request) -> Response:
        """Show a page."""
        query = read_query(request, PageQuery)
        page = page_of(request, published_winners(), "winners", _winners, query=query, ordering=("published_at", "pk"))
        return Response(opened(page.data))


class MyPublicationConsents(APIView):
    """`me/publication-consents`."""

    permission_classes = (ArePlayers,)

    @described("me_publication_consents", "What I agreed to have published", tag="Players", answers={200: OwnConsents})
    def get(self, request: Request) -> Response:
        """List it."""
        mine = consents().filter(given_by=person_asking(request), way=ConsentWay.ACCOUNT).order_by("-pk")
        return Response({"consents": [consent_document(consent) for consent in mine]})

    @described(
        "me_publication_consent",
        "Agree that my winning is published, with what I say and nothing else",
        tag="Players",
        answers={201: ConsentDocument},
        body=OwnConsentBody,
        refused=(Refusal.STEP_UP_NEEDED, Refusal.NOT_FOUND, Refusal.WRONG_STATE),
        about="A browser agrees, after the second factor; no token can. It can be withdrawn at any time.",
    )
    def post(self, request: Request) -> Response:
        """Note it."""
        told = read_body(request, OwnConsentBody)
        consent = consent_from_account(
            ticket=told.pop("ticket"),
            agreed=Agreed(**told),
            player=person_asking(request),
            stepped_up=request.auth is None and not requires_step_up(request._request),
        )
        return Response(consent_document(found(consents(), pk=consent.pk)), status=201)


class MyPublicationWithdrawal(APIView):
    """`POST me/publication-consents/{number}/withdrawal`."""

    permission_classes = (ArePlayers,)

    @described(
        "me_publication_withdraw",
        "Have nothing published of me any more",
        tag="Players",
        answers={200: ConsentDocument},
        refused=(Refusal.NOT_FOUND,),
    )
    def post(self, request: Request, number: int) -> Response:
        """End the consent."""
        player = person_asking(request)
        mine = consents().filter(given_by=player, way=ConsentWay.ACCOUNT)
        number = min(number, 2**63 - 1)
        withdraw_consent(consent=found(mine, pk=number), reason="", withdrawn_by=player)
        return Response(consent_document(found(mine, pk=number)))


def _winners(publications: list[Publication]) -> list[dict[str, Any]]:
    return [_winner(publication) for publication in publications]


def _winner(publication: Publication) -> dict[str, Any]:
    consent = publication.consent
    photo = f"/pools/{consent.pool.code}/winners/{consent.pk}/photo/"
    return {
        "pool": consent.pool.code,
        "name": consent.name or None,
        "words": consent.words or None,
        "amount": plain_byn(consent.amount) if consent.amount is not None else None,
        "photo": photo if consent.photo_digest else None,
        "published_at": instant(publication.published_at),
    }
