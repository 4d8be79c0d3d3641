"""Logging in: the form that allauth makes, with the trade's word for what is typed."""

from typing import Any

from allauth.account.forms import LoginForm
from django.utils.translation import gettext_lazy as _

LOGIN_NAME = _("Log-in name")


class PlainLogin(LoginForm):  # type: ignore[misc]  # allauth is untyped
    """The log-in name and the password."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["login"].label = LOGIN_NAME
        for field in self.fields.values():
            field.widget.attrs.pop("placeholder", None)
