"""Signing up: a unique login, and with it the player's one game account (¶35.3)."""

from typing import Any

from allauth.account.forms import SignupForm
from django import forms
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts.forms.amounts import AmountField
from accounts.models import LimitKind, LimitPeriod, User
from accounts.services.game_accounts import open_game_account
from accounts.services.limits import set_limit
from accounts.services.persons import person_of
from totalizator.core import clock
from totalizator.core.legal import legal_numbers

_OFFER = _("In BYN; may stay empty. Lowered at once at any time, raised only after a day.")
# A limit that is offered when the account is opened: nobody has to set one (P1).
OFFERED = {
    LimitPeriod.DAY: _("I want to pay in at most so much in 24 hours"),
    LimitPeriod.WEEK: _("I want to pay in at most so much in 7 days"),
    LimitPeriod.MONTH: _("I want to pay in at most so much in 30 days"),
}


class PlayerSignupForm(SignupForm):  # type: ignore[misc]  # allauth is untyped
    """The sign-up form of a player."""

    of_age = forms.BooleanField()
    consent = forms.BooleanField(
        label=_("I have read the rules and accept them."),
        error_messages={"required": _("Bets are taken only from who accepts the rules (¶9.9).")},
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["username"].label = _("Log-in name")
        age = {"age": int(legal_numbers(clock.now())["minimum_age"])}
        of_age = self.fields["of_age"]
        of_age.label = _("I am at least %(age)s years old and play for myself only.") % age
        of_age.error_messages["required"] = _("Only persons of at least %(age)s years may take part.") % age
        for period, label in OFFERED.items():
            self.fields[f"deposit_{period}"] = AmountField(label=label, required=False, help_text=_OFFER)
        offered = [f"deposit_{period}" for period in OFFERED]
        self.order_fields(["username", "email", "password1", "password2", *offered, "of_age", "consent"])
        for field in self.fields.values():
            field.widget.attrs.pop("placeholder", None)

    def save(self, request: HttpRequest) -> User:
        """Create the person, open the game account and set the limits that were asked for."""
        player: User = super().save(request)
        open_game_account(player=player)
        for period in OFFERED:
            amount = self.cleaned_data[f"deposit_{period}"]
            if amount is not None:
                set_limit(
                    person=person_of(player), kind=LimitKind.DEPOSIT, period=period, amount=amount, actor=player.actor
                )
        return player
