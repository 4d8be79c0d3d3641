"""The form of the what-if calculator: which conditions do not take place, and how much is won by how many (X8)."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.forms.amounts import AmountField
from totalizator.core.money import plain_byn
from totalizator.core.names import localized
from totalizator.engine.terms import Terms

MOST_LINES = 1_000_000_000


class WhatIfForm(forms.Form):
    """A plain GET form. What is left empty is as proposed, so that a link can name one condition alone."""

    event = forms.BooleanField(label=gettext_lazy("Nothing takes place at all"), required=False)

    def __init__(self, terms: Terms, asked: Any, *, turnover: int, winners: Mapping[str, int] | None) -> None:
        """Propose numbers, `winners` by level; None asks for none: they are counted from the bets."""
        super().__init__(asked)
        self._terms, self._turnover, self._winners = terms, turnover, winners
        self.fields["void"] = forms.MultipleChoiceField(
            label=_("Does not take place"),
            choices=[
                (condition.code, f"{number}. {localized(condition.name)}")
                for number, condition in enumerate(terms.conditions, 1)
            ],
            required=False,
            widget=forms.CheckboxSelectMultiple,
        )
        if winners is not None:
            self.fields["turnover"] = _amount(_("Staked by all, BYN"), turnover)
            for number, level in enumerate(terms.levels, 1):
                self.fields[f"won-{number}"] = self._winners_field(level.code, winners[level.code])

    def _winners_field(self, level: str, proposed: int) -> forms.Field:
        if not self._terms.by_lines:
            return _amount(_("Winning stakes on level %(level)s, BYN") % {"level": level}, proposed)
        label = _("Winning lines on level %(level)s") % {"level": level}
        return forms.IntegerField(
            label=label, initial=proposed, min_value=0, max_value=MOST_LINES, required=False, widget=_whole(proposed)
        )

    def turnover(self) -> int:
        """Return the turnover in kopecks."""
        return self._number("turnover", self._turnover)

    def winners(self) -> dict[str, int]:
        """Return winning lines, or winning stakes in kopecks, by level."""
        proposed = self._winners or {}
        return {
            level.code: self._number(f"won-{number}", proposed.get(level.code, 0))
            for number, level in enumerate(self._terms.levels, 1)
        }

    def _number(self, name: str, proposed: int) -> int:
        given = self.cleaned_data.get(name) if self.is_bound else None
        return proposed if given is None else int(given)


def _whole(proposed: int) -> forms.NumberInput:
    return forms.NumberInput(attrs={"placeholder": proposed})


def _amount(label: str, proposed: int) -> forms.Field:
    widget = forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off", "placeholder": plain_byn(proposed)})
    return AmountField(label=label, initial=plain_byn(proposed), max_length=20, required=False, widget=widget)
