"""How the conditions of a pool stand while it is played, as the staff enter it (O2)."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from totalizator.core.names import localized
from totalizator.engine.result import VOID
from totalizator.engine.terms import Terms


class ProvisionalForm(forms.Form):
    """Boxes for each condition: how it stands now or how it ended; none where nothing is known yet."""

    def __init__(self, terms: Terms, told: Mapping[str, str | Sequence[str]], *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.terms, self.told = terms, told
        for number, condition in enumerate(terms.conditions, 1):
            outcomes = [(outcome.code, outcome.code) for outcome in condition.outcomes]
            known = told.get(condition.code, ())
            self.fields[f"condition-{number}"] = forms.MultipleChoiceField(
                label=localized(condition.name),
                choices=[*outcomes, (VOID, _("did not take place"))],
                widget=forms.CheckboxSelectMultiple,
                required=False,
                initial=[VOID] if known == VOID else list(known),
            )

    def clean(self) -> dict[str, Any]:
        """Read `conditions`; what was told can be told otherwise, and not be taken back."""
        conditions: dict[str, str | list[str]] = {}
        for number, condition in enumerate(self.terms.conditions, 1):
            name = f"condition-{number}"
            marks: list[str] = self.cleaned_data.get(name, [])
            if VOID in marks and len(marks) > 1:
                self.add_error(name, _("What did not take place has no right outcome."))
            elif not marks and condition.code in self.told and name not in self.errors:
                self.add_error(name, _("It was told how this stands: tell it otherwise, it cannot be taken back."))
            elif marks:
                conditions[condition.code] = VOID if VOID in marks else marks
        if not conditions and not self.errors:
            self.add_error(None, _("Enter how at least one condition stands."))
        return {"conditions": conditions}
