"""A player's own account: what is on it, and what came and went."""

from typing import Any

from django.db.models import F, Q
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.callers import account_asking
from accounts.ledger.balances import balance
from accounts.ledger.kinds import TransferKind
from accounts.models import AccountState, Entry
from accounts.permissions import ArePlayers
from totalizator.core.api.bodies import read_query
from totalizator.core.api.described import described
from totalizator.core.api.documents import Byn, Moment, instant
from totalizator.core.api.reading import PageQuery, page_of
from totalizator.core.money import plain_byn

TAG = "Players"


class MyAccount(serializers.Serializer[None]):
    """A game account."""

    username = serializers.CharField()
    state = serializers.ChoiceField(AccountState.choices)
    balance = Byn()
    opened_at = Moment()


class MyMove(serializers.Serializer[None]):
    """One entry of the account; below zero what went out."""

    at = Moment()
    kind = serializers.ChoiceField(TransferKind.choices)
    cause = serializers.CharField(help_text="`bet:…`, `withdrawal:…`")
    change = Byn()


class MyMoves(serializers.Serializer[None]):
    """A page of the account's entries, the newest first."""

    moves = MyMove(many=True)
    next = serializers.URLField(allow_null=True)


class Me(APIView):
    """`GET me`."""

    permission_classes = (ArePlayers,)

    @described("me", "My account and its balance", tag=TAG, answers={200: MyAccount})
    def get(self, request: Request) -> Response:
        """Show the account."""
        account = account_asking(request)
        return Response(
            {
                "username": account.player.username,
                "state": account.state,
                "balance": plain_byn(balance(account.ledger_account)),
                "opened_at": instant(account.opened_at),
            }
        )


class MyStatement(APIView):
    """`GET me/statement`."""

    permission_classes = (ArePlayers,)

    @described(
        "me_statement", "What came onto my account and went from it", tag=TAG, answers={200: MyMoves}, query=PageQuery
    )
    def get(self, request: Request) -> Response:
        """Show a page of entries."""
        query = read_query(request, PageQuery)
        account = account_asking(request).ledger_account
        entries = (
            Entry.objects.filter(Q(debit=account) | Q(credit=account))
            .select_related("transfer")
            .annotate(at=F("transfer__occurred_at"))
        )

        def written(rows: list[Any]) -> list[dict[str, Any]]:
            return [_move(row, grows=(row.debit_id == account.pk) == account.debit_normal) for row in rows]

        order = ("-at", "-book", "-key", "-line")
        return page_of(request, entries, "moves", written, query=query, ordering=order)


def _move(entry: Entry, *, grows: bool) -> dict[str, Any]:
    return {
        "at": instant(entry.transfer.occurred_at),
        "kind": entry.transfer.kind,
        "cause": entry.transfer.cause,
        "change": plain_byn(entry.amount if grows else -entry.amount),
    }
