"""A dispute of who brought a ticket to the desk (¶45)."""

from django.http.response import HttpResponseBase
from django.shortcuts import redirect

from accounts.permissions import PersonRequest, cashier_only
from payouts.forms.desk import DeskDisputeForm
from payouts.forms.tickets import TicketForm
from payouts.models import Dispute
from payouts.services.disputes import dispute_at_desk
from payouts.services.ticket_scans import guess_slowly
from payouts.views.desk.checking import show_again
from payouts.views.desk.frame import show_desk, show_refused
from totalizator.core.errors import DomainError
from totalizator.core.idempotency import do_once, fingerprint_of


@cashier_only
def dispute(request: PersonRequest) -> HttpResponseBase:
    """Write down what who holds the ticket disputes, once however often the form comes; nothing is paid meanwhile."""
    form, told = TicketForm(request.POST or None), DeskDisputeForm(request.POST or None)
    if not form.is_bound or not form.is_valid():
        return redirect("payouts:till")
    ticket, code, token = form.cleaned_data["ticket"], form.cleaned_data["check_code"], request.POST.get("token", "")
    story = told.cleaned_data["story"] if told.is_valid() else ""

    def act() -> str:
        return do_once(
            scope=f"acts:{request.user.actor}",
            key=token,
            fingerprint=fingerprint_of("desk_dispute", ticket, story),
            answer="disputed",
            act=lambda: dispute_at_desk(ticket=ticket, check_code=code, story=story, opened_by=request.user),
        )

    try:
        if not story:
            return show_again(request, ticket, code, token, answer=400, dispute_form=told)
        guess_slowly(ticket, request.user, act)
    except DomainError as refusal:
        return show_refused(request, refusal)
    opened = Dispute.objects.filter(ticket=ticket).latest("pk")
    return show_desk(request, "cashier/disputed.html", answer=201, dispute=opened)
