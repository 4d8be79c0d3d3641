"""Result feeds over the API: what they propose, side by side; entering stays the members' own act (U2)."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.callers import person_asking
from accounts.models import Role
from accounts.permissions import AreCommissionOrStaff, AreStaff
from pools.api.pools import announced
from pools.models import FeedFormat, ResultFeed, ResultProposal
from pools.services.commission import only_member
from pools.services.result_feeds import (
    add_feed,
    find_feed,
    proposals_of,
    propose_by_fetching,
    propose_from_file,
    side_by_side,
    told_by,
)
from totalizator.core.api.bodies import Body, Text, read_body
from totalizator.core.api.described import described
from totalizator.core.api.documents import Moment, PublicFile, instant
from totalizator.core.errors import Refusal

TAG = "Result feeds"


class FeedBody(Body):
    """A source of results."""

    name = Text(max_length=60)
    format = serializers.ChoiceField(FeedFormat.choices)
    url = Text(max_length=500, required=False, help_text="With `{pool}` for the pool's code; left out: files by hand.")


class FeedDocument(serializers.Serializer[None]):
    """A source of results."""

    number = serializers.IntegerField()
    name = serializers.CharField()
    format = serializers.ChoiceField(FeedFormat.choices)
    url = serializers.CharField(allow_blank=True)
    enabled = serializers.BooleanField()


class FeedList(serializers.Serializer[None]):
    """All of them."""

    feeds = FeedDocument(many=True)


class ResultProposalBody(Body):
    """What a feed says: a file of it, or, without one, what its address says now."""

    feed = Text(max_length=60)
    name = Text(max_length=500, required=False, help_text="The file's name; needed with a file.")
    file = Text(max_length=1 << 20, required=False, trim_whitespace=False, help_text="The file's text.")


class ProposalDocument(serializers.Serializer[None]):
    """What one feed said, with what proves that it did."""

    number = serializers.IntegerField()
    feed = serializers.CharField()
    address = serializers.CharField(help_text="Or the file's name.")
    captured_at = Moment()
    captured_by = serializers.CharField(allow_null=True)
    digest = serializers.CharField(help_text="Of the file.")
    result = PublicFile(help_text="`conditions`, `first_started_at`: what of them it tells.")


class SideBySideDocument(serializers.Serializer[None]):
    """The newest of each feed side by side, and everything that was ever said."""

    proposals = ProposalDocument(many=True)
    differing = serializers.ListField(child=serializers.CharField(), help_text="Conditions that feeds disagree on.")
    history = ProposalDocument(many=True)


class ResultFeeds(APIView):
    """`result-feeds`."""

    permission_classes = (AreStaff,)

    @described("feeds", "Sources of results", tag=TAG, answers={200: FeedList})
    def get(self, request: Request) -> Response:  # noqa: ARG002
        """List them."""
        return Response({"feeds": [_feed(feed) for feed in ResultFeed.objects.order_by("name")]})

    @described("feed_add", "Make a source of results known", tag=TAG, answers={201: FeedDocument}, body=FeedBody)
    def post(self, request: Request) -> Response:
        """Add one."""
        told = read_body(request, FeedBody)
        feed = add_feed(
            name=told["name"],
            feed_format=FeedFormat(told["format"]),
            url=told.get("url", ""),
            added_by=person_asking(request),
        )
        return Response(_feed(feed), status=201)


class ResultProposals(APIView):
    """`pools/{code}/result-proposals`."""

    permission_classes = (AreCommissionOrStaff,)

    @described(
        "result_proposals",
        "What feeds say of a pool's result, side by side",
        tag=TAG,
        answers={200: SideBySideDocument},
        refused=(Refusal.NOT_FOUND,),
        about="For the pool's commission and the organizer's staff. None of it is a result before members enter one.",
    )
    def get(self, request: Request, code: str) -> Response:
        """Show them."""
        pool = announced(code)
        if person_asking(request).role == Role.COMMISSION:
            only_member(pool, person_asking(request))
        seen = side_by_side(pool)
        return Response(
            {
                "proposals": [_proposal(each) for each in seen.proposals],
                "differing": list(seen.differing),
                "history": [_proposal(each) for each in proposals_of(pool)],
            }
        )

    @described(
        "result_propose",
        "Keep what a feed says of a pool's result",
        tag=TAG,
        answers={201: ProposalDocument},
        body=ResultProposalBody,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE, Refusal.PROVIDER_AWAY),
    )
    def post(self, request: Request, code: str) -> Response:
        """Read the file, or fetch it."""
        pool, told = announced(code), read_body(request, ResultProposalBody)
        person, feed = person_asking(request), find_feed(told["feed"])
        if person.role == Role.COMMISSION:
            only_member(pool, person)
        if "file" in told:
            proposal = propose_from_file(
                feed=feed, code=code, name=told.get("name", ""), file=told["file"].encode(), brought_by=person
            )
        else:
            proposal = propose_by_fetching(feed=feed, code=code, actor=person.actor)
        return Response(_proposal(proposal), status=201)


def _feed(feed: ResultFeed) -> dict[str, Any]:
    return {
        "number": feed.pk,
        "name": feed.name,
        "format": feed.format,
        "url": feed.url,
        "enabled": feed.enabled,
    }


def _proposal(proposal: ResultProposal) -> dict[str, Any]:
    return {
        "number": proposal.pk,
        "feed": proposal.feed.name,
        "address": proposal.source,
        "captured_at": instant(proposal.captured_at),
        "captured_by": proposal.captured_by.username if proposal.captured_by is not None else None,
        "digest": proposal.digest,
        "result": told_by(proposal),
    }
