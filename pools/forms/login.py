"""The form of a log-in."""

from typing import Any

from allauth.account.forms import LoginForm
from django.utils.translation import gettext_lazy as _


class LogIn(LoginForm):  # type: ignore[misc]  # allauth is untyped
    """allauth's form, which asks for the log-in name; its first field has the focus: a cashier types the name at once.

    Not after a refusal: what was refused stands above the fields, and is read first.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.fields["login"].label = _("Log-in name")
        for field in self.fields.values():
            field.widget.attrs.pop("placeholder", None)
        if not self.is_bound:
            self.fields["login"].widget.attrs["autofocus"] = True
