"""The status of the two computations over the API: the same as the page (X13)."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from pools.api.log_stamps import StampDocument, stamp_shown
from pools.api.public_log import HeadDocument
from pools.queries.agreement import Agreement, Standing, agreements
from pools.queries.log_proofs import head_shown, newest_head
from pools.queries.log_stamps import StampStanding, stamp_standings
from totalizator.core.api.described import described
from totalizator.core.api.documents import Moment, instant_or_none
from totalizator.core.api.reading import PublicRead
from totalizator.core.journal_seals import newest_seal


class ComputationDocument(serializers.Serializer[None]):
    """One pool with a sealed result."""

    pool = serializers.CharField()
    standing = serializers.ChoiceField(Standing.choices, help_text="Paid is only what agrees.")
    calculated_at = Moment(allow_null=True, help_text="By the database, over all bets at once.")
    official_at = Moment(allow_null=True, help_text="When the engine had come to the same, bet by bet.")
    place = serializers.CharField(allow_blank=True, help_text="Where the two differ: a file, and a line or a member.")
    release = serializers.CharField(allow_blank=True, help_text="The digest of the release it became official under.")


class JournalSealDocument(serializers.Serializer[None]):
    """The newest seal of the journal."""

    number = serializers.IntegerField()
    digest = serializers.CharField()
    at = Moment()


class StampStandingDocument(serializers.Serializer[None]):
    """An authority that time-stamps the public log."""

    authority = serializers.CharField()
    url = serializers.CharField()
    stamp = StampDocument(allow_null=True, help_text="Its newest.")
    waiting = serializers.IntegerField(help_text="Lines of the log since.")
    late = serializers.BooleanField(help_text="Whether a head has been without its stamp for ten minutes.")


class StatusDocument(serializers.Serializer[None]):
    """Whether everything agrees, and the heads of what only grows."""

    agree = serializers.BooleanField(help_text="False while any settlement differs.")
    pools = ComputationDocument(many=True)
    log_head = HeadDocument(allow_null=True)
    time_stamps = StampStandingDocument(many=True)
    journal_seal = JournalSealDocument(allow_null=True)


class Status(PublicRead):
    """`GET status`."""

    @described(
        "status",
        "Whether both computations of every settlement agree; those that differ first",
        tag="Public log",
        answers={200: StatusDocument},
        public=True,
        cached=True,
        about="The newest hundred pools. A settlement that differs is not official, and nothing of it is paid.",
    )
    def get(self, request: Request) -> Response:  # noqa: ARG002
        """Show the status."""
        shown, head, seal = agreements(), newest_head(), newest_seal()
        return Response(
            {
                "agree": not any(agreement.differs for agreement in shown),
                "pools": [_shown(agreement) for agreement in shown],
                "log_head": head_shown(head) if head is not None else None,
                "time_stamps": [_stamped(standing) for standing in stamp_standings()],
                "journal_seal": {"number": seal.number, "digest": seal.digest, "at": seal.at} if seal else None,
            }
        )


def _stamped(standing: StampStanding) -> dict[str, Any]:
    return {
        "authority": standing.name,
        "url": standing.url,
        "stamp": stamp_shown(standing.newest) if standing.newest is not None else None,
        "waiting": standing.waiting,
        "late": standing.late,
    }


def _shown(agreement: Agreement) -> dict[str, Any]:
    return {
        "pool": agreement.pool.code,
        "standing": agreement.standing.value,
        "calculated_at": instant_or_none(agreement.calculated_at),
        "official_at": instant_or_none(agreement.official_at),
        "place": agreement.place,
        "release": agreement.release,
    }
