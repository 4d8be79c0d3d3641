"""Names that people know for what the journal writes: a log-in, a pool's code, a ticket's number (N6)."""

import re
from collections.abc import Iterable

from accounts.models import User
from pools.models import Pool
from totalizator.core.models import JournalRecord

_USER = re.compile(r"user:(\d{1,9})")
_TICKET = re.compile(r"[0-9A-Z][0-9A-Z-]*-[0-9A-Z]{10}")


def actor_named(typed: str) -> str:
    """Return how the journal writes who has this log-in; any other text as it is."""
    user = User.objects.filter(username=typed).first() if typed and ":" not in typed else None
    return user.actor if user is not None else typed


def subject_named(typed: str) -> str:
    """Return how the journal writes the pool with this code, or the bet with this ticket; any other text as it is."""
    spelled = typed.upper()
    if not typed or ":" in typed:
        return typed
    if Pool.objects.filter(code=spelled).exists():
        return f"pool:{spelled}"
    return f"bet:{spelled}" if _TICKET.fullmatch(spelled) else typed


def logins_of(records: Iterable[JournalRecord]) -> dict[str, str]:
    """Return the log-ins of the persons who did this, by how the journal writes them; in one query."""
    found = (_USER.fullmatch(record.actor) for record in records)
    keys = {int(match[1]) for match in found if match is not None}
    return {user.actor: user.username for user in User.objects.filter(pk__in=keys)} if keys else {}
