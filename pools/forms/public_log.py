"""The forms of the public log's page: two sizes to compare, and a head that somebody kept (X6)."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

MOST_CHARACTERS = 4_000


class GrowthForm(forms.Form):
    """Two sizes of the log; the larger is the newest one's unless told."""

    first = forms.IntegerField(label=_("From how many lines"), min_value=1)
    second = forms.IntegerField(label=_("To how many lines"), min_value=1, required=False)

    def __init__(self, asked: Any, *, size: int) -> None:
        """`size`: how many lines there are."""
        super().__init__(asked)
        self._size = size
        for name in ("first", "second"):
            self.fields[name].widget.attrs |= {"max": size}

    def clean(self) -> dict[str, Any]:
        """Put the sizes in order."""
        cleaned = super().clean() or self.cleaned_data
        second = cleaned.get("second") or self._size
        if "first" in cleaned and not cleaned["first"] <= second <= self._size:
            told = _("The log has %(size)s lines; give two sizes up to that, the smaller first.")
            raise forms.ValidationError(told, params={"size": self._size})
        return {**cleaned, "second": second}


class KeptHeadForm(forms.Form):
    """A head as it was kept."""

    head = forms.CharField(
        label=_("A head that you kept"),
        help_text=_("The whole JSON of a head, or the line “Public log” of a ticket: size, root, time."),
        max_length=MOST_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 5, "spellcheck": "false", "autocomplete": "off"}),
    )
