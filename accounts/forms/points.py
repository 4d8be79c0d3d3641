"""What staff write of betting points, their papers and equipment, and of agents (¶7, ¶9.3-9.7, ¶35.1)."""

from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.forms.amounts import AmountField
from accounts.forms.days import DayField
from accounts.forms.named import CashierField
from accounts.models import Agent, DocumentKind, PointKind
from accounts.services.points import POINT_CODE
from totalizator.core.filed_files import MOST_BYTES

_MONEY = {"inputmode": "decimal", "autocomplete": "off"}
_EVERYTHING = [("", _("all"))]


class FindPointsForm(forms.Form):
    """Which points are listed; nothing filled in: all."""

    q = forms.CharField(label=_("Code, name or address"), max_length=100, required=False)
    kind = forms.ChoiceField(label=_("Kind"), choices=[*_EVERYTHING, *PointKind.choices], required=False)
    town = forms.ChoiceField(label=_("Town"), required=False)
    show = forms.ChoiceField(
        label=_("State"),
        choices=[
            *_EVERYTHING,
            ("on", pgettext_lazy("equipment", "on")),
            ("off", pgettext_lazy("equipment", "off")),
            ("papers", _("papers end or are missing")),
            ("cash", _("cash near its limit")),
        ],
        required=False,
    )

    def __init__(self, towns: list[str], *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        choices = [*_EVERYTHING, *((name, name) for name in towns)]
        self.fields["town"] = forms.ChoiceField(label=_("Town"), choices=choices, required=False)


class PointForm(forms.Form):
    """A point; an agent's has its agent."""

    code = forms.CharField(
        label=_("Code"),
        max_length=12,
        validators=[RegexValidator(POINT_CODE, _("Letters of the Latin alphabet, digits and ._:- only."))],
        help_text=_("As it stands on tickets; it never changes."),
    )
    name = forms.CharField(label=_("Name"), max_length=200)
    kind = forms.ChoiceField(label=_("Kind"), choices=PointKind.choices)
    agent = forms.ModelChoiceField(
        label=_("Agent"),
        queryset=Agent.objects.order_by("name", "pk"),
        required=False,
        help_text=_("Only of an agent's point, and for good."),
    )
    address = forms.CharField(label=_("Address"), max_length=300, required=False, help_text=_("The town comes first."))
    time_zone = forms.CharField(label=_("Time zone"), max_length=40, initial="Europe/Minsk")

    def clean_time_zone(self) -> str:
        """Refuse what is no zone."""
        zone: str = self.cleaned_data["time_zone"]
        if "/" not in zone or zone not in available_timezones():
            raise ValidationError(_("There is no such time zone."))
        return zone

    def clean_kind(self) -> PointKind:
        """Return the kind."""
        return PointKind(self.cleaned_data["kind"])


class ReasonForm(forms.Form):
    """Why."""

    reason = forms.CharField(label=_("Reason"), max_length=200)


class SwitchForm(ReasonForm):
    """Whether something is to be on, as the page that was read said it, and why.

    What is wanted stands in the form: of two people who both switch off, neither switches on again.
    """

    on = forms.TypedChoiceField(
        choices=[("yes", "yes"), ("no", "no")], coerce=lambda chosen: chosen == "yes", widget=forms.HiddenInput
    )

    def __init__(self, told: QueryDict | None, *, stands: bool) -> None:
        super().__init__(told, initial={"on": "no" if stands else "yes"})

    @property
    def wanted(self) -> bool:
        """Whether it is to be on."""
        return str(self["on"].value()) == "yes"


class TermForm(forms.Form):
    """From when to when something holds, both days included."""

    number = forms.CharField(label=_("Number"), max_length=60)
    valid_from = DayField(label=_("Holds from"))
    valid_until = DayField(label=_("Last day"))


class PaperForm(TermForm):
    """A scan of a document of a point, and what it is of (¶9.4)."""

    kind = forms.ChoiceField(label=_("Paper"), choices=DocumentKind.choices)
    file = forms.FileField(label=_("Scan"), max_length=200, help_text=_("PDF, JPEG or PNG, 10 MB at most."))
    field_order = ("kind", "number", "valid_from", "valid_until", "file")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["valid_until"].required = False
        self.fields["valid_until"].help_text = _("Empty: without an end.")

    def clean_kind(self) -> DocumentKind:
        """Return the kind."""
        return DocumentKind(self.cleaned_data["kind"])

    def clean_file(self) -> Any:
        """Refuse what is too long before it is read."""
        file = self.cleaned_data["file"]
        if (file.size or 0) > MOST_BYTES:
            raise ValidationError(_("A file of at most 10 MB is wanted."))
        return file


class CashLimitForm(forms.Form):
    """How much cash the bank lets a point hold from a day on (¶9.6)."""

    amount = AmountField(
        label=_("Limit, BYN"),
        max_length=20,
        required=False,
        widget=forms.TextInput(attrs=_MONEY),
        help_text=_("Empty: no limit any more."),
    )
    valid_from = DayField(label=_("Holds from"))
    document = forms.CharField(label=_("The bank's letter"), max_length=100)


class AgreementForm(TermForm):
    """That the bank lets takings be paid out (¶9.7)."""

    bank = forms.CharField(label=_("Bank"), max_length=200)
    field_order = ("bank", "number", "valid_from", "valid_until")


class CashierForm(forms.Form):
    """Who works at a till."""

    cashier = CashierField(label=_("Cashier's log-in name"), max_length=150, required=False)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["cashier"].help_text = _("Empty: nobody.")


class TillForm(forms.Form):
    """A till's number at its point, and its cashier."""

    number = forms.IntegerField(label=_("Number at the point"), min_value=1, max_value=32_767)
    cashier = CashierField(label=_("Cashier's log-in name"), max_length=150)


class FloatForm(forms.Form):
    """Cash from the bank, and the bank's document."""

    amount = AmountField(label=_("Amount, BYN"), max_length=20, widget=forms.TextInput(attrs=_MONEY))
    document = forms.CharField(
        label=_("The bank's document"), max_length=60, help_text=_("The same document is booked once.")
    )


class KeyForm(forms.Form):
    """The public key of a terminal, where it signs by Ed25519."""

    public_key = forms.CharField(
        label=_("Public key (Ed25519)"),
        max_length=64,
        required=False,
        help_text=_("64 hex digits. Empty: a secret for HMAC-SHA256 is made and shown once."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def clean_public_key(self) -> str | None:
        """Return the key, None where there is none."""
        return self.cleaned_data["public_key"] or None


class TerminalForm(KeyForm):
    """A terminal and its key."""

    serial = forms.CharField(label=_("Serial number"), max_length=60)
    field_order = ("serial", "public_key")


class AgentForm(forms.Form):
    """An agent and the contract (¶35.1)."""

    name = forms.CharField(label=_("Name"), max_length=200)
    contract_number = forms.CharField(label=_("Contract number"), max_length=36)
    valid_from = DayField(label=_("Holds from"))
    valid_until = DayField(label=_("Last day"))
    commission = forms.CharField(
        label=pgettext_lazy("of an agent", "Commission"),
        max_length=20,
        help_text=_("An exact part of the stakes less what is returned: 3/50 is 6 %."),
    )


class ExtensionForm(forms.Form):
    """Until when a contract runs on, and by which document."""

    valid_until = DayField(label=_("Last day"))
    document = forms.CharField(label=_("Document"), max_length=100)
