"""Everything that decides whether a person may play, in one row: asked at every bet and every deposit."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Any

from django.db import connection

from accounts.models import EFFECTS, AccountState, LimitKind, LimitPeriod, Person
from totalizator.core.encrypted import decrypt
from totalizator.core.legal import legal_numbers
from totalizator.core.prepared import prepared_cursor
from totalizator.engine.deadlines import legal_day


@dataclass(frozen=True, slots=True)
class Bound:
    """A limit in force, in kopecks."""

    kind: LimitKind
    period: LimitPeriod
    amount: int


@dataclass(frozen=True, slots=True)
class Standing:
    """How a person stands at an instant."""

    state: AccountState | None
    """Of the game account; None for who has none."""
    trial: bool
    """Whether the account is only to try the system out (E6)."""
    birth_date: date | None
    verified: bool
    agreed: bool
    """To the version of the rules that was asked about."""
    excluded_until: datetime | None
    """The end of the cooling-off or self-exclusion that lasts longest."""
    restricted: bool
    insider: bool
    register_as_of: datetime | None
    """The state of the register of restricted persons that was read last, without a fault."""
    limits: tuple[Bound, ...]

    @property
    def may_bet(self) -> bool:
        """Whether the state of the account, if there is one, lets its owner bet."""
        return self.state is None or EFFECTS[self.state].bet

    def register_is_fresh(self, at: datetime) -> bool:
        """Tell whether the register was read recently enough to be trusted: when in doubt, not."""
        days = int(legal_numbers(at)["restricted_register_days"])
        return self.register_as_of is not None and at - self.register_as_of <= timedelta(days=days)


# A register names a person to the end of a legal day, so it is asked by day.
_RESTRICTED = """
EXISTS (SELECT FROM accounts_restrictedperson r WHERE r.number_digest = {digest}
        AND CASE WHEN r.until IS NULL THEN r.lifted_at IS NULL ELSE r.until >= {day} END)
"""
_INSIDER = "EXISTS (SELECT FROM accounts_insider n WHERE n.number_digest = {digest} AND n.ended_at IS NULL)"
_REGISTER_AS_OF = "(SELECT max(as_of) FROM accounts_registerimport WHERE faults = 0)"
# What stands binds, even where it was asked for after `at`: a bet that waited for the person comes after it.
_EXCLUDED_UNTIL = """
(SELECT max(ends_at) FROM accounts_exclusion e WHERE e.person_id IN ({persons}) AND e.ends_at > {at})
"""
# Who claims a number that nobody has verified is bound by what holds of the person who has it.
_CLAIMED = "(SELECT q.id FROM accounts_person q WHERE p.number_digest IS NULL AND q.number_digest = i.claimed_digest)"
_NUMBER = "COALESCE(p.number_digest, i.claimed_digest)"
_COLUMNS = """
g.state AS state,
EXISTS (SELECT FROM accounts_trialaccount t WHERE t.account_id = g.id AND t.approved_at IS NOT NULL) AS trial,
i.birth_date AS birth_date, v.person_id IS NOT NULL AS verified,
EXISTS (SELECT FROM accounts_consent c WHERE c.person_id = p.id AND c.rules_version = %(rules)s) AS agreed,
{excluded_until} AS excluded_until, {restricted} AS restricted, {insider} AS insider, {register_as_of} AS as_of,
ARRAY(SELECT l.kind || ' ' || l.period || ' ' || l.amount FROM accounts_playlimit l WHERE l.person_id = p.id) AS limits
"""
STANDING_COLUMNS = "account, trial, birth_date, verified, agreed, excluded_until, restricted, insider, as_of, limits"


def standing_sql(*, person: str, at: str, day: str) -> str:
    """Return SQL for a row with STANDING_COLUMNS; SQL says of which person, and at which instant and legal day."""
    columns = _COLUMNS.format(
        excluded_until=_EXCLUDED_UNTIL.format(persons=f"p.id, {_CLAIMED}", at=at),
        restricted=_RESTRICTED.format(digest=_NUMBER, day=day),
        insider=_INSIDER.format(digest=_NUMBER),
        register_as_of=_REGISTER_AS_OF,
    )
    return f"""
SELECT {columns}
FROM accounts_person p
LEFT JOIN accounts_gameaccount g ON g.player_id = p.player_id
LEFT JOIN accounts_identity i ON i.person_id = p.id
LEFT JOIN accounts_verification v ON v.person_id = p.id
WHERE p.id = {person}
"""


_STANDING = standing_sql(person="%(person)s", at="%(at)s", day="%(day)s")
_STANDING_OF_NUMBER = f"""
SELECT (SELECT {_EXCLUDED_UNTIL.format(persons="p.id", at="%(at)s")}
        FROM accounts_person p WHERE p.number_digest = %(digest)s),
       {_RESTRICTED.format(digest="%(digest)s", day="%(day)s")},
       {_INSIDER.format(digest="%(digest)s")},
       {_REGISTER_AS_OF}
"""


def standing_of(person: Person, at: datetime, *, rules_version: str = "") -> Standing:
    """Return how the person stands at `at`; read it after `hold_play_of`, if something is decided by it."""
    with prepared_cursor() as cursor:
        cursor.execute(_STANDING, {"person": person.pk, "at": at, "day": legal_day(at), "rules": rules_version})
        return read_standing(cursor.fetchone())


def read_standing(row: Sequence[Any]) -> Standing:
    """Return what a row of STANDING_COLUMNS says."""
    state, trial, birth_date, verified, agreed, excluded_until, restricted, insider, as_of, limits = row
    return Standing(
        state=AccountState(state) if state is not None else None,
        trial=trial,
        birth_date=_born(birth_date) if birth_date is not None else None,
        verified=verified,
        agreed=agreed,
        excluded_until=excluded_until,
        restricted=restricted,
        insider=insider,
        register_as_of=as_of,
        limits=tuple(_bound(limit) for limit in limits),
    )


def standing_of_number(number_digest: bytes, at: datetime) -> Standing:
    """Return how whoever has this identity number stands, known here or not."""
    with connection.cursor() as cursor:
        cursor.execute(_STANDING_OF_NUMBER, {"digest": number_digest, "at": at, "day": legal_day(at)})
        excluded_until, restricted, insider, as_of = cursor.fetchone()
    return Standing(
        state=None,
        trial=False,
        birth_date=None,
        verified=False,
        agreed=False,
        excluded_until=excluded_until,
        restricted=restricted,
        insider=insider,
        register_as_of=as_of,
        limits=(),
    )


@lru_cache(maxsize=10_000)
def _born(token: str) -> date:
    """A date that names nobody is kept in the process: to open it costs as much as all else that Python does here."""
    return date.fromisoformat(decrypt(token))


def _bound(limit: str) -> Bound:
    kind, period, amount = limit.split(" ")
    return Bound(LimitKind(kind), LimitPeriod(period), int(amount))
