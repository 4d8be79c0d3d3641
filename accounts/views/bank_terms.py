"""The organizer's pages of the bank's terms of cash: limits of points, payouts out of takings (¶9.6-9.7)."""

from datetime import date
from functools import partial

from django.contrib import messages
from django.core.paginator import Paginator
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from accounts.forms.bank import CashLimitForm, TakingsForm
from accounts.models import BettingPoint, CashLimit, TakingsAgreement
from accounts.permissions import PersonRequest, organizer_only
from accounts.services.bank_terms import record_cash_limit, record_takings_agreement
from totalizator.core import clock
from totalizator.core.acting import done_by_form
from totalizator.core.errors import DomainError, Refusal

ROWS_A_PAGE = 50


@organizer_only
def cash_limits(request: PersonRequest) -> HttpResponseBase:
    """Show the limits that were recorded, the latest first; record another."""
    form = CashLimitForm(request.POST or None)
    if done_by_form(form, partial(_limit, request)):
        messages.success(request, _("The limit is recorded; it holds from its day on."))
        return redirect("accounts:cash_limits")
    rows = CashLimit.objects.select_related("point", "recorded_by").order_by("-valid_from", "-pk")
    page = Paginator(rows, ROWS_A_PAGE).get_page(request.GET.get("page"))
    context = {"form": form, "page": page}
    return render(request, "organizer/money/cash_limits.html", context, status=400 if form.errors else 200)


@organizer_only
def takings(request: PersonRequest) -> HttpResponseBase:
    """Show the agreements of the bank, the latest first; record another."""
    form = TakingsForm(request.POST or None)
    if done_by_form(form, partial(_agree, request)):
        messages.success(request, _("The agreement is recorded."))
        return redirect("accounts:takings")
    rows = TakingsAgreement.objects.select_related("point", "recorded_by").order_by("-valid_from", "-pk")
    page = Paginator(rows, ROWS_A_PAGE).get_page(request.GET.get("page"))
    context = {"form": form, "page": page, "today": clock.today()}
    return render(request, "organizer/money/takings.html", context, status=400 if form.errors else 200)


def _limit(request: PersonRequest, *, point: str, amount: int | None, valid_from: date, document: str) -> None:
    told = {"amount": amount, "valid_from": valid_from, "document": document}
    record_cash_limit(point=_point(point), **told, by=request.user)  # type: ignore[arg-type]


def _agree(request: PersonRequest, *, point: str, number: str, bank: str, valid_from: date, valid_until: date) -> None:
    days = {"valid_from": valid_from, "valid_until": valid_until}
    at = _point(point) if point else None
    record_takings_agreement(number=number, bank=bank, **days, point=at, by=request.user)


def _point(code: str) -> BettingPoint:
    point = BettingPoint.objects.filter(code=code.strip()).first()
    if point is None:
        raise DomainError(Refusal.NOT_FOUND, _("There is no such betting point."), field="point")
    return point
