"""Signing up under the rules that are in force: their version is kept with the consent (¶9.9)."""

from django.http import HttpRequest

from accounts.forms.signup import PlayerSignupForm
from accounts.models import User
from pools.services.rules import accept_rules, rules_in_force
from totalizator.core import clock
from totalizator.core.transactions import one_transaction


class ConsentingSignupForm(PlayerSignupForm):
    """The sign-up form, with the consent that its box gives."""

    def save(self, request: HttpRequest) -> User:
        """Create the person, the game account and the consent, or none of them."""
        with one_transaction():
            player = super().save(request)
            rules = rules_in_force(clock.now())
            if rules is not None:
                accept_rules(player=player, version=rules.version)
        return player
