"""Open data of wins of staff, agents and insiders against expectation, a year at a time (X11)."""

from typing import Any

from django.http import Http404
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from payouts.models import PublishedInsiderWins
from payouts.queries.reports.insiders import WHO
from totalizator.core.api.described import described
from totalizator.core.api.documents import Moment, instant
from totalizator.core.api.open_data import OpenDocument, OpenRead, opened
from totalizator.core.errors import Refusal
from totalizator.engine.canonical import digest, parse_json

TAG = "Open data"


class RareWins(serializers.Serializer[None]):
    """Somebody whose wins are rarer than one in a thousand. It accuses nobody."""

    bets = serializers.IntegerField()
    wins = serializers.IntegerField()
    expected_wins = serializers.CharField(help_text="An exact fraction.")
    stakes = serializers.IntegerField(help_text="Kopecks.")
    won = serializers.IntegerField(help_text="Kopecks.")
    one_in = serializers.IntegerField(help_text="So many wins or more have a probability of 1 in so many.")


class WinsOfGroup(serializers.Serializer[None]):
    """All cashiers, points, agents or listed insiders together, and those whose wins are rare."""

    who = serializers.ChoiceField(list(WHO))
    members = serializers.IntegerField()
    bets = serializers.IntegerField()
    wins = serializers.IntegerField()
    expected_wins = serializers.CharField(help_text="An exact fraction.")
    stakes = serializers.IntegerField(help_text="Kopecks.")
    won = serializers.IntegerField(help_text="Kopecks.")
    expected_won = serializers.CharField(help_text="Kopecks, an exact fraction.")
    rarer = RareWins(many=True)


class WinsOfYear(serializers.Serializer[None]):
    """The document: in canonical JSON it has the digest."""

    format = serializers.IntegerField()
    year = serializers.IntegerField()
    rarer_than = serializers.CharField()
    groups = WinsOfGroup(many=True)


class OpenInsiderWins(OpenDocument):
    """What was published of a year, and the digest of it in the public log as `insider-wins:YEAR`."""

    digest = serializers.CharField()
    published_at = Moment()
    document = WinsOfYear()


class InsiderWins(OpenRead):
    """`GET open-data/insider-wins/{year}`."""

    @described(
        "open_insider_wins",
        "Wins of staff, agents and insiders of a year against expectation",
        tag=TAG,
        answers={200: OpenInsiderWins},
        refused=(Refusal.NOT_FOUND,),
        public=True,
        cached=True,
    )
    def get(self, request: Request, year: int) -> Response:  # noqa: ARG002
        """Show them."""
        published = PublishedInsiderWins.objects.filter(year=year).first() if year < 10_000 else None
        if published is None:
            raise Http404
        content = published.document_text.encode()
        document: Any = parse_json(content, where="insider wins")
        told = {"digest": digest(content), "published_at": instant(published.published_at), "document": document}
        self.changed_at = published.published_at
        return Response(opened(told))
