"""The living page of the design: every part that pages are made of, as it is now. For staff."""

from datetime import timedelta

from django import forms
from django.core.paginator import Paginator
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.models import Role
from accounts.permissions import PersonRequest, only
from totalizator.core import clock
from totalizator.core.charts import Chart, Series, column_chart, line_chart, share_chart

STAFF = (Role.ORGANIZER, Role.COMMISSION, Role.CASHIER, Role.REGULATOR)
AMOUNTS = (12_345, 240_050, 1_234_567, 1_890_000, 4_420_875)
TOKENS = (
    *("paper", "card", "sunk", "rule", "edge", "ink", "quiet", "accent", "accent-deep", "focus", "brand", "brand-deep"),
    *(
        "brand-mark",
        "gold",
        "gold-soft",
        "good",
        "good-soft",
        "info",
        "info-soft",
        "warn",
        "warn-soft",
        "bad",
        "bad-soft",
    ),
    *("chart-1", "chart-2", "chart-3", "chart-4"),
)
STATES: tuple[tuple[str, Promise], ...] = (
    ("open", _("open for bets")),
    ("settled", _("settled")),
    ("closed", _("closed")),
    ("cancelled", _("cancelled")),
    ("draft", _("draft")),
)


class SampleForm(forms.Form):
    """A field of each kind."""

    amount = forms.CharField(label=_("Stake, BYN"), widget=forms.TextInput(attrs={"inputmode": "decimal"}))
    email = forms.EmailField(label=_("Email"))
    game = forms.ChoiceField(label=_("Game"), choices=[("sportloto", _("Sportloto")), ("totolot", _("Totolot"))])
    reason = forms.CharField(label=_("Reason"), widget=forms.Textarea(attrs={"rows": 3}))
    accepted = forms.BooleanField(label=_("I have read the rules and accept them."))


@only(*STAFF)
def design(request: PersonRequest) -> HttpResponseBase:
    """Show the parts, in the reader's language and appearance."""
    now = clock.now()
    context = {
        "tokens": TOKENS,
        "form": SampleForm({"amount": "12,5x", "email": "player@", "game": "totolot"}),
        "amounts": (*AMOUNTS[:4], -50_000, None),
        "states": STATES,
        "now": now,
        "soon": now + timedelta(minutes=4, seconds=9),
        "later": now + timedelta(days=3, hours=4),
        "tabs": ((_("Pools"), "#tabs", True), (_("Recent results"), "#", False), (_("Jackpots"), "#", False)),
        "steps": (_("Coupon"), _("Price"), _("Paid"), _("Ticket")),
        "crumbs": ((_("Pools"), "/"), (_("Result"), "#")),
        "columns": (_("Pool"), _("Game"), _("Staked")),
        "rows": (("D1-5", _("Sportloto"), "—"), ("D1-4", _("Totolot"), "—")),
        "facts": ((_("Pool"), "D1-5"), (_("Rules version"), "2026-1")),
        "page": Paginator(range(90), 30).page(2),
        "charts": _charts(),
    }
    return render(request, "design.html", context)


def _charts() -> tuple[Chart, ...]:
    now = clock.now()
    instants = [now + timedelta(hours=6 * step) for step in range(len(AMOUNTS))]
    columns = ("", "")
    shares = [(f"{place}. A – B", [("1", 50 + place), ("X", 30), ("2", 20 - place)]) for place in (1, 2, 3)]
    return (
        Chart("line_chart", "", line_chart(instants, [Series("1", AMOUNTS)]), columns, ()),
        Chart(
            "column_chart",
            "",
            column_chart([f"{hour:02d}" for hour in range(24)], [*range(0, 4_800, 200)]),
            columns,
            (),
        ),
        Chart("share_chart", "", share_chart(shares), columns, ()),
    )
