"""A player's page of limits on the own play: lowered at once, raised after a day and a second yes (P1)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from accounts.models import LimitKind, LimitPeriod, LimitRaise, Person, PlayLimit, User
from accounts.permissions import PersonRequest, only_reads_of, player_only
from accounts.services.game_accounts import open_game_account
from accounts.services.limits import ask_to_remove_limit, confirm_raise, deposited_since, set_limit
from accounts.services.persons import person_of
from pools.forms.limits import LimitForm, WhichLimitForm
from pools.services.players import used_since
from totalizator.core import clock
from totalizator.core.acting import do_by_button
from totalizator.core.errors import DomainError
from totalizator.core.legal import legal_numbers
from totalizator.core.localtime import local_text
from totalizator.core.problem import add_refusal


@dataclass(frozen=True, slots=True)
class ShownLimit:
    """What one kind of play is limited to in one period, in kopecks; None: not at all."""

    kind: LimitKind
    period: LimitPeriod
    amount: int | None
    used: int
    waiting: LimitRaise | None
    is_ready: bool

    @property
    def left(self) -> int | None:
        """What is left of the limit."""
        return None if self.amount is None else max(0, self.amount - self.used)


@player_only
def limits(request: PersonRequest) -> HttpResponseBase:
    """Show every limit with what is used of it and what waits; set one."""
    open_game_account(player=request.user)
    asked = {name: request.GET.get(name, "") for name in ("kind", "period")}
    form = LimitForm(request.POST or None, initial=asked)
    if form.is_bound and form.is_valid():
        kind, period = form.which()
        try:
            done = set_limit(
                person=person_of(request.user),
                kind=kind,
                period=period,
                amount=form.cleaned_data["amount"],
                actor=request.user.actor,
            )
        except DomainError as refusal:
            add_refusal(form, refusal)
        else:
            _say(request, done)
            return redirect("pools:limits")
    return _page(request, form)


@player_only
def change_limit(request: PersonRequest, act: str) -> HttpResponseBase:
    """Ask to remove a limit, confirm what has waited long enough, or keep the limit as it is."""
    if act not in ACTS:
        raise Http404
    open_game_account(player=request.user)
    form = WhichLimitForm(request.POST)
    if form.is_valid():
        kind, period = form.which()
        person, said = person_of(request.user), {"remove": _asked(), "confirm": _done(), "keep": _kept()}
        do_by_button(
            request,
            partial(ACTS[act], person=person, kind=kind, period=period, actor=request.user.actor),
            said=said[act],
        )
    return redirect("pools:limits")


def _keep(*, person: Person, kind: LimitKind, period: LimitPeriod, actor: str) -> None:
    """Set the limit that holds once more, which forgets the wish to raise it."""
    standing = PlayLimit.objects.filter(person=person, kind=kind, period=period).first()
    if standing is not None:
        set_limit(person=person, kind=kind, period=period, amount=standing.amount, actor=actor)


ACTS: Mapping[str, Callable[..., object]] = {"remove": ask_to_remove_limit, "confirm": confirm_raise, "keep": _keep}


def _asked() -> str:
    hours = int(legal_numbers(clock.now())["limit_raise_hours"])
    return _("The limit is removed once you confirm it here, in %(hours)s hours or later.") % {"hours": hours}


def _done() -> str:
    return _("It is changed; it holds from now on.")


def _kept() -> str:
    return _("The limit stays as it is.")


def _say(request: PersonRequest, done: PlayLimit | LimitRaise) -> None:
    if isinstance(done, PlayLimit):
        messages.success(request, _("The limit holds from now on, in every channel."))
    else:
        when = {"when": local_text(done.ready_at)}
        messages.info(
            request,
            _("A higher limit has to wait: confirm it here from %(when)s. Until then the old one holds.") % when,
        )


def _page(request: PersonRequest, form: LimitForm) -> HttpResponse:
    groups: dict[str, list[ShownLimit]] = {}
    for limit in shown_limits(request.user):
        groups.setdefault(str(limit.kind.label), []).append(limit)
    context = {
        "form": form,
        "groups": groups.items(),
        "hours": int(legal_numbers(clock.now())["limit_raise_hours"]),
        "reads_only": only_reads_of(request.user.game_account),
    }
    return render(request, "player/account/limits.html", context, status=400 if form.errors else 200)


def shown_limits(player: User) -> list[ShownLimit]:
    """Return every kind of limit in every period, set or not."""
    person, at = person_of(player), clock.now()
    standing = {(each.kind, each.period): each.amount for each in PlayLimit.objects.filter(person=person)}
    waiting = {(each.kind, each.period): each for each in LimitRaise.objects.filter(person=person)}
    shown = []
    for kind in LimitKind:
        instants = [at - period.length for period in LimitPeriod]
        deposits = kind == LimitKind.DEPOSIT
        sums = deposited_since(player, *instants) if deposits else used_since(kind, person, *instants)
        for period, used in zip(LimitPeriod, sums, strict=True):
            wish = waiting.get((kind.value, period.value))
            amount, ready = standing.get((kind.value, period.value)), wish is not None and wish.ready_at <= at
            shown.append(ShownLimit(kind, period, amount, used, wish, ready))
    return shown
