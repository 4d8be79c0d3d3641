"""The form of a log-in."""

from typing import Any

from allauth.account.forms import LoginForm


class LogIn(LoginForm):  # type: ignore[misc]  # allauth is untyped
    """allauth's form, whose first field has the focus: a cashier types the name at once.

    Not after a refusal: what was refused stands above the fields, and is read first.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        if not self.is_bound:
            self.fields["login"].widget.attrs["autofocus"] = True
