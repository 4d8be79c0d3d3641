"""Whose a transfer may be: game accounts and unpaid bet orders that its words, its payer or somebody's search name."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from accounts.models import BankLineWords, GameAccount, Receipt, Role
from pools.models import BetOrder, BetOrderState

MOST_SHOWN, MOST_READ = 10, 500
"""How many are shown, and how many of the newest unpaid orders are read for a payer's name, which is encrypted."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """What a transfer may be meant for; the order is the likeliest first."""

    accounts: Sequence[GameAccount]
    orders: Sequence[BetOrder]


def likely_orders(receipt: Receipt) -> list[BetOrder]:
    """Return the unpaid orders of the same payer, and of them first those of the same sum."""
    words = receipt.line.words
    account, name = _packed(words.party_account), _plain(words.party_name)
    mine = [
        order
        for order in _unpaid().order_by("-pk")[:MOST_READ]
        if (account and order.payer_account == account) or (name and _plain(order.payer_name) == name)
    ]
    return sorted(mine, key=lambda order: order.stake != receipt.open_amount)[:MOST_SHOWN]


def found_orders(numbers: Iterable[int], words: str) -> list[BetOrder]:
    """Return the orders with one of these numbers, and the unpaid ones whose payer's name has these words."""
    by_number = list(BetOrder.objects.filter(pk__in=list(numbers)).select_related("pool"))
    part = _plain(words)
    by_name = [
        order
        for order in (_unpaid().order_by("-pk")[:MOST_READ] if part else ())
        if part in _plain(order.payer_name) and order not in by_number
    ]
    return [*by_number, *by_name][:MOST_SHOWN]


def found_accounts(numbers: Iterable[int], words: str) -> list[GameAccount]:
    """Return the game accounts with one of these numbers, and those whose player's log-in name has these words."""
    accounts = GameAccount.objects.select_related("player").filter(player__role=Role.PLAYER)
    by_number = list(accounts.filter(pk__in=list(numbers)))
    named = accounts.filter(player__username__icontains=words).order_by("player__username") if words else ()
    return [*by_number, *(account for account in named[:MOST_SHOWN] if account not in by_number)][:MOST_SHOWN]


def waiting_of_payer(receipts: QuerySet[Receipt], words: str) -> list[int]:
    """Return the numbers of those waiting receipts whose payer's name or account has these words."""
    part = _plain(words)
    told = BankLineWords.objects.filter(line__in=receipts.order_by("-pk").values("pk")[:MOST_READ])
    return [line.pk for line in told if part in _plain(f"{line.party_name} {line.party_account}")]


def _unpaid() -> QuerySet[BetOrder]:
    return BetOrder.objects.filter(state=BetOrderState.OPEN).select_related("pool")


def _plain(name: str) -> str:
    return " ".join(name.casefold().replace("ё", "е").split())


def _packed(account: str) -> str:
    return "".join(account.upper().split())
