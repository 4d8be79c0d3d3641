"""Who is logged in, as every request reads it: the person, the game account and what a bet needs of it at once."""

from allauth.account.auth_backends import AuthenticationBackend

from accounts.models import User
from totalizator.core.prepared_rows import PreparedRow

WITH_ACCOUNT = ("person", "game_account__ledger_account")
_KNOWN = PreparedRow(lambda: User.objects.select_related(*WITH_ACCOUNT), by="pk")


class Known(AuthenticationBackend):  # type: ignore[misc]  # allauth is untyped
    """allauth's way of knowing somebody by a password; who is logged in is read by one prepared statement."""

    def get_user(self, user_id: int) -> User | None:
        """Return who it is; None for nobody, and for who may not log in any more."""
        user = _KNOWN.read(user_id)
        return user if user is not None and self.user_can_authenticate(user) else None
