"""A player's statement: every kopeck of the game account with its cause, on the page, as PDF and as CSV (E4)."""

from datetime import date

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from accounts.documents.statement import render_statement, statement_csv
from accounts.ledger.balances import balance
from accounts.ledger.kinds import TransferKind
from accounts.models import GameAccount
from accounts.permissions import PersonRequest, player_only
from accounts.services.game_accounts import open_game_account
from accounts.services.statements import line_words, shown_from, statement_facts, statement_period
from totalizator.core import clock
from totalizator.core.errors import DomainError
from totalizator.core.paging import page_of
from totalizator.engine.deadlines import legal_day

LINES_A_PAGE = 50


@player_only
def account_statement(request: PersonRequest) -> HttpResponseBase:
    """Show the statement of a period, the newest line first; unless another is asked for, of the last half-year."""
    account, first, last = _asked(request)
    asked = f"first={first}&last={last}"
    context = {"first": first, "last": last, "asked": asked, "balance": balance(account.ledger_account)}
    try:
        period = statement_period(account, first, last)
    except DomainError as refusal:
        return render(request, "player/statement.html", {**context, "refusal": refusal.message}, status=400)
    words = line_words(account, period)
    lines = [(line, TransferKind(line.kind).label, words[line.key]) for line in reversed(period.lines)]
    page = page_of(request, lines, LINES_A_PAGE)
    return render(request, "player/statement.html", {**context, "period": period, "page": page, "keep": f"{asked}&"})


@player_only
def statement_pdf(request: PersonRequest) -> HttpResponseBase:
    """Hand out the statement of a period as a PDF."""
    account, first, last = _asked(request)
    return _file(render_statement(statement_facts(account, first, last)), "application/pdf", f"{first}_{last}.pdf")


@player_only
def statement_table(request: PersonRequest) -> HttpResponseBase:
    """Hand out the statement of a period as CSV."""
    account, first, last = _asked(request)
    return _file(statement_csv(statement_facts(account, first, last)), "text/csv; charset=utf-8", f"{first}_{last}.csv")


def _asked(request: PersonRequest) -> tuple[GameAccount, date, date]:
    """Return the player's account, and the period that the address names; what is no day there is passed over."""
    today = legal_day(clock.now())
    last = _day(request.GET.get("last", "")) or today
    return (
        open_game_account(player=request.user),
        _day(request.GET.get("first", "")) or shown_from(min(last, today)),
        last,
    )


def _day(text: str) -> date | None:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if 2000 <= day.year <= 2999 else None


def _file(content: bytes, kind: str, name: str) -> HttpResponse:
    disposition = f'attachment; filename="statement_{name}"'
    return HttpResponse(content, content_type=kind, headers={"Content-Disposition": disposition})
