"""The organizer's page of who is told of events: proposed by one, approved and stopped by another (U1)."""

from functools import partial

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from accounts.models import User
from accounts.permissions import PersonRequest, organizer_only
from pools.forms.system import StopForm, SubscriberForm
from pools.services.subscribers import (
    NewSubscriber,
    approve_stop,
    approve_subscriber,
    propose_stop,
    propose_subscriber,
)
from totalizator.core.acting import do_by_button, done_by_form
from totalizator.core.errors import DomainError
from totalizator.core.models import Subscriber, SubscriberState
from totalizator.core.outbox import last_sequence
from totalizator.core.outbox_kinds import EventKind
from totalizator.core.paging import page_of
from totalizator.core.problem import add_refusal

STOPPED_A_PAGE = 25


@never_cache
@organizer_only
def subscribers(request: PersonRequest) -> HttpResponseBase:
    """Show who is told and how far; propose one more, whose secret and token are shown in this answer alone."""
    form = SubscriberForm(request.POST or None)
    if form.is_bound and form.is_valid():
        try:
            proposed = propose_subscriber(**form.cleaned_data, proposed_by=request.user)
        except DomainError as refusal:
            add_refusal(form, refusal)
        else:
            return _page(request, SubscriberForm(), proposed=proposed)
    return _page(request, form)


@organizer_only
def approve(request: PersonRequest, number: int) -> HttpResponseBase:
    """Begin to tell whom another person proposed."""
    said = _("It is told of events from now on.")
    do_by_button(request, partial(approve_subscriber, number=number, approved_by=request.user), said=said)
    return redirect("pools:subscribers")


@organizer_only
def stop(request: PersonRequest) -> HttpResponseBase:
    """Withdraw a proposal, or propose to stop telling somebody."""
    form = StopForm(request.POST or None)
    if done_by_form(form, partial(propose_stop, proposed_by=request.user)):
        messages.success(request, _("It is noted. Who is told already is told until another person agrees."))
    elif form.is_bound:
        messages.error(request, str(next(iter(form.errors.values()))[0]))
    return redirect("pools:subscribers")


@organizer_only
def stop_approve(request: PersonRequest, number: int) -> HttpResponseBase:
    """Stop telling, as another person proposed."""
    said = _("It is told no more.")
    do_by_button(request, partial(approve_stop, number=number, approved_by=request.user), said=said)
    return redirect("pools:subscribers")


def _page(request: PersonRequest, form: SubscriberForm, *, proposed: NewSubscriber | None = None) -> HttpResponseBase:
    rows = Subscriber.objects.order_by("name", "-pk")
    standing = list(rows.exclude(state=SubscriberState.STOPPED))
    page = page_of(request, rows.filter(state=SubscriberState.STOPPED).order_by("-pk"), STOPPED_A_PAGE)
    names = _names([*standing, *page])
    last = last_sequence()
    context = {
        "form": form,
        "shown": [
            {
                "row": row,
                "kinds": [EventKind(kind).label for kind in row.kinds],
                "behind": max(0, last - row.delivered),
                "proposed_by": names.get(row.proposed_by, row.proposed_by),
                "stop_proposed_by": names.get(row.stop_proposed_by, row.stop_proposed_by),
                "mine": row.proposed_by == request.user.actor,
                "stop_mine": row.stop_proposed_by == request.user.actor,
                "stop": StopForm(initial={"number": row.pk}, auto_id=f"id_{row.pk}_%s"),
            }
            for row in standing
        ],
        "page": page,
        "proposed": proposed,
    }
    return render(request, "organizer/subscribers.html", context, status=400 if form.errors else 200)


def _names(rows: list[Subscriber]) -> dict[str, str]:
    """Return the names of those whom the rows name as `user:12`."""
    actors = {actor for row in rows for actor in (row.proposed_by, row.stop_proposed_by) if actor}
    numbers = [int(actor.removeprefix("user:")) for actor in actors if actor.removeprefix("user:").isdecimal()]
    return {user.actor: user.username for user in User.objects.filter(pk__in=numbers)}
