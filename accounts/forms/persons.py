"""Who shows a document before a desk, where the sum needs one (Q1)."""

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from accounts.forms.days import DayField
from accounts.models import Person
from accounts.services.persons import person_at_desk
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.problem import add_refusal


class PersonForm(forms.Form):
    """What the document says; nothing but a token is kept of it."""

    identity_number = forms.CharField(
        label=_("Identity number"),
        max_length=40,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    birth_date = DayField(label=_("Date of birth"))

    def person(self) -> Person:
        """Return who it is; :raises DomainError: BAD_VALUE naming the field, UNDER_AGE."""
        if not self.is_valid():
            field, faults = next(iter(self.errors.items()))
            raise DomainError(Refusal.BAD_VALUE, str(faults[0]), field=field)
        return person_at_desk(
            identity_number=self.cleaned_data["identity_number"], birth_date=self.cleaned_data["birth_date"]
        )


def person_asked(posted: QueryDict) -> PersonForm | None:
    """Return the form that was filled in, or None where the page had not asked for a document."""
    return PersonForm(posted) if "identity_number" in posted else None


def ask_person(asked: PersonForm | None, refusal: DomainError) -> PersonForm:
    """Return the form that asks for a document after `refusal`, or what was filled in, with its fault.

    :raises DomainError: the refusal itself, where a document does not help.
    """
    if asked is None and refusal.code == Refusal.IDENTITY_NEEDED:
        return PersonForm()
    if asked is None or refusal.field not in asked.fields:
        raise refusal
    if refusal.field not in asked.errors:
        add_refusal(asked, refusal)
    return asked
