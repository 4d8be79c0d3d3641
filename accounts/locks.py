"""Locks of this app. The order of all locks: docs/locking.md."""

from accounts.models import User


def lock_person(user_id: int) -> User:
    """Lock a person's row until the transaction ends, and return it as it is now."""
    return User.objects.select_for_update(no_key=True).get(pk=user_id)
