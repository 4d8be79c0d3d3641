"""A prepaid card at the desk: shown by its number, sold for cash (D2)."""

import secrets
from functools import partial

from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _

from accounts.forms.persons import person_asked
from accounts.models import CardState, PrepaidCard
from accounts.permissions import PersonRequest, cashier_only
from accounts.services.account_slips import print_card_slip
from accounts.services.card_sale import sell_card
from accounts.services.change import change_of
from payouts.forms.desk import CardSaleForm
from payouts.views.desk.frame import answer_refusal, show_desk, show_refused, till_of
from payouts.views.desk.printing import print_slip_here
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.idempotency import was_answered


def show_card(request: PersonRequest, number: str) -> HttpResponseBase:
    """Show a card of this point: for sale, or what became of it. Of others nothing is told."""
    card = _card_here(request, number)
    if card is None:
        return show_refused(request, _not_here(), typed=number)
    form = CardSaleForm(
        initial={"series": card.batch.series, "number": card.number, "token": secrets.token_urlsafe(24)}
    )
    return _card_page(request, card, form)


@cashier_only
def sell(request: PersonRequest) -> HttpResponseBase:
    """Sell the card that was scanned, once however often the form comes."""
    form = CardSaleForm(request.POST or None)
    if not form.is_bound:
        return redirect("payouts:till")
    form.is_valid()
    card = _card_here(request, form.cleaned_data.get("number", ""))
    if card is None or set(form.errors) - {"given"}:
        return show_refused(request, _not_here())
    if form.errors:
        return _card_page(request, card, form, status=400)
    asked, token = person_asked(request.POST), form.cleaned_data["token"]
    replayed = was_answered(scope=f"till:{till_of(request).pk}", key=token)
    try:
        change = change_of(form.cleaned_data["given"], card.batch.face_value)
        card = sell_card(
            series=form.cleaned_data["series"],
            number=card.number,
            cashier=request.user,
            idempotency_key=token,
            person=asked.person() if asked is not None else None,
        )
    except DomainError as refusal:
        return answer_refusal(request, refusal, form, asked, partial(_card_page, request, card, form))
    context = {"card": card, "given": form.cleaned_data["given"], "change": change, "replayed": replayed}
    return show_desk(request, "cashier/card_sold.html", answer=200 if replayed else 201, **context)


@cashier_only
def card_receipt(request: PersonRequest, number: str) -> HttpResponseBase:
    """Print the receipt of a card that this till has sold; printed again it is a copy."""
    if request.method != "POST":
        return redirect("payouts:till")
    sold = PrepaidCard.objects.select_related("batch", "sold_at_till__point").filter(sold_at_till=till_of(request))
    card = get_object_or_404(sold, number=number)
    return print_slip_here(
        request, lambda draw: print_card_slip(card=card, asked_by=request.user, draw=draw), name=f"card-{card.number}"
    )


def _card_here(request: PersonRequest, number: str) -> PrepaidCard | None:
    cards = PrepaidCard.objects.select_related("batch", "sold_at_till__point")
    return cards.filter(number=number, point=till_of(request).point).first()


def _not_here() -> DomainError:
    return DomainError(Refusal.NOT_FOUND, _("There is no such card at this point."), field="number")


def _card_page(
    request: PersonRequest, card: PrepaidCard, form: CardSaleForm, *, status: int = 200, **more: object
) -> HttpResponseBase:
    for_sale = card.state == CardState.AT_POINT
    return show_desk(request, "cashier/card.html", answer=status, card=card, form=form, for_sale=for_sale, **more)
