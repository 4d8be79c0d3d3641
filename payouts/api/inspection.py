"""What the regulator looks up, at any time and without asking anybody: bets, journal, ledger (N6)."""

from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.ledger.kinds import TransferKind
from accounts.ledger.models import HOUSE_BOOK, Entry
from accounts.permissions import AreInspectors
from payouts.queries.inspection import all_told, bets_of, entries_of, journal_of, told_of
from pools.models import Bet, Channel, Pool
from totalizator.core.api.bodies import Body, Instant, Text, read_query
from totalizator.core.api.described import described
from totalizator.core.api.documents import Byn, Moment, instant
from totalizator.core.api.reading import PageQuery, page_of
from totalizator.core.csv_text import csv_bytes
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.models import JournalRecord
from totalizator.core.money import plain_byn

TAG = "Reports and inspection"
COLUMNS = (
    "ticket", "registered_at", "selections", "lines", "stake", "channel", "point", "sold_by", "person", "owed",
    "standing",
)  # fmt: skip


class BetsQuery(PageQuery):
    """Which bets."""

    channel = serializers.ChoiceField(Channel.choices, required=False)
    point = Text(required=False, max_length=12)
    since = Instant(required=False)
    until = Instant(required=False)


class BetsTableQuery(Body):
    """Which bets; all of them in one table."""

    channel = serializers.ChoiceField(Channel.choices, required=False)
    point = Text(required=False, max_length=12)
    since = Instant(required=False)
    until = Instant(required=False)


class InspectedBet(serializers.Serializer[None]):
    """A bet. `person` is a token, the same for all bets of one person: it names nobody."""

    ticket = serializers.CharField()
    registered_at = Moment()
    selections = serializers.CharField()
    lines = serializers.IntegerField()
    stake = Byn()
    channel = serializers.ChoiceField(Channel.choices)
    point = serializers.CharField(allow_blank=True)
    sold_by = serializers.CharField(allow_blank=True)
    person = serializers.CharField(allow_blank=True)
    owed = Byn()
    standing = serializers.CharField(allow_blank=True)


class InspectedBets(serializers.Serializer[None]):
    """A page of a pool's bets, by ticket."""

    bets = InspectedBet(many=True)
    next = serializers.URLField(allow_null=True)


class JournalQuery(PageQuery):
    """Which acts."""

    act = Text(required=False, max_length=60)
    actor = Text(required=False, max_length=80)
    subject = Text(required=False, max_length=120)
    since = Instant(required=False)
    until = Instant(required=False)


class JournalRow(serializers.Serializer[None]):
    """Who did what to what, when and why."""

    number = serializers.IntegerField()
    at = Moment()
    actor = serializers.CharField()
    act = serializers.CharField()
    subject = serializers.CharField()
    reason = serializers.CharField(allow_blank=True)
    before = serializers.DictField(allow_null=True)
    after = serializers.DictField(allow_null=True)


class JournalPage(serializers.Serializer[None]):
    """A page of the journal, the latest first."""

    rows = JournalRow(many=True)
    next = serializers.URLField(allow_null=True)


class EntriesQuery(PageQuery):
    """Which entries: of a pool's book, or of the house's when no pool is named."""

    pool = Text(required=False, max_length=20)
    kind = serializers.ChoiceField(TransferKind.choices, required=False)
    since = Instant(required=False)
    until = Instant(required=False)


class LedgerEntry(serializers.Serializer[None]):
    """One entry: so much from the account that is credited to the one that is debited, and why."""

    transfer = serializers.CharField()
    line = serializers.IntegerField()
    at = Moment()
    kind = serializers.ChoiceField(TransferKind.choices)
    cause = serializers.CharField()
    debit = serializers.CharField()
    credit = serializers.CharField()
    amount = Byn()


class EntriesPage(serializers.Serializer[None]):
    """A page of entries, by their transfers' keys."""

    entries = LedgerEntry(many=True)
    next = serializers.URLField(allow_null=True)


class PoolBets(APIView):
    """`GET inspection/pools/{code}/bets`."""

    permission_classes = (AreInspectors,)

    @described(
        "inspection_bets",
        "Every bet of a pool and what became of it",
        tag=TAG,
        answers={200: InspectedBets},
        query=BetsQuery,
        refused=(Refusal.NOT_FOUND,),
    )
    def get(self, request: Request, code: str) -> Response:
        """Show a page of bets."""
        pool, query = _pool(code), read_query(request, BetsQuery)

        def write(page: list[Bet]) -> list[dict[str, Any]]:
            return [_plain(told) for told in told_of(pool, page)]

        return page_of(request, bets_of(pool, query), "bets", write, query=query, ordering=("ticket",))


class PoolBetsTable(APIView):
    """`GET inspection/pools/{code}/bets.csv`."""

    permission_classes = (AreInspectors,)

    @described(
        "inspection_bets_table",
        "Every bet of a pool, one table",
        tag=TAG,
        answers={(200, "text/csv"): {"type": "string"}},
        query=BetsTableQuery,
        refused=(Refusal.NOT_FOUND,),
    )
    def get(self, request: Request, code: str) -> HttpResponse:
        """Send it."""
        pool, query = _pool(code), read_query(request, BetsTableQuery)
        rows = ([_cell(name, told[name]) for name in COLUMNS] for told in all_told(pool, query))
        answer = HttpResponse(csv_bytes([COLUMNS, *rows]), content_type="text/csv; charset=utf-8")
        answer["Content-Disposition"] = f'attachment; filename="bets-{pool.code}.csv"'
        return answer


class Journal(APIView):
    """`GET inspection/journal`."""

    permission_classes = (AreInspectors,)

    @described(
        "inspection_journal",
        "Acts in the journal",
        tag=TAG,
        answers={200: JournalPage},
        query=JournalQuery,
    )
    def get(self, request: Request) -> Response:
        """Show a page of acts."""
        query = read_query(request, JournalQuery)
        return page_of(request, journal_of(query), "rows", _rows, query=query, ordering=("-id",))


class Entries(APIView):
    """`GET inspection/entries`."""

    permission_classes = (AreInspectors,)

    @described(
        "inspection_entries",
        "Entries of the ledger",
        tag=TAG,
        answers={200: EntriesPage},
        query=EntriesQuery,
        refused=(Refusal.NOT_FOUND,),
    )
    def get(self, request: Request) -> Response:
        """Show a page of entries."""
        query = read_query(request, EntriesQuery)
        book = _pool(query["pool"]).pk if query.get("pool") else HOUSE_BOOK
        return page_of(request, entries_of(book, query), "entries", _entries, query=query, ordering=("key", "line"))


def _pool(code: str) -> Pool:
    pool = Pool.objects.filter(code=code, announced_at__isnull=False).first()
    if pool is None:
        raise DomainError(Refusal.NOT_FOUND, _("There is no such pool."), field="pool")
    return pool


def _plain(told: dict[str, Any]) -> dict[str, Any]:
    amounts = {name: plain_byn(told[name]) for name in ("stake", "owed")}
    return told | amounts | {"registered_at": instant(told["registered_at"])}


def _cell(name: str, value: Any) -> str | int:
    """Return a cell of the table: amounts as whole kopecks, which it writes itself; everything else as text."""
    if name in ("stake", "owed"):
        return int(value)
    return instant(value) if name == "registered_at" else str(value)


def _rows(page: list[JournalRecord]) -> list[dict[str, Any]]:
    names = ("actor", "act", "subject", "reason", "before", "after")
    return [{"number": row.pk, "at": instant(row.at)} | {name: getattr(row, name) for name in names} for row in page]


def _entries(page: list[Entry]) -> list[dict[str, Any]]:
    return [
        {
            "transfer": entry.key,
            "line": entry.line,
            "at": instant(entry.transfer.occurred_at),
            "kind": entry.transfer.kind,
            "cause": entry.transfer.cause,
            "debit": str(entry.debit),
            "credit": str(entry.credit),
            "amount": plain_byn(entry.amount),
        }
        for entry in page
    ]
