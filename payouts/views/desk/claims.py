"""Claims to lost and damaged tickets at the desk: taken from who shows a document, paid once granted (K4)."""

import secrets

from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect

from accounts.forms.persons import PersonForm
from accounts.models import Till
from accounts.permissions import PersonRequest, cashier_only
from payouts.forms.desk import ClaimForm, ShownForm
from payouts.models import ClaimState, Mishap, PayableState, TicketClaim
from payouts.queries.large_payments import LargeStep, large_outlook
from payouts.queries.ticket_claims import payable_without_code
from payouts.queries.tickets import status_of
from payouts.services.phone_binding import bet_of_number
from payouts.services.recipients import ShownDocument
from payouts.services.ticket_claims import open_claim, pay_claim, prepare_large_claim
from payouts.services.ticket_scans import guess_slowly, note_scan
from payouts.views.desk.frame import show_desk, show_refused, till_of
from payouts.views.desk.paying import receipt_page
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.idempotency import do_once, fingerprint_of
from totalizator.core.problem import add_refusal

_MOST_DIGITS = 18
_TONES = {ClaimState.GRANTED: "accepted", ClaimState.PAID: "paid"} | dict.fromkeys(
    (ClaimState.REFUSED, ClaimState.LAPSED), "refused"
)


@cashier_only
def claims(request: PersonRequest) -> HttpResponseBase:
    """Hold a ticket for who lost it and shows a document; or find a claim by its number. No money moves by it."""
    number = request.GET.get("number", "").strip()
    if number.isascii() and number.isdigit() and len(number) <= _MOST_DIGITS:
        return redirect("payouts:till_claim", number=int(number))
    form, status = ClaimForm(request.POST or None), 200
    if form.is_bound:
        status = 400
        if form.is_valid():
            try:
                return _claim_page(request, _opened(request, form), answer=201)
            except DomainError as refused:
                refusal = _at_its_field(refused)
                if refusal.field not in form.fields:
                    return show_refused(request, refusal)
                add_refusal(form, refusal)
                status = refusal.http_status
    return show_desk(request, "cashier/claims.html", answer=status, form=form)


@cashier_only
def claim(request: PersonRequest, number: int) -> HttpResponseBase:
    """Show where a claim stands and what awaits; of the claimant nothing is told."""
    return _claim_page(request, _numbered(number))


@cashier_only
def pay(request: PersonRequest, number: int) -> HttpResponseBase:
    """Pay a granted claim in cash to the claimant, who shows the document once more; once however often it comes."""
    held, form = _numbered(number), PersonForm(request.POST or None)
    if not form.is_bound:
        return redirect("payouts:till_claim", number=number)
    token = request.POST.get("token", "")
    try:
        payment = pay_claim(claim=held, cashier=request.user, idempotency_key=token, person=form.person())
    except DomainError as refused:
        refusal = _at_its_field(refused)
        if refusal.field not in form.fields:
            return show_refused(request, refusal)
        if refusal.field not in form.errors:
            add_refusal(form, refusal)
        return _claim_page(request, held, answer=refusal.http_status, token=token, person_form=form)
    bet = bet_of_number(payment.ticket)
    if bet is not None and not payment.replayed:
        note_scan(status_of(bet), till=till_of(request), cashier=request.user)
    return receipt_page(request, payment)


@cashier_only
def prepare_large(request: PersonRequest, number: int) -> HttpResponseBase:
    """Prepare the payment of a large winning to a claimant, for another person to approve (K1)."""
    held, shown = _numbered(number), ShownForm(request.POST or None)
    if not shown.is_bound:
        return redirect("payouts:till_claim", number=number)
    token = request.POST.get("token", "")
    if not shown.is_valid():
        return _claim_page(request, held, answer=400, token=token, shown_form=shown)
    document = ShownDocument(**shown.cleaned_data)
    try:
        do_once(
            scope=f"acts:{request.user.actor}",
            key=token,
            fingerprint=fingerprint_of("prepare_large_claim", held.pk, *shown.cleaned_data.values()),
            answer="prepared",
            act=lambda: prepare_large_claim(claim=held, shown=document, cashier=request.user),
        )
    except DomainError as refused:
        refusal = _at_its_field(refused)
        if refusal.field not in shown.fields:
            return show_refused(request, refusal)
        add_refusal(shown, refusal)
        return _claim_page(request, held, answer=refusal.http_status, token=token, shown_form=shown)
    return _claim_page(request, held)


def _opened(request: PersonRequest, form: ClaimForm) -> TicketClaim:
    told = dict(form.cleaned_data)
    shown = ShownDocument(**{name: told[name] for name in ShownForm.base_fields})
    return guess_slowly(
        told["ticket"],
        request.user,
        lambda: open_claim(
            ticket=told["ticket"],
            check_code=told["check_code"],
            mishap=Mishap(told["mishap"]),
            story=told["story"],
            shown=shown,
            opened_by=request.user,
        ),
    )


def _at_its_field(refusal: DomainError) -> DomainError:
    """Return the refusal beside what the document says: another person than claimed, or one who is too young."""
    if refusal.field == "person":
        return DomainError(refusal.code, refusal.message, field="identity_number")
    if refusal.code == Refusal.UNDER_AGE:
        return DomainError(refusal.code, refusal.message, field="birth_date")
    return refusal


def _numbered(number: int) -> TicketClaim:
    return get_object_or_404(TicketClaim.objects.select_related("pool", "opened_by"), pk=min(number, 2**63 - 1))


def _claim_page(
    request: PersonRequest, held: TicketClaim, *, answer: int = 200, token: str = "", **more: object
) -> HttpResponseBase:
    context = {
        "claim": held,
        "tone": _TONES.get(ClaimState(held.state), "waits"),
        "token": token or secrets.token_urlsafe(24),
        **_to_pay(held, till_of(request)),
    }
    return show_desk(request, "cashier/claim.html", answer=answer, **(context | more))


def _to_pay(held: TicketClaim, till: Till) -> dict[str, object]:
    """Return what a granted claim still waits for, and the form that pays it or prepares the payment."""
    bet = bet_of_number(held.ticket)
    payable = status_of(bet).payable if bet is not None and held.state == ClaimState.GRANTED else None
    if payable is None or payable.state != PayableState.DUE:
        return {}
    now = clock.now()
    first = payable.payable_from if held.code_shown else payable_without_code(payable)
    if now < first:
        return {"paid_from": first}
    large = large_outlook(payable, till, now)
    return {
        "large": large,
        "amount": payable.amount,
        "person_form": PersonForm() if large is None or large.step == LargeStep.PAY else None,
        "shown_form": ShownForm() if large is not None and large.step == LargeStep.PREPARE else None,
    }
