"""Players as the organizer's staff look for them. Lists show no personal data, only a name's initials."""

from django.db.models import F, Func, Q, QuerySet, Value
from django.db.models.functions import Lower

from accounts.models import AccountState, GameAccount
from accounts.models.users import CYRILLIC_LOOKS, LATIN_LOOKS

TO_VERIFY = "to-verify"
"""Beside the states of an account: whose identity is recorded and was compared with no document yet."""
_UNSEEN = ("birth_date", "identity_number", "document", "bank_account")
_LOOKS = str.maketrans(CYRILLIC_LOOKS, LATIN_LOOKS)


def accounts_of_players(*, name: str = "", state: str = "") -> QuerySet[GameAccount]:
    """Return the accounts whose log-in names begin with `name` or look like it, of one state or of all."""
    accounts = GameAccount.objects.select_related("player__person__identity", "player__person__verification")
    accounts = accounts.defer(*(f"player__person__identity__{column}" for column in _UNSEEN))
    if name:
        looks: Func = Func(
            Lower(F("player__username")), Value(CYRILLIC_LOOKS), Value(LATIN_LOOKS), function="translate"
        )
        alike = Q(looks=name.lower().translate(_LOOKS))
        accounts = accounts.alias(looks=looks).filter(Q(player__username__startswith=name) | alike)
    if state in AccountState.values:
        accounts = accounts.filter(state=state)
    elif state == TO_VERIFY:
        accounts = accounts.filter(
            player__person__identity__isnull=False, player__person__verification__isnull=True
        ).exclude(state__in=(AccountState.ENDING, AccountState.ENDED))
    return accounts


def initials_of(full_name: str) -> str:
    """Return what a list shows of a name."""
    return " ".join(f"{word[0]}." for word in full_name.split())
