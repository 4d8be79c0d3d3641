"""Locks of this app. The order of all locks: docs/locking.md."""

from accounts.models import Person, User
from totalizator.core.advisory import LockSpace, lock_exclusive


def lock_person(user_id: int) -> User:
    """Lock a person's row until the transaction ends, and return it as it is now."""
    return User.objects.select_for_update(no_key=True).get(pk=user_id)


def hold_play_of(person: Person) -> None:
    """Let nobody else bet, pay in, or change what binds the play of this person, until the transaction ends.

    Read what binds it after this. An advisory lock: a bet writes no row of the person's.
    """
    lock_exclusive(LockSpace.PERSON, person.pk)
