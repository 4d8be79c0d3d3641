"""Selling many coupons from a file: checked line by line, read back as a whole, then all sold or none (B7)."""

import secrets
from typing import Any

from django import forms
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy as _

from accounts.forms.persons import ask_person, person_asked
from accounts.permissions import PersonRequest, seller_only
from pools.models import Pool
from pools.services.coupon_files import check_file, sell_file
from pools.views.betting import source_of
from pools.views.reading import pool_or_404
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.money import parse_byn
from totalizator.core.problem import add_refusal, told

MOST_BYTES = 1_000_000


class CouponFileForm(forms.Form):
    """A text file of coupons, or the same text pasted."""

    file = forms.FileField(label=_("Text file, one coupon a line"), required=False, allow_empty_file=True)
    text = forms.CharField(
        label=_("Or the coupons themselves"), widget=forms.Textarea(attrs={"rows": 8}), required=False
    )
    stake = forms.CharField(label=_("Stake of each coupon, BYN"), required=False, max_length=20)

    def coupons(self) -> str:
        """Return the text of the coupons.

        :raises DomainError: BAD_VALUE for a file that is too long or no text.
        """
        upload = self.cleaned_data["file"]
        if not upload:
            return str(self.cleaned_data["text"])
        if upload.size > MOST_BYTES:
            raise DomainError(Refusal.BAD_VALUE, _("The file must be at most 1 MB long."), field="file")
        try:
            return str(upload.read().decode("utf-8-sig"))
        except UnicodeDecodeError as fault:
            raise DomainError(Refusal.BAD_VALUE, _("The file must be text in UTF-8."), field="file") from fault


@seller_only
def upload(request: PersonRequest, code: str) -> HttpResponseBase:
    """Check a file of coupons; name each line that is wrong, or show what all cost."""
    pool = pool_or_404(request, code)
    form = _form(pool, request.POST or None, request.FILES or None)
    context: dict[str, object] = {"pool": pool, "form": form}
    if form.is_bound and form.is_valid():
        try:
            text, typed_stake = form.coupons(), form.cleaned_data.get("stake")
            stake = parse_byn(typed_stake, field="stake") if typed_stake else None
            checked = check_file(pool_code=code, text=text, stake=stake)
        except DomainError as refusal:
            add_refusal(form, refusal)
        else:
            context |= {
                "checked": checked,
                "faults": [(fault.number, fault.text, told(fault.fault)) for fault in checked.faults],
                "text": text,
                "stake": typed_stake or "",
                "token": secrets.token_urlsafe(24),
            }
    return render(request, "cashier/upload.html", context, status=400 if form.errors else 200)


@seller_only
def sell_upload(request: PersonRequest, code: str) -> HttpResponseBase:
    """Sell the coupons that were read back, all or none; sent twice, they are sold once.

    For a large sum in cash it asks first who pays (Q1).
    """
    pool = pool_or_404(request, code)
    if request.method != "POST":
        return redirect("pools:upload", code=code)
    text, typed_stake, token = (request.POST.get(name, "") for name in ("text", "stake", "token"))
    stake = parse_byn(typed_stake, field="stake") if typed_stake else None
    checked = check_file(pool_code=code, text=text, stake=stake)
    asked = person_asked(request.POST)
    try:
        source = source_of(request, asked.person() if asked is not None else None)
        placed = sell_file(pool_code=code, checked=checked, source=source, idempotency_key=token)
    except DomainError as refusal:
        asking = {"person_form": ask_person(asked, refusal), "why": told(refusal)}
        page = {"pool": pool, "form": _form(pool), "checked": checked, "text": text, "stake": typed_stake}
        return render(request, "cashier/upload.html", page | asking | {"token": token}, status=refusal.http_status)
    return render(request, "cashier/sold.html", {"pool": pool, "placed": placed, "total": checked.total})


def _form(pool: Pool, *sent: Any) -> CouponFileForm:
    """Return the form for a file; a stake is asked only where the pool has no price."""
    form = CouponFileForm(*sent)
    if pool.terms.price.line:
        del form.fields["stake"]
    return form
