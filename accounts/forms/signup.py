"""Signing up: a unique login, and with it the player's one game account (¶35.3)."""

from typing import Any

from allauth.account.forms import SignupForm
from django import forms
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.services.game_accounts import open_game_account


class PlayerSignupForm(SignupForm):  # type: ignore[misc]  # allauth is untyped
    """The sign-up form of a player."""

    of_age = forms.BooleanField(
        label=_("I am at least 21 years old and play for myself only."),
        error_messages={"required": _("Only persons of at least 21 years may take part.")},
    )
    consent = forms.BooleanField(
        label=_("I have read the rules and accept them."),
        error_messages={"required": _("Bets are taken only from who accepts the rules (¶9.9).")},
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.order_fields(["username", "email", "password1", "password2", "of_age", "consent"])
        for field in self.fields.values():
            field.widget.attrs.pop("placeholder", None)

    def save(self, request: HttpRequest) -> User:
        """Create the person and open the game account."""
        player: User = super().save(request)
        open_game_account(player=player)
        return player
