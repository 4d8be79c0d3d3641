"""Many coupons from a file, at a till or from one's account: checked line by line, then all sold or none (B7)."""

import secrets
from typing import Any

from django import forms
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy as _

from accounts.forms.persons import ask_person, person_asked
from accounts.ledger.balances import balance
from accounts.permissions import PersonRequest, seller_only
from accounts.services.till_printers import printer_of
from accounts.views.till_cash import cash_of
from pools.models import Pool
from pools.services.coupon_files import CheckedFile, check_file, sell_file
from pools.views.betting import source_of
from pools.views.public import takes_bets
from pools.views.reading import pool_or_404
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.money import parse_byn
from totalizator.core.problem import add_refusal, told

MOST_BYTES = 1_000_000
MOST_SHOWN = 100
PRINTED_AT_ONCE = 200


class CouponFileForm(forms.Form):
    """A text file of coupons, or the same text pasted."""

    file = forms.FileField(
        label=_("Text file, one coupon a line"),
        help_text=_("Such as 1X2…, with several marks in brackets: 1(X2)2; or 1;X;1+2. At most 5,000 lines, 1 MB."),
        required=False,
        allow_empty_file=True,
    )
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
    """Check a file of coupons; name each line that is wrong, or read all back with what they cost."""
    pool = pool_or_404(request, code)
    form = _form(pool, request.POST or None, request.FILES or None)
    context: dict[str, object] = {}
    if form.is_bound and form.is_valid():
        try:
            text, typed_stake = form.coupons(), form.cleaned_data.get("stake") or ""
            checked = checked_coupons(pool, text, typed_stake)
        except DomainError as refusal:
            add_refusal(form, refusal)
        else:
            context = _to_confirm(request, checked, text, typed_stake, secrets.token_urlsafe(24))
    page = {"pool": pool, "form": form, "takes_bets": takes_bets(pool), **_cash(request)}
    return render(request, "pools/upload.html", page | context, status=400 if form.errors else 200)


@seller_only
def sell_upload(request: PersonRequest, code: str) -> HttpResponseBase:
    """Sell the coupons that were read back, all or none; sent twice, they are sold once.

    What is refused says so on the page that was read back, whose button may be pressed again: it is the same sale. For
    a large sum in cash it asks first who pays (Q1).
    """
    pool = pool_or_404(request, code)
    if request.method != "POST":
        return redirect("pools:upload", code=code)
    text, typed_stake, token = (request.POST.get(name, "") for name in ("text", "stake", "token"))
    checked, asked = checked_coupons(pool, text, typed_stake), person_asked(request.POST)
    try:
        source = source_of(request, asked.person() if asked is not None else None)
        placed = sell_file(pool_code=code, checked=checked, source=source, idempotency_key=token)
    except DomainError as refusal:
        page: dict[str, object] = {"pool": pool, "form": _form(pool), "takes_bets": True, "why": told(refusal)}
        page |= _cash(request)
        try:
            page["person_form"] = ask_person(asked, refusal)
        except DomainError:
            page["refused"] = True
        page |= _to_confirm(request, checked, text, typed_stake, token)
        return render(request, "pools/upload.html", page, status=refusal.http_status)
    context = {"pool": pool, "placed": placed, "total": checked.total, "in_cash": source.till is not None}
    if source.till is not None:
        context |= {"text": text, "stake": typed_stake, "token": token, "parts": parts_of(len(placed))}
        context |= {"prints": bool(printer_of(source.till)), **cash_of(source.till)}
    return render(request, "pools/sold.html", context)


def parts_of(tickets: int) -> list[tuple[int, int]]:
    """Return the first and the last, from 1, of the tickets that are printed in one run."""
    return [(first, min(first + PRINTED_AT_ONCE - 1, tickets)) for first in range(1, tickets + 1, PRINTED_AT_ONCE)]


def checked_coupons(pool: Pool, text: str, typed_stake: str) -> CheckedFile:
    """Read the coupons as they were sent; :raises DomainError: BAD_VALUE naming `file` or `stake`."""
    stake = parse_byn(typed_stake, field="stake") if typed_stake else None
    return check_file(pool_code=pool.code, text=text, stake=stake)


def _to_confirm(request: PersonRequest, checked: CheckedFile, text: str, stake: str, token: str) -> dict[str, object]:
    """Return what reads the coupons back, with the faults of their lines and what there is to pay with."""
    source = source_of(request)
    money = balance(source.account)
    return {
        "checked": checked,
        "shown": checked.lines[:MOST_SHOWN],
        "hidden": max(0, len(checked.lines) - MOST_SHOWN),
        "lines": sum(line.lines for line in checked.lines),
        "faults": [(fault.number, fault.text, told(fault.fault)) for fault in checked.faults[:MOST_SHOWN]],
        "faulty": len(checked.faults),
        "text": text,
        "stake": stake,
        "token": token,
        "in_cash": source.till is not None,
        "balance": money,
        "enough": source.till is not None or money >= checked.total,
    }


def _cash(request: PersonRequest) -> dict[str, object]:
    """Return the cash of the till where a cashier sells, which stays in sight."""
    source = source_of(request)
    return cash_of(source.till) if source.till is not None else {}


def _form(pool: Pool, *sent: Any) -> CouponFileForm:
    """Return the form for a file; a stake is asked only where the pool has no price."""
    form = CouponFileForm(*sent)
    if pool.terms.price.line:
        del form.fields["stake"]
    return form
