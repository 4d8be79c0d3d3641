"""How a pool stands while it is played, over the API: the same as the page, provisional, for anyone (O2)."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from pools.api.pools import TAG, announced
from pools.models import PoolState
from pools.queries.provisional import known_so_far
from pools.views.alive import AliveLevel, feed_named, levels_alive, newest_count, outlook_of
from totalizator.core.api.described import described
from totalizator.core.api.documents import Byn, Moment, PublicFile, instant_or_none
from totalizator.core.api.reading import PublicRead
from totalizator.core.errors import Refusal
from totalizator.core.money import plain_byn

PROVISIONAL = (PoolState.CLOSED,)


class AliveLevelDocument(serializers.Serializer[None]):
    """A level: its lines and stakes as it stands now, and what can still reach it; levels alive overlap."""

    code = serializers.CharField()
    lines_now = serializers.IntegerField()
    stakes_now = Byn()
    rate_now = serializers.CharField(allow_null=True, help_text="A dividend in BYN, or with stakes a coefficient.")
    lines_alive = serializers.IntegerField()
    stakes_alive = Byn()
    rate_alive = serializers.CharField(allow_null=True, help_text="If all of them got there: an estimate.")


class AliveDocument(serializers.Serializer[None]):
    """What is told of the result so far. It is never the result: that is the protocol alone."""

    pool = serializers.CharField()
    state = serializers.ChoiceField([state for state in PoolState.choices if state[0] != "draft"])
    provisional = serializers.BooleanField(help_text="False once it is not played any more: ask for its result.")
    conditions = PublicFile(help_text="By condition its right outcomes, or `void`; what is not known is left out.")
    told_at = Moment(allow_null=True)
    told_by = serializers.CharField(allow_blank=True, help_text="The feed that says so.")
    returned = serializers.BooleanField(help_text="By what is known every stake goes back.")
    counted_at = Moment(allow_null=True, help_text="When the bets were counted, which may be by less than is told.")
    levels = AliveLevelDocument(many=True)


class PoolAlive(PublicRead):
    """`GET pools/{code}/alive`."""

    @described(
        "alive",
        "What is known of a pool's result while it is played, and how many lines can still win",
        tag=TAG,
        answers={200: AliveDocument},
        refused=(Refusal.NOT_FOUND,),
        public=True,
        cached=True,
        about="Provisional: what result feeds say. What counts is the protocol that the commission seals.",
    )
    def get(self, request: Request, code: str) -> Response:  # noqa: ARG002
        """Show it."""
        pool = announced(code)
        played = pool.state in PROVISIONAL
        known, counted = known_so_far(pool), newest_count(pool)
        outlook = outlook_of(pool, known)
        levels = levels_alive(pool, counted, outlook) if played else ()
        return Response(
            {
                "pool": pool.code,
                "state": pool.state,
                "provisional": played,
                "conditions": known.told,
                "told_at": instant_or_none(known.latest.published_at if known.latest is not None else None),
                "told_by": feed_named(known.latest.proposal.feed.name) if known.latest is not None else "",
                "returned": known.latest is not None and outlook is None,
                "counted_at": instant_or_none(counted.counted_at if counted is not None else None),
                "levels": [_level(level) for level in levels],
            }
        )


def _level(level: AliveLevel) -> dict[str, Any]:
    return {
        "code": level.code,
        "lines_now": level.lines_now,
        "stakes_now": plain_byn(level.stakes_now),
        "rate_now": _rate(level.rate_now),
        "lines_alive": level.lines_alive,
        "stakes_alive": plain_byn(level.stakes_alive),
        "rate_alive": _rate(level.rate_alive),
    }


def _rate(rate: int | str | None) -> str | None:
    return plain_byn(rate) if isinstance(rate, int) else rate
