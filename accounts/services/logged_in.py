"""Who is logged in, as every request reads it: the person, the game account and what a bet needs of it at once."""

from accounts.models import User
from totalizator.core.prepared_rows import PreparedRow

WITH_ACCOUNT = ("person", "game_account__ledger_account")
_KNOWN = PreparedRow(lambda: User.objects.select_related(*WITH_ACCOUNT), by="pk")


def known_by_number(number: int) -> User | None:
    """Return the person of a log-in with the game account, if there is one; None for nobody."""
    return _KNOWN.read(number)
