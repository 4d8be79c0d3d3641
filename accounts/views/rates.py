"""The organizer's page of currency rates: what holds, and a file of new ones (¶35.4)."""

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import ngettext

from accounts.forms.tables import RatesForm
from accounts.models import CurrencyRate
from accounts.permissions import PersonRequest, organizer_only
from accounts.services.currencies import FaultyRate, import_rates
from totalizator.core.errors import DomainError
from totalizator.core.paging import page_of
from totalizator.core.problem import told

RATES_A_PAGE = 30


@organizer_only
def rates(request: PersonRequest) -> HttpResponseBase:
    """List the rates; read a file, whose faulty lines keep no other line out and are told by their numbers."""
    form, faults = RatesForm(request.POST or None, request.FILES or None), tuple[FaultyRate, ...]()
    if form.is_bound and form.is_valid():
        try:
            read = import_rates(**form.cleaned_data, actor=request.user.actor)
        except DomainError as refusal:
            form.add_error("text" if refusal.field == "file" else None, told(refusal))
        else:
            said = ngettext("%(new)s new rate is read.", "%(new)s new rates are read.", read.new) % {"new": read.new}
            messages.success(request, said)
            if not read.faults:
                return redirect("accounts:rates")
            faults = read.faults
    context = {
        "form": form,
        "faults": [(faulty.number, told(faulty.fault)) for faulty in faults],
        "page": page_of(request, CurrencyRate.objects.order_by("-valid_on", "currency"), RATES_A_PAGE),
    }
    return render(request, "organizer/rates.html", context, status=400 if form.errors else 200)
