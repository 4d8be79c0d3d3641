"""Open data of pools: programme, every state, spreads of bets, results, sums and roots, back to the first (X14)."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.http import Http404, HttpResponse
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from pools.api.pools import announced
from pools.models import Game, Pool, PoolState
from pools.snapshots.pool_history import PublishedPool, all_published, distribution_of, may_show_distribution, published
from totalizator.core.api.bodies import read_query
from totalizator.core.api.described import described
from totalizator.core.api.documents import Moment, Names, PublicFile, instant, instant_or_none
from totalizator.core.api.open_data import OpenDocument, OpenRead, opened
from totalizator.core.api.reading import PageQuery, page_of
from totalizator.core.errors import Refusal
from totalizator.core.money import plain_byn

TAG = "Open data"
TABLE = {"type": "string"}
DATASETS = (
    "open-data/pools",
    "open-data/pools.csv",
    "open-data/levels.csv",
    "open-data/pools/{code}/distribution",
    "open-data/insider-wins/{year}",
    "open-data/winners",
    "open-data/jackpots/{game}",
    "open-data/jackpots/{game}.csv",
    "pools/{code}/",
    "pools/{code}/result",
    "pools/{code}/statement",
    "pools/{code}/commitment",
    "pools/{code}/certificate",
    "pools/{code}/bundle",
    "pools/{code}/stamps",
    "log/entries",
    "log/heads",
    "log/stamps",
    "keys",
)
POOL_COLUMNS = (
    *("code", "game", "name_ru", "name_be", "name_en", "state", "announced_at", "opens_at", "closes_at", "closed_at"),
    *("terms_digest", "bets", "lines", "turnover", "merkle_root", "protocol", "protocol_digest", "sealed_at"),
    *("first_started_at", "official_at", "fund", "takeout", "winnings", "refunds", "added"),
    *("jackpot_in", "jackpot_out", "cancelled_at", "corrects"),
)
LEVEL_COLUMNS = ("pool", "level", "fund", "lines", "stakes", "dividend", "coefficient", "paid", "remainder")
_SUMS = ("fund", "takeout", "winnings", "refunds", "added", "jackpot_in", "jackpot_out")


class OpenIndex(OpenDocument):
    """What there is."""

    datasets = serializers.ListField(child=serializers.CharField(), help_text="Addresses under /api/v1/.")


class OpenPool(serializers.Serializer[None]):
    """Everything that was published of one pool; null for what there is not yet. Its code never means another pool."""

    code = serializers.CharField()
    game = serializers.ChoiceField(Game.choices)
    name = Names()
    state = serializers.ChoiceField(PoolState.choices)
    announced_at = Moment(allow_null=True)
    opens_at = Moment()
    closes_at = Moment()
    closed_at = Moment(allow_null=True)
    cancelled_at = Moment(allow_null=True)
    terms_digest = serializers.CharField()
    commitment = PublicFile(allow_null=True)
    result = PublicFile(allow_null=True, help_text="The sealed protocol with its signatures.")
    statement = PublicFile(allow_null=True, help_text="Fund, levels, winners, dividends; amounts in kopecks.")
    official_at = Moment(allow_null=True)
    correction = PublicFile(
        allow_null=True,
        help_text="correction.json, when result and statement are corrected; what it changed: changed.csv.",
    )


class OpenPoolPage(OpenDocument):
    """A page of pools, from the oldest: what is added is added at the end."""

    pools = OpenPool(many=True)
    next = serializers.URLField(allow_null=True)


class OutcomeSpread(serializers.Serializer[None]):
    """How many bets mark an outcome, and how many single lines have it."""

    code = serializers.CharField()
    bets = serializers.IntegerField()
    lines = serializers.IntegerField()


class ConditionSpread(serializers.Serializer[None]):
    """A condition; the lines of its outcomes add up to the pool's."""

    condition = serializers.CharField()
    outcomes = OutcomeSpread(many=True)


class OpenSpread(OpenDocument):
    """How the bets of a closed pool were spread."""

    pool = serializers.CharField()
    conditions = ConditionSpread(many=True)


class OpenData(OpenRead):
    """`GET open-data`."""

    @described("open_data", "What open data there is", tag=TAG, answers={200: OpenIndex}, public=True, cached=True)
    def get(self, request: Request) -> Response:  # noqa: ARG002
        """Show it."""
        return Response(opened({"datasets": list(DATASETS)}))


class OpenPools(OpenRead):
    """`GET open-data/pools`."""

    @described(
        "open_pools",
        "Every announced pool with all that was published of it, the oldest first",
        tag=TAG,
        answers={200: OpenPoolPage},
        query=PageQuery,
        public=True,
        cached=True,
    )
    def get(self, request: Request) -> Response:
        """Show a page."""
        query = read_query(request, PageQuery)
        pools = Pool.objects.exclude(state=PoolState.DRAFT)
        page = page_of(request, pools, "pools", _documents, query=query, ordering=("pk",))
        return Response(opened(page.data))


class OpenPoolTable(OpenRead):
    """`GET open-data/pools.csv`."""

    @described(
        "open_pools_table",
        "The whole history of pools, one table",
        tag=TAG,
        answers={(200, "text/csv"): TABLE},
        public=True,
        cached=True,
    )
    def get(self, request: Request) -> HttpResponse:  # noqa: ARG002
        """Send it."""
        return self.table("pools", POOL_COLUMNS, (_row(each) for each in all_published()))


class OpenLevelTable(OpenRead):
    """`GET open-data/levels.csv`."""

    @described(
        "open_levels_table",
        "Winners, dividends and coefficients of every level of every settled pool, one table",
        tag=TAG,
        answers={(200, "text/csv"): TABLE},
        public=True,
        cached=True,
    )
    def get(self, request: Request) -> HttpResponse:  # noqa: ARG002
        """Send it."""
        return self.table("levels", LEVEL_COLUMNS, _levels())


class OpenDistribution(OpenRead):
    """`GET open-data/pools/{code}/distribution`."""

    @described(
        "open_distribution",
        "How the bets of a pool that sells no more were spread over the outcomes",
        tag=TAG,
        answers={200: OpenSpread},
        refused=(Refusal.NOT_FOUND,),
        public=True,
        cached=True,
        about="404 while the pool sells, and until it is settled if it has fewer than 20 bets, which would show how"
        " somebody bet (X1).",
    )
    def get(self, request: Request, code: str) -> Response:  # noqa: ARG002
        """Show it."""
        pool = announced(code)
        if not may_show_distribution(pool):
            raise Http404
        self.changed_at = pool.closed_at
        return Response(opened({"pool": pool.code, "conditions": distribution_of(pool)}))


def _documents(pools: Sequence[Pool]) -> list[dict[str, Any]]:
    return [_document(each) for each in published(pools)]


def _document(each: PublishedPool) -> dict[str, Any]:
    pool = each.pool
    return {
        "code": pool.code,
        "game": pool.game,
        "name": dict(pool.terms.pool.name),
        "state": pool.state,
        "announced_at": instant_or_none(pool.announced_at),
        "opens_at": instant(pool.opens_at),
        "closes_at": instant(pool.closes_at),
        "closed_at": instant_or_none(pool.closed_at),
        "cancelled_at": instant_or_none(each.cancellation.cancelled_at if each.cancellation is not None else None),
        "terms_digest": pool.terms_digest,
        "commitment": each.commitment,
        "result": each.result,
        "statement": each.statement,
        "official_at": instant_or_none(each.settlement.official_at if each.settlement is not None else None),
        "correction": each.correction,
    }


def _row(each: PublishedPool) -> list[object]:
    told = _document(each)
    commitment, statement = each.commitment or {}, each.statement or {}
    result = each.result or {}
    protocol = result.get("protocol", {})
    known = {
        **{key: told[key] for key in POOL_COLUMNS if key in told},
        **{f"name_{language}": told["name"].get(language) for language in ("ru", "be", "en")},
        **{key: commitment.get(name) for key, name in (("bets", "count"), ("lines", "lines"))},
        "turnover": _byn(commitment.get("turnover")),
        "merkle_root": commitment.get("merkle_root"),
        "protocol": protocol.get("number"),
        "protocol_digest": protocol.get("digest"),
        "sealed_at": protocol.get("sealed_at"),
        "first_started_at": result.get("first_started_at"),
        **{key: _byn(statement.get(key)) for key in _SUMS},
        "corrects": (each.correction or {}).get("corrects"),
    }
    return [known[column] for column in POOL_COLUMNS]


def _levels() -> Iterator[list[object]]:
    for each in all_published():
        for level in (each.statement or {}).get("levels", ()):
            sums = {key: _byn(level[key]) for key in ("fund", "stakes", "dividend", "paid", "remainder")}
            known = {"pool": each.pool.code, "level": level["code"], "lines": level["lines"], **sums}
            known["coefficient"] = level["coefficient"]
            yield [known[column] for column in LEVEL_COLUMNS]


def _byn(kopecks: int | None) -> str | None:
    return plain_byn(kopecks) if kopecks is not None else None
