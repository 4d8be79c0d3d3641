"""Signing up: a unique login, and with it the player's one game account (¶35.3)."""

from typing import Any

from allauth.account.forms import SignupForm
from django import forms
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.services.game_accounts import open_game_account
from totalizator.core import clock
from totalizator.core.legal import legal_numbers


class PlayerSignupForm(SignupForm):  # type: ignore[misc]  # allauth is untyped
    """The sign-up form of a player."""

    of_age = forms.BooleanField()
    consent = forms.BooleanField(
        label=_("I have read the rules and accept them."),
        error_messages={"required": _("Bets are taken only from who accepts the rules (¶9.9).")},
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        age = {"age": int(legal_numbers(clock.now())["minimum_age"])}
        of_age = self.fields["of_age"]
        of_age.label = _("I am at least %(age)s years old and play for myself only.") % age
        of_age.error_messages["required"] = _("Only persons of at least %(age)s years may take part.") % age
        self.order_fields(["username", "email", "password1", "password2", "of_age", "consent"])
        for field in self.fields.values():
            field.widget.attrs.pop("placeholder", None)

    def save(self, request: HttpRequest) -> User:
        """Create the person and open the game account."""
        player: User = super().save(request)
        open_game_account(player=player)
        return player
