"""The organizer's page of significant events that nobody has seen to: who says what was done (N4)."""

from functools import partial

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from accounts.permissions import PersonRequest, organizer_only
from payouts.forms.deciding import SeenForm
from payouts.queries.reports.significant import SignificantEvent
from payouts.queries.waiting.of_the_system import unseen_events
from payouts.services.significant_events import acknowledge_event
from totalizator.core import clock
from totalizator.core.acting import done_by_form

MOST_EVENTS = 50


@organizer_only
def events(request: PersonRequest) -> HttpResponseBase:
    """Show the oldest events that nobody has seen to; take what was done about one of them."""
    form = SeenForm(request.POST or None)
    if done_by_form(form, partial(acknowledge_event, acknowledged_by=request.user)):
        messages.success(request, _("It is noted."))
        return redirect("payouts:events")
    now = clock.now()
    unseen = unseen_events(now)
    shown = [(event, event.overdue(now), _form(place, event, form)) for place, event in enumerate(unseen[:MOST_EVENTS])]
    here = form.is_bound and any(item is form for _event, _late, item in shown)
    context = {"shown": shown, "more": len(unseen) - len(shown), "form": None if here else form}
    return render(request, "organizer/events.html", context, status=400 if form.errors else 200)


def _form(place: int, event: SignificantEvent, asked: SeenForm) -> SeenForm:
    if asked.is_bound and asked.data.get("key") == event.key:
        return asked
    return SeenForm(initial={"key": event.key}, auto_id=f"id_{place}_%s")
