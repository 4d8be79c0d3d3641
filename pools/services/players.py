"""The gate for persons: whoever is known, by account or at a desk, may play or may not, in every channel alike.

Who is not known, a buyer at a till, is the desk's to check (`accounts.services.desk_checks`).
"""

from collections.abc import Sequence
from datetime import datetime

from django.utils.translation import gettext_lazy as _

from accounts.models import LimitKind, Person, Role
from accounts.queries.standing import Bound
from accounts.services.limits import refuse_over_limit
from accounts.services.persons import person_of
from accounts.services.standing import refuse_barred, refuse_unidentified
from pools.queries.played import lost_since, staked_since
from pools.services.attempts import Attempt
from pools.services.sources import BetSource
from totalizator.core.errors import DomainError, Refusal

_USED = {LimitKind.STAKE: staked_since, LimitKind.LOSS: lost_since}


def person_behind(source: BetSource) -> Person | None:
    """Return who plays, of a game account or of who asked to be known; None for a buyer whom nobody knows.

    :raises DomainError: NOT_ALLOWED for staff, and for a player without a game account.
    """
    player = source.player or source.asked_by
    if player is not None and player.role != Role.PLAYER:
        raise DomainError(Refusal.NOT_ALLOWED, _("Staff and commission members cannot bet."))
    return source.person or (person_of(player) if player is not None else None)


def refuse_person(attempt: Attempt) -> None:
    """Refuse who may not bet, as `refuse_barred` says; a player who is logged in also without identity, age or consent.

    The person is held, so that neither a second bet nor a change of limits, exclusion or block comes in between.

    :raises DomainError: ACCOUNT_BLOCKED, MAY_NOT_PLAY, REGISTER_STALE; NOT_ALLOWED, NOT_VERIFIED, UNDER_AGE;
        CONSENT_NEEDED, with the version of the rules; LIMIT_REACHED.
    """
    person, standing, now = attempt.person, attempt.standing, attempt.now
    if person is None or standing is None:
        return
    refuse_barred(standing, now)
    logged_in = (attempt.source.player or attempt.source.asked_by) is not None
    if logged_in or (attempt.source.till is None and person.player_id is not None):
        refuse_unidentified(standing, now)
    if logged_in and not standing.agreed:
        message = _("Accept the rules of this pool first: they are new since you last did (¶9.9).")
        version = attempt.pool.terms.rules_version
        raise DomainError(Refusal.CONSENT_NEEDED, message, rules_version=version)
    _refuse_over_limits(person, standing.limits, attempt.stake, now)


def used_since(kind: LimitKind, person: Person, *instants: datetime) -> list[int]:
    """Return how many kopecks of a limit on stakes or losses are used by what the person bet after each instant."""
    return _USED[kind](person, *instants)


def _refuse_over_limits(person: Person, limits: Sequence[Bound], stake: int, now: datetime) -> None:
    """Refuse a stake that would pass any of the limits; a stake counts as lost until its pool is settled."""
    for limit in limits:
        if limit.kind in _USED:
            (used,) = used_since(limit.kind, person, now - limit.period.length)
            refuse_over_limit(limit.period, limit.amount, used, stake)
