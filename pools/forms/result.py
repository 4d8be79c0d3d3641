"""What a member of the commission enters: the right outcomes, what did not take place, the actual start (H1, H2)."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from pools.forms.local_time import LocalDateTimeField
from pools.models import Evidence
from totalizator.core.localtime import local_text
from totalizator.core.names import localized
from totalizator.engine.terms import Terms

MOST_ATTEMPTS = 32_767
VOID, SEVERAL = "void", "several"


def _told(evidence: Evidence) -> str:
    """Name a piece of evidence, so that two from one source are told apart: what it is of, who filed it, when."""
    of = evidence.condition or _("the whole event")
    return f"{of}: {evidence.source} ({evidence.filed_by.username}, {local_text(evidence.filed_at, with_seconds=True)})"


class ResultForm(forms.Form):
    """What was right of each condition: one outcome, several in a dead heat (D-8), or that it did not take place.

    One choice a condition, so that the keys of a browser's own radio buttons do.
    """

    attempt = forms.IntegerField(widget=forms.HiddenInput, required=False, max_value=MOST_ATTEMPTS)
    first_started_at = LocalDateTimeField(
        label=_("Actual start of the first event, to the second"),
        with_seconds=True,
        required=False,
        help_text=_("Bets registered at this instant or later are returned (D-16)."),
    )
    event_void = forms.BooleanField(
        label=_("Nothing took place: the whole event is void and every stake is returned (¶32)"), required=False
    )

    event_reason = forms.CharField(label=_("Why it did not take place"), max_length=500, required=False)

    def __init__(self, terms: Terms, *args: Any, evidence: Sequence[Evidence] = (), **options: Any) -> None:
        super().__init__(*args, **options)
        self.terms = terms
        self.fields["evidence"] = forms.MultipleChoiceField(
            label=_("Known from"),
            choices=[(str(each.pk), _told(each)) for each in evidence],
            initial=[str(each.pk) for each in evidence],
            widget=forms.CheckboxSelectMultiple,
            required=False,
        )
        for number, condition in enumerate(terms.conditions, 1):
            outcomes = [(outcome.code, self._label(outcome.code, outcome.name)) for outcome in condition.outcomes]
            self.fields[f"condition-{number}"] = forms.ChoiceField(
                label=localized(condition.name),
                choices=[*outcomes, (VOID, _("did not take place")), (SEVERAL, _("several were right"))],
                widget=forms.RadioSelect,
                required=False,
            )
            self.fields[f"several-{number}"] = forms.MultipleChoiceField(
                label=_("Which were right"), choices=outcomes, widget=forms.CheckboxSelectMultiple, required=False
            )
            self.fields[f"reason-{number}"] = forms.CharField(
                label=_("Why it did not take place"),
                max_length=500,
                required=False,
                widget=forms.TextInput(attrs={"placeholder": _("Why it did not take place")}),
            )
        self.order_fields([*(name for name in self.fields if name.startswith("condition-"))])

    @staticmethod
    def _label(code: str, name: Any) -> str:
        return f"{code} {localized(name)}" if name else code

    def clean(self) -> dict[str, Any]:
        """Ask for an answer to every condition, unless nothing took place."""
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("event_void"):
            self._ask_why("event_reason")
            return cleaned
        for number in self._numbers():
            self._clean_condition(number, cleaned.get(f"condition-{number}", ""))
        took_place = any(cleaned.get(f"condition-{number}", VOID) not in ("", VOID) for number in self._numbers())
        if took_place and not cleaned.get("first_started_at") and "first_started_at" not in self.errors:
            self.add_error("first_started_at", _("Give the actual start, to the second."))
        return cleaned

    def _clean_condition(self, number: int, mark: str) -> None:
        name = f"condition-{number}"
        if not mark and name not in self.errors:
            self.add_error(name, _("Mark what was right, or that it did not take place."))
        elif mark == SEVERAL and len(self.cleaned_data.get(f"several-{number}", [])) < 2:
            self.add_error(name, _("Mark each outcome that was right: two at least."))
        elif mark == VOID:
            self._ask_why(f"reason-{number}")

    def _ask_why(self, name: str) -> None:
        if not self.cleaned_data.get(name) and name not in self.errors:
            self.add_error(name, _("Say why it did not take place."))

    def _numbers(self) -> range:
        return range(1, len(self.terms.conditions) + 1)

    def rows(self) -> list[tuple[forms.BoundField, forms.BoundField, forms.BoundField]]:
        """Return each condition's choice, the boxes for several outcomes, and the field for why it is void."""
        return [
            (self[f"condition-{number}"], self[f"several-{number}"], self[f"reason-{number}"])
            for number in self._numbers()
        ]

    def evidence(self) -> list[int]:
        """Return the numbers of what the entry is known from."""
        return [int(number) for number in self.cleaned_data["evidence"]]

    def result(self) -> dict[str, Any]:
        """Return the entry as the service takes it."""
        started = self.cleaned_data.get("first_started_at")
        event_void = self.cleaned_data["event_void"]
        conditions = {
            condition.code: self._right(number, void=event_void)
            for number, condition in enumerate(self.terms.conditions, 1)
        }
        return {
            "conditions": conditions,
            "event_void": event_void,
            "first_started_at": started.strftime("%Y-%m-%dT%H:%M:%SZ") if started else None,
            "void_reasons": self._reasons(conditions, event_void=event_void),
        }

    def _reasons(self, conditions: Mapping[str, list[str] | str], *, event_void: bool) -> dict[str, str]:
        if event_void:
            return {"event": self.cleaned_data["event_reason"]}
        return {
            code: self.cleaned_data[f"reason-{number}"]
            for number, (code, right) in enumerate(conditions.items(), 1)
            if right == VOID
        }

    def _right(self, number: int, *, void: bool) -> list[str] | str:
        mark: str = self.cleaned_data.get(f"condition-{number}", "")
        if void or mark in ("", VOID):
            return VOID
        several: list[str] = self.cleaned_data[f"several-{number}"]
        return several if mark == SEVERAL else [mark]


class PassphraseForm(forms.Form):
    """Signing: the passphrase opens the member's key for this one signature."""

    passphrase = forms.CharField(
        label=_("Your passphrase"),
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        strip=False,
        max_length=1_000,
    )


class RevocationForm(forms.Form):
    """Why a key is taken out of force."""

    reason = forms.CharField(label=_("Reason"), max_length=500)


class NewKeyForm(forms.Form):
    """Making one's own key: the passphrase twice, so that it is not mistyped."""

    passphrase = forms.CharField(
        label=_("Passphrase"),
        help_text=_("At least 12 characters. Nobody can restore it; a lost one means a new key."),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        strip=False,
        max_length=1_000,
    )
    again = forms.CharField(
        label=_("Passphrase, again"),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        strip=False,
        max_length=1_000,
    )

    def clean_again(self) -> str:
        """Compare the two."""
        again: str = self.cleaned_data["again"]
        if again != self.cleaned_data.get("passphrase"):
            raise forms.ValidationError(_("The two passphrases differ."))
        return again
