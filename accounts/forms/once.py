"""Forms that are dealt with once, however often they are sent (C36)."""

import secrets
from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _

from totalizator.core.errors import DomainError, Refusal
from totalizator.core.problem import add_refusal


def new_token() -> str:
    """Return the token of a form that is shown for the first time."""
    return secrets.token_urlsafe(24)


class OnceForm(forms.Form):
    """A form whose hidden token tells it from every other: the token is the act's idempotency key."""

    token = forms.CharField(min_length=16, max_length=200, widget=forms.HiddenInput)

    def __init__(self, told: Mapping[str, Any] | None = None, **options: Any) -> None:
        super().__init__(told, **options)
        self.initial.setdefault("token", new_token())

    def refuse(self, refusal: DomainError) -> None:
        """Show a refusal at its field; a form that was changed after it was dealt with becomes a new one."""
        if refusal.code == Refusal.KEY_REUSED:
            self.data = {**dict(self.data.items()), "token": new_token()}
            self.add_error(None, _("This form was dealt with before, with other values. Send it again to add to that."))
        else:
            add_refusal(self, refusal)
