"""The organizer's pages of players: found by log-in, state, document or name; accounts that are alike (¶35.3, E1)."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render

from accounts.forms.players import DocumentForm, PlayersForm
from accounts.models import AccountState, GameAccount, TraitKind
from accounts.permissions import PersonRequest, organizer_only
from accounts.queries.block_proposals import standing_block_proposals
from accounts.queries.duplicates import likely_duplicates
from accounts.queries.players import accounts_of_players, initials_of
from accounts.services.personal_data import find_players
from totalizator.core.errors import DomainError
from totalizator.core.paging import kept, page_of
from totalizator.core.problem import add_refusal

PLAYERS_A_PAGE, LIKENESSES_A_PAGE, MOST_PROPOSALS = 50, 25, 20


@dataclass(frozen=True, slots=True)
class ShownPlayer:
    """A player in a list: nothing personal but a name's initials."""

    account: GameAccount
    state: AccountState
    initials: str
    is_recorded: bool
    is_verified: bool


@dataclass(frozen=True, slots=True)
class ShownLikeness:
    """What some accounts have in common, and these accounts."""

    kind: TraitKind
    players: Sequence[ShownPlayer]


@organizer_only
def players(request: PersonRequest) -> HttpResponseBase:
    """List players by log-in and state, and what waits for a second person; find one by document or name."""
    asked = DocumentForm(request.POST if request.method == "POST" else None)
    found = _found(asked, request)
    if len(found) == 1:
        return redirect("pools:player", number=found[0].pk)
    form = PlayersForm(request.GET)
    chosen = form.cleaned_data if form.is_valid() else {}
    name, state = chosen.get("name", ""), chosen.get("state", "")
    rows = accounts_of_players(name=name, state=state)
    if found:
        rows = rows.filter(pk__in=[account.pk for account in found])
    page = page_of(request, rows.order_by("-pk"), PLAYERS_A_PAGE)
    context = {
        "form": form,
        "asked": asked,
        "page": page,
        "shown": [_shown(account) for account in page],
        "keep": kept(request),
        "proposals": standing_block_proposals().order_by("proposed_at", "pk")[:MOST_PROPOSALS],
    }
    return render(request, "organizer/players.html", context, status=400 if asked.errors or form.errors else 200)


@organizer_only
def duplicates(request: PersonRequest) -> HttpResponseBase:
    """Show what two or more accounts have in common; whether it is one person, people decide."""
    page = page_of(request, likely_duplicates(), LIKENESSES_A_PAGE)
    persons = {person.player_id for likeness in page for person in likeness.persons}
    rows = accounts_of_players().filter(player__in=persons)
    accounts = {account.player_id: _shown(account) for account in rows}
    shown = [
        ShownLikeness(likeness.kind, [accounts[person.player_id] for person in likeness.persons if person.player_id])
        for likeness in page
    ]
    return render(request, "organizer/duplicates.html", {"page": page, "shown": shown})


def _found(asked: DocumentForm, request: PersonRequest) -> Sequence[GameAccount]:
    """Return whom the form names; a refusal stands beside its field."""
    if not (asked.is_bound and asked.is_valid()):
        return ()
    try:
        return find_players(**asked.cleaned_data, asked_by=request.user)
    except DomainError as refusal:
        add_refusal(asked, refusal)
    return ()


def _shown(account: GameAccount) -> ShownPlayer:
    person = account.player.person
    identity = getattr(person, "identity", None)
    initials = initials_of(identity.full_name) if identity is not None else ""
    is_verified = getattr(person, "verification", None) is not None
    return ShownPlayer(account, AccountState(account.state), initials, identity is not None, is_verified)
