"""The organizer's pages of transfers without a place: whose they are, one proposes, another approves (¶9.13, ¶17)."""

from contextlib import suppress
from functools import partial

from django.contrib import messages
from django.db.models import Count, Q, QuerySet, Sum
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from accounts.models import GameAccount, Outcome, Receipt, TopUpWay, WhyOpen
from accounts.permissions import PersonRequest, organizer_only
from accounts.services.topups import credit_transfer
from accounts.services.traits import person_of_bank_account
from accounts.services.transfer_references import ReferenceKind, read_reference
from pools.forms.transfers import DocumentTransferForm, ReceiptForm
from pools.models import BetOrder, ReceiptProposal
from pools.queries.receipt_candidates import (
    Candidates,
    found_accounts,
    found_orders,
    likely_orders,
    waiting_of_payer,
)
from pools.queries.receipts import unexplained_debits
from pools.services.receipt_decisions import Target, approve_decision, propose_decision
from totalizator.core import clock
from totalizator.core.acting import do_by_button, done_by_form
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.money import parse_byn
from totalizator.core.paging import page_of
from totalizator.core.problem import TITLES

TRANSFERS_A_PAGE, DEBITS_A_PAGE, LONGEST_SEARCH = 50, 50, 100


@organizer_only
def transfers(request: PersonRequest) -> HttpResponseBase:
    """List the money that waits, the oldest first: all, by why it waits, or by its sum, reference or payer."""
    why, words = request.GET.get("why", ""), _searched(request)
    waiting = _waiting()
    by_why = {row["why"]: row for row in waiting.order_by().values("why").annotate(number=Count("pk"))}
    rows = _found(waiting.filter(why=why) if why in by_why else waiting, words)
    page = page_of(request, rows.order_by("line__booked_on", "pk"), TRANSFERS_A_PAGE)
    latest = ReceiptProposal.objects.filter(receipt__in=list(page)).order_by("receipt_id", "-pk").distinct("receipt_id")
    proposals = {each.receipt_id: each for each in latest.select_related("decision", "proposed_by")}
    standing = {number for number, each in proposals.items() if not hasattr(each, "decision")}
    kinds = [(kind.value, kind.label, by_why[kind.value]["number"]) for kind in WhyOpen if kind.value in by_why]
    context = {
        "page": page,
        "shown": [(receipt, receipt.pk in standing) for receipt in page],
        "tabs": [(_("all"), "?", why not in by_why)]
        + [(f"{label}: {number}", f"?why={value}", value == why) for value, label, number in kinds],
        "total": waiting.aggregate(total=Sum("open_amount", default=0))["total"],
        "words": words,
        "why": why if why in by_why else "",
        "keep": f"{urlencode({'why': why, 'q': words})}&" if words or why in by_why else "",
    }
    return render(request, "organizer/money/transfers.html", context)


@organizer_only
def transfer(request: PersonRequest, number: int) -> HttpResponseBase:
    """Show one receipt, for whom it may be, and what is proposed; take a proposal while it waits."""
    receipt = get_object_or_404(Receipt.objects.select_related("line__words", "line__account"), pk=number)
    waits = receipt.why not in (WhyOpen.NEW, WhyOpen.PLACED)
    named = {name: request.GET[name][:150] for name in ("outcome", "account", "order") if name in request.GET}
    form = ReceiptForm(request.POST or None, initial=named) if waits else None
    if form is not None and done_by_form(form, partial(_propose, request, receipt)):
        messages.info(request, _("Another person has to approve it now."))
        return redirect("pools:transfer", number=number)
    proposals = ReceiptProposal.objects.filter(receipt=receipt).select_related(
        "proposed_by", "decision__approved_by", "account__player", "order"
    )
    words = _searched(request)
    context = {
        "receipt": receipt,
        "refusal": TITLES.get(receipt.refusal, ""),
        "proposal": proposals.order_by("-pk").first(),
        "placements": receipt.placements.order_by("number"),
        "form": form,
        "words": words,
        "candidates": _candidates(receipt, words) if waits else None,
        "person": request.user,
    }
    status = 400 if form is not None and form.errors else 200
    return render(request, "organizer/money/transfer.html", context, status=status)


@organizer_only
def approve(request: PersonRequest, number: int) -> HttpResponseBase:
    """Place the money as another person proposed."""
    proposal = get_object_or_404(ReceiptProposal, pk=number)
    do_by_button(
        request,
        partial(approve_decision, proposal=proposal, approved_by=request.user),
        said=_("The money has its place."),
    )
    return redirect("pools:transfer", number=proposal.receipt_id)


@organizer_only
def by_document(request: PersonRequest) -> HttpResponseBase:
    """Credit a transfer to a player's account that a document tells of, once for the document (¶35.5-35.6)."""
    form = DocumentTransferForm(request.POST or None, initial={"received_at": clock.now()})
    if done_by_form(form, partial(_credit, request)):
        return redirect("pools:transfer_by_document")
    return render(request, "organizer/money/by_document.html", {"form": form}, status=400 if form.errors else 200)


@organizer_only
def other_debits(request: PersonRequest) -> HttpResponseBase:
    """List what left the bank account without a payment order of ours, the latest first."""
    rows = unexplained_debits().select_related("account", "statement").order_by("-pk")
    context = {"page": page_of(request, rows, DEBITS_A_PAGE)}
    return render(request, "organizer/money/other_debits.html", context)


def _waiting() -> QuerySet[Receipt]:
    waits = Receipt.objects.exclude(why__in=[WhyOpen.NEW, WhyOpen.PLACED])
    return waits.select_related("line__words", "line__account")


def _found(rows: QuerySet[Receipt], words: str) -> QuerySet[Receipt]:
    """Return those that the words name: by the reference, by the sum, or by who paid."""
    if not words:
        return rows
    named = Q(reference__icontains=words) | Q(pk__in=waiting_of_payer(rows, words))
    with suppress(DomainError):  # the words are no sum
        named |= Q(open_amount=parse_byn(words))
    return rows.filter(named)


def _searched(request: PersonRequest) -> str:
    return " ".join(request.GET.get("q", "").replace("\0", "").split())[:LONGEST_SEARCH]


def _candidates(receipt: Receipt, words: str) -> Candidates:
    """Return whom the words name, a reference or a number, too; without words who is likely by the transfer itself."""
    read = read_reference(words or receipt.reference).reference
    numbers: dict[ReferenceKind, set[int]] = {kind: set() for kind in ReferenceKind}
    if read is not None:
        numbers[read.kind].add(read.number)
    if words.isascii() and words.isdigit() and len(words) < 19:
        for kind in ReferenceKind:
            numbers[kind].add(int(words))
    accounts = found_accounts(numbers[ReferenceKind.GAME_ACCOUNT], words)
    orders = found_orders(numbers[ReferenceKind.BET_ORDER], words)
    if words:
        return Candidates(accounts, orders)
    return Candidates(
        accounts=[*accounts, *(each for each in _of_payer(receipt) if each not in accounts)],
        orders=[*orders, *(each for each in likely_orders(receipt) if each not in orders)],
    )


def _of_payer(receipt: Receipt) -> list[GameAccount]:
    """Return the game account of the verified player whose bank account it was paid from, if it is one's."""
    paid_from = receipt.line.words.party_account
    person = person_of_bank_account(paid_from) if paid_from else None
    if person is None or person.player_id is None:
        return []
    return list(GameAccount.objects.select_related("player").filter(player=person.player_id))


def _propose(request: PersonRequest, receipt: Receipt, **told: object) -> None:
    name, order = told["account"], told["order"]
    target = Target(
        account=_account(str(name)) if name else None,
        order=_order(order) if isinstance(order, int) else None,
        payee_name=str(told["payee_name"]),
        payee_account=str(told["payee_account"]),
        payee_address=str(told["payee_address"]),
    )
    propose_decision(
        line_id=receipt.pk,
        outcome=Outcome(str(told["outcome"])),
        target=target,
        reason=str(told["reason"]),
        document=str(told["document"]),
        proposed_by=request.user,
    )


def _credit(request: PersonRequest, **told: object) -> None:
    account, begun = _account(str(told.pop("account"))), clock.now()
    method = TopUpWay(str(told.pop("method")))
    top_up = credit_transfer(account=account, method=method, **told, by=request.user)  # type: ignore[arg-type]
    if top_up.credited_at < begun:
        messages.warning(request, _("This document was credited before: nothing has changed."))
    else:
        messages.success(request, _("The transfer is on the account of %(player)s.") % {"player": account.player})


def _account(username: str) -> GameAccount:
    account = GameAccount.objects.select_related("ledger_account", "player__person")
    found = account.filter(player__username=username.strip()).first()
    if found is None:
        raise DomainError(Refusal.NOT_FOUND, _("No player has this name."), field="account")
    return found


def _order(number: int) -> BetOrder:
    found = BetOrder.objects.filter(pk=number).first()
    if found is None:
        raise DomainError(Refusal.NOT_FOUND, _("There is no bet order with this number."), field="order")
    return found
