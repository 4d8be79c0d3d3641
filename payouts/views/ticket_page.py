"""The page that a ticket's QR code leads to: the bet, its path to the committed root, its result, its receipt (X2).

Who has the check code sees all of it. Who has not sees what is public: before settlement nothing of the bet.
"""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.db.models import Sum
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache

from payouts.queries import TicketStatus, ticket_status
from payouts.views.guarding import guarded_by_code
from pools.forms.coupon import GridRow, grid
from pools.models import Bet, Commitment, Computed, Correction, Pool, Winning
from pools.queries.winnings import rows_of
from pools.services.bet_receipts import receipt_of
from pools.services.printed_tickets import judge_ticket
from pools.services.tickets import pool_code_of
from pools.snapshots.pool_archives import archived_winnings, bet_with_ticket, is_archived
from pools.views.proofs import Step, climb, commitment_line, official
from pools.views.reading import pool_or_404
from totalizator.core.errors import DomainError
from totalizator.core.problem import add_refusal
from totalizator.engine.canonical import canonical_json, json_file, parse_json
from totalizator.engine.coupon import coupon_from_bits
from totalizator.engine.merkle import leaf_hash


class CheckCodeForm(forms.Form):
    """The check code, as printed."""

    check_code = forms.CharField(
        label=_("Check code"),
        max_length=40,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )


class PrintedTicketForm(forms.Form):
    """What the QR code of the ticket holds."""

    text = forms.CharField(
        label=_("What the QR code holds"),
        max_length=4_000,
        widget=forms.Textarea(attrs={"rows": 3, "autocomplete": "off", "spellcheck": "false"}),
    )


@dataclass(frozen=True, slots=True)
class ShownProof:
    """A receipt's proofs, hashes in hex: the bet's leaf and its way to the root, the commitment's line and its way."""

    leaf: str
    steps: tuple[Step, ...]
    log_leaf: str
    log_steps: tuple[Step, ...]


@never_cache
def ticket_page(request: HttpRequest, ticket: str) -> HttpResponseBase:
    """Show a ticket; the code comes by POST, so that no address, no history and no log of a server has it."""
    number = ticket.upper()
    pool = pool_or_404(request, pool_code_of(number))
    signed = PrintedTicketForm(request.POST if "text" in request.POST else None)
    form = CheckCodeForm(request.POST if request.method == "POST" and not signed.is_bound else None)
    held, status = None, 400 if form.is_bound or signed.is_bound else 200
    judged = None
    if signed.is_valid():
        judged, status = judge_ticket(signed.cleaned_data["text"], number), 200
    if form.is_valid():
        try:
            held, status = _held(request, number, form.cleaned_data["check_code"]), 200
        except DomainError as refusal:
            add_refusal(form, refusal)
            status = refusal.http_status
    context: dict[str, Any] = _public(pool, number) | {"form": form, "signed": signed, "judged": judged}
    if held is not None:
        receipt = receipt_of(held.bet)
        if "receipt" in request.POST:
            return _file(number, receipt)
        context |= {"status": held, "receipt": receipt, "proof": shown_proof(receipt)}
        context |= _bet_shown(held.bet)
    return render(request, "payouts/ticket.html", context, status=status)


def shown_proof(receipt: dict[str, Any]) -> ShownProof | None:
    """Take a receipt apart; None before the pool's bets are committed to."""
    if "commitment" not in receipt:
        return None
    leaf = leaf_hash(receipt["bet"].encode())
    log = receipt["log"]
    log_leaf = leaf_hash(canonical_json(log["entry"]))
    return ShownProof(
        leaf.hex(),
        tuple(climb(leaf, receipt["index"], receipt["commitment"]["count"], _hashes(receipt["path"]))),
        log_leaf.hex(),
        tuple(climb(log_leaf, log["entry"]["index"], log["head"]["size"], _hashes(log["path"]))),
    )


def _held(request: HttpRequest, number: str, code: str) -> TicketStatus:
    """Look up with the code; wrong codes count together with those that the API was given."""
    return guarded_by_code(request, number, lambda: ticket_status(number, code))


def _public(pool: Pool, number: str) -> dict[str, Any]:
    """Return what anyone may see: of an officially settled pool all bets are published, by their tickets."""
    settlement = official(pool)
    bet = bet_with_ticket(number, pool.code) if settlement else None
    return {
        "ticket": number,
        "pool": pool,
        "settlement": settlement,
        "commitment": Commitment.objects.filter(pool=pool).first(),
        "line": commitment_line(pool),
        "late": settlement is not None and number in _late(settlement),
        "winnings": _winnings(pool, settlement, number),
        "won_before": _won_before(pool, settlement, number),
    } | (_bet_shown(bet) if bet is not None else {})


def _bet_shown(bet: Bet) -> dict[str, Any]:
    rows: tuple[GridRow, ...] = grid(bet.pool.terms, coupon_from_bits(bet.pool.terms, bet.bits).selections)
    return {"bet": bet, "rows": rows}


def _winnings(pool: Pool, settlement: Computed | None, number: str) -> Any:
    if settlement is None:
        return ()
    if is_archived(pool):
        return archived_winnings(pool, number, corrected=isinstance(settlement, Correction))
    return rows_of(settlement).objects.filter(pool=pool, ticket=number).order_by("level")


def _won_before(pool: Pool, settlement: Computed | None, number: str) -> int | None:
    """Return what a ticket had won by a settlement that was corrected since (H5)."""
    if not isinstance(settlement, Correction):
        return None
    if is_archived(pool):
        return sum(row.amount for row in archived_winnings(pool, number, corrected=False))
    rows = Winning.objects.filter(pool=pool, ticket=number)
    return int(rows.aggregate(total=Sum("amount", default=0))["total"])


def _late(settlement: Computed) -> list[str]:
    late: list[str] = parse_json(settlement.statement_text.encode(), where="statement.json")["late"]
    return late


def _file(number: str, receipt: dict[str, Any]) -> HttpResponse:
    answer = HttpResponse(json_file(receipt), content_type="application/json; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="receipt-{number}.json"'
    return answer


def _hashes(path: list[str]) -> list[bytes]:
    return [bytes.fromhex(node) for node in path]
