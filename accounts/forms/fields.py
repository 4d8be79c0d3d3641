"""Fields that what the staff write of money has in common: a paper, a reason, a day, yes or no, a file."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from totalizator.core.filed_files import MOST_BYTES

SCANS = ".pdf,.jpg,.jpeg,.png"
MOST_NUMBER = 2**63 - 1


def document_field(most: int = 200, **options: Any) -> forms.CharField:
    """Ask for the paper that says so."""
    told: dict[str, Any] = {"label": _("Document"), "help_text": _("Its name, number and date."), "max_length": most}
    return forms.CharField(**(told | options))


def reason_field(most: int = 200, **options: Any) -> forms.CharField:
    """Ask why; a long answer gets a large field."""
    if most > 200:
        options.setdefault("widget", forms.Textarea(attrs={"rows": 3}))
    return forms.CharField(label=_("Reason"), max_length=most, **options)


def either_field(label: Any, *, yes: Any, no: Any) -> forms.TypedChoiceField:
    """Ask which of two it is; its value is true or false."""
    choices = [("", ""), ("yes", yes), ("no", no)]
    return forms.TypedChoiceField(label=label, choices=choices, coerce=lambda value: value == "yes")


class ReadFileField(forms.FileField):
    """A file that is read whole: its value is its bytes, empty when it may be left out and was."""

    widget = forms.FileInput

    def __init__(self, *, accept: str, **options: Any) -> None:
        """`accept`: the endings that the browser offers; what the file is, its service tells by its first bytes."""
        super().__init__(max_length=200, **options)
        self.widget.attrs["accept"] = accept

    def clean(self, data: Any, initial: Any = None) -> Any:
        """Return the bytes; :raises ValidationError: for no file, an empty one, or one that is too large."""
        file = super().clean(data, initial)
        if not file:
            return b""
        if (file.size or 0) > MOST_BYTES:
            raise ValidationError(_("A file of at most 10 MB is wanted."))
        return file.read()
