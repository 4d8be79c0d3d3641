"""A player as the organizer's staff see one, and what they can do: verify, block by two, end (¶35.3, E1, E5)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any

from django import forms
from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.forms import players as written
from accounts.ledger.balances import balance
from accounts.models import AccountAct, AccountState, AmlCase, CaseKind, GameAccount, User, VerificationMethod
from accounts.models.game_accounts import MOVES
from accounts.permissions import PersonRequest, organizer_only
from accounts.queries.block_proposals import standing_block_proposal
from accounts.queries.duplicates import accounts_alike
from accounts.queries.players import initials_of
from accounts.queries.standing import standing_of
from accounts.services.blocking import block_account, propose_block, propose_unblock, unblock_account
from accounts.services.ending import end_registration, give_bank_account
from accounts.services.identity import record_identity, refuse_other_document, verify_identity
from accounts.services.personal_data import look_at_identity
from accounts.services.standing import bar_of
from pools.models import Bet
from totalizator.core import clock
from totalizator.core.acting import done_by_form
from totalizator.core.paging import page_of
from totalizator.core.problem import TITLES, told

BETS_A_PAGE, LAST = 20, 10


@dataclass(frozen=True, slots=True)
class Deed:
    """What can be done with a player: the form that says how, the service, and what is said afterwards."""

    form: type[forms.Form]
    do: Callable[..., object]
    said: str | Promise


def _record(account: GameAccount, staff: User, **document: Any) -> None:
    record_identity(player=account.player, **document, actor=staff.actor)


def _verify(account: GameAccount, staff: User, method: str, identity_number: str, birth_date: date) -> None:
    shown: dict[str, Any] = {"identity_number": identity_number, "birth_date": birth_date}
    refuse_other_document(player=account.player, **shown, field="identity_number")
    verify_identity(player=account.player, method=VerificationMethod(method), verified_by=staff)


def _propose(account: GameAccount, staff: User, what: str, reason: str) -> None:
    propose = propose_block if what == AccountAct.BLOCK else propose_unblock
    propose(account=account, reason=reason, proposed_by=staff)


def _approve(account: GameAccount, staff: User, what: str) -> None:
    approve = block_account if what == AccountAct.BLOCK else unblock_account
    approve(account=account, approved_by=staff)


def _end(account: GameAccount, staff: User, reason: str, sure: bool) -> None:  # noqa: ARG001
    end_registration(account=account, asked_by=staff, reason=reason)


def _give_account(account: GameAccount, staff: User, bank_account: str, document: str) -> None:
    give_bank_account(account=account, bank_account=bank_account, document=document, given_by=staff)


DEEDS: Mapping[str, Deed] = {
    "record": Deed(written.RecordForm, _record, _("The identity is recorded.")),
    "verify": Deed(written.VerifyForm, _verify, _("The identity is verified.")),
    "propose": Deed(written.BlockForm, _propose, _("Another person has to approve it now.")),
    "approve": Deed(written.ApproveBlockForm, _approve, _("It is done.")),
    "end": Deed(written.EndForm, _end, _("The registration ends; no bet is taken any more.")),
    "bank": Deed(written.PaperAccountForm, _give_account, _("The bank account is noted.")),
}


@organizer_only
def player(request: PersonRequest, number: int) -> HttpResponseBase:
    """Show a player; do what a form of the page says; show the personal data to who asks, on the record."""
    accounts = GameAccount.objects.select_related("player__person", "ledger_account")
    account = get_object_or_404(accounts, pk=number)
    if request.method == "POST" and request.POST.get("act") == "look":
        return _page(request, account, looked=look_at_identity(account=account, looked_by=request.user))
    name = request.POST.get("act", "")
    deed = DEEDS.get(name)
    if deed is None:
        return _page(request, account)
    form = deed.form(request.POST, auto_id=f"id_{name}_%s")
    if done_by_form(form, partial(deed.do, account, request.user)):
        messages.success(request, str(deed.said))
        return redirect("pools:player", number=number)
    account.refresh_from_db(fields=["state"])
    return _page(request, account, asked={name: form})


def _page(
    request: PersonRequest, account: GameAccount, *, asked: dict[str, forms.Form] | None = None, looked: Any = None
) -> HttpResponseBase:
    person, now = account.player.person, clock.now()
    bar = bar_of(standing_of(person, now), now)
    identity = getattr(person, "identity", None)
    verification = getattr(person, "verification", None)
    bets = Bet.objects.filter(player=account.player).select_related("pool").order_by("-registered_at", "ticket")
    cases = AmlCase.objects.filter(kind__in=CaseKind.values, subject=f"game_account:{account.pk}")
    proposal, ending = standing_block_proposal(account), getattr(account, "ending", None)
    context = {
        "account": account,
        "state": AccountState(account.state),
        "bar": told(bar) if bar is not None else "",
        "identity": identity,
        "initials": initials_of(identity.full_name) if identity is not None else "",
        "verification": verification,
        "looked": looked,
        "balance": balance(account.ledger_account),
        "limits": person.limits.order_by("kind", "period"),
        "raises": person.limit_raises.order_by("kind", "period"),
        "exclusions": person.exclusions.select_related("forwarded").order_by("-begins_at")[:LAST],
        "now": now,
        "page": page_of(request, bets, BETS_A_PAGE),
        "withdrawals": account.withdrawals.select_related("instrument").order_by("-pk")[:LAST],
        "cases": cases.order_by("-last_at")[:LAST],
        "alike": accounts_alike(person),
        "trial": getattr(account, "trial", None),
        "ending": ending,
        "waits_for": TITLES.get(ending.waits_for, ending.waits_for) if ending is not None else "",
        "proposal": proposal,
        "person": request.user,
        "forms": _forms(account, identity is not None, verification is not None) | (asked or {}),
    }
    wrong = any(form.errors for form in (asked or {}).values())
    return render(request, "organizer/player.html", context, status=400 if wrong else 200)


def _forms(account: GameAccount, is_recorded: bool, is_verified: bool) -> dict[str, forms.Form]:
    """Return the forms for what can be done with the account as it is."""
    state = AccountState(account.state)
    names: dict[str, dict[str, Any]] = {}
    if AccountState.ENDING in MOVES[state]:
        names["propose"] = {"what": AccountAct.BLOCK if state == AccountState.ACTIVE else AccountAct.UNBLOCK}
        names["end"] = {}
        if not is_verified:
            names["record"] = {}
            if is_recorded:
                names["verify"] = {}
    else:
        names["bank"] = {}
    return {name: DEEDS[name].form(initial=initial, auto_id=f"id_{name}_%s") for name, initial in names.items()}
