"""A player's statement: every kopeck of the game account with its cause (E4)."""

from collections import deque

from django.core.paginator import Paginator
from django.http.response import HttpResponseBase
from django.shortcuts import render

from accounts.ledger.balances import balance, statement
from accounts.ledger.kinds import TransferKind
from accounts.permissions import PersonRequest, player_only
from accounts.services.game_accounts import open_game_account

LINES_A_PAGE = 50
LATEST_LINES = 20_000


@player_only
def account_statement(request: PersonRequest) -> HttpResponseBase:
    """Show the statement, the newest line first."""
    account = open_game_account(player=request.user).ledger_account
    latest = deque(statement(account), maxlen=LATEST_LINES)
    lines = [(line, TransferKind(line.kind).label) for line in reversed(latest)]
    page = Paginator(lines, LINES_A_PAGE).get_page(request.GET.get("page"))
    return render(request, "player/statement.html", {"page": page, "balance": balance(account)})
