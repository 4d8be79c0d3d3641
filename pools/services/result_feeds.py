"""Result feeds: they propose, the commission decides (U2).

What a feed says is kept with the file that says it, and shown to the pool's commission. A member who agrees enters the
result by hand, as ever: nothing here imports the entering of results.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from io import StringIO
from typing import Any
from urllib.parse import quote

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from accounts.models import Role, User
from accounts.services.staff import refuse_all_but_staff, written
from pools.locks import find_pool
from pools.models import FeedFormat, Pool, PoolState, ResultFeed, ResultProposal
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.outbox_addresses import refuse_address
from totalizator.core.outbox_sending import NotSent, fetch
from totalizator.core.transactions import one_transaction
from totalizator.engine.canonical import canonical_json, digest, parse_json
from totalizator.engine.errors import EngineError
from totalizator.engine.instants import instant_text
from totalizator.engine.result import VOID
from totalizator.engine.terms import Condition, Terms

MOST_BYTES = 1 << 20
_BEFORE_RESULT = (PoolState.ANNOUNCED, PoolState.OPEN, PoolState.CLOSED)


@dataclass(frozen=True, slots=True)
class SideBySide:
    """The newest proposal of each feed, and on which conditions they do not agree."""

    proposals: tuple[ResultProposal, ...]
    differing: tuple[str, ...]


def add_feed(*, name: str, feed_format: FeedFormat, added_by: User, url: str = "") -> ResultFeed:
    """Make a source of results known; without an address its files are brought by hand.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE for a name that is taken, or an address that is not called.
    """
    refuse_all_but_staff(added_by)
    name = written(name, field="name", most=60)
    if url:
        refuse_address(url.replace("{pool}", "1"))
    with one_transaction():
        at = clock.now()
        feed, created = ResultFeed.objects.get_or_create(
            name=name, defaults={"url": url, "format": feed_format, "added_by": added_by, "added_at": at}
        )
        if not created:
            raise DomainError(Refusal.BAD_VALUE, _("This name is taken."), field="name")
        write_journal(at=at, actor=added_by.actor, act="add_feed", subject=f"feed:{feed.pk}", after={"name": name})
    return feed


def find_feed(name: str) -> ResultFeed:
    """Return the feed of this name; :raises DomainError: NOT_FOUND."""
    feed = ResultFeed.objects.filter(name=name).first()
    if feed is None:
        raise DomainError(Refusal.NOT_FOUND, _("There is no such feed."), field="feed")
    return feed


def propose_from_file(*, feed: ResultFeed, code: str, name: str, file: bytes, brought_by: User) -> ResultProposal:
    """Keep what a file of the feed says of a pool; the same file again is the same proposal.

    :raises DomainError: NOT_ALLOWED; NOT_FOUND; WRONG_STATE; BAD_VALUE for what cannot be read or names what the
        pool does not have.
    """
    if brought_by.role not in (Role.ORGANIZER, Role.COMMISSION):
        raise DomainError(Refusal.NOT_ALLOWED, _("Only the organizer's staff and the commission can do this."))
    source = written(name, field="name", most=500)
    return _propose(feed, find_pool(code), source=source, file=file, captured_by=brought_by, actor=brought_by.actor)


def propose_by_fetching(*, feed: ResultFeed, code: str, actor: str) -> ResultProposal:
    """Fetch what the feed's address says of a pool, and keep it.

    :raises DomainError: as `propose_from_file`; PROVIDER_AWAY when the feed gives no whole answer.
    """
    pool = find_pool(code)
    if not (feed.url and feed.enabled):
        raise DomainError(Refusal.WRONG_STATE, _("This feed has no address, or is switched off."), field="feed")
    source = feed.url.replace("{pool}", quote(pool.code, safe=""))
    try:
        answer = fetch(source)
    except NotSent as fault:
        raise DomainError(Refusal.PROVIDER_AWAY, _("The feed gives no answer."), field="feed") from fault
    if answer.status != 200:
        raise DomainError(Refusal.PROVIDER_AWAY, _("The feed gives no answer."), field="feed", status=answer.status)
    return _propose(feed, pool, source=source, file=answer.body, captured_by=None, actor=actor)


def side_by_side(pool: Pool) -> SideBySide:
    """Return the newest proposal of each feed by its name, and the conditions that two of them tell differently."""
    newest: dict[int, ResultProposal] = {}
    for proposal in proposals_of(pool):
        newest[proposal.feed_id] = proposal
    proposals = tuple(sorted(newest.values(), key=lambda proposal: proposal.feed.name))
    told = [told_by(proposal)["conditions"] for proposal in proposals]
    differing = [
        condition.code
        for condition in pool.terms.conditions
        if len({canonical_json(each[condition.code]) for each in told if condition.code in each}) > 1
    ]
    return SideBySide(proposals, tuple(differing))


def proposals_of(pool: Pool) -> QuerySet[ResultProposal]:
    """Return everything that feeds have said of a pool, from the oldest."""
    return pool.result_proposals.select_related("feed", "captured_by").order_by("pk")


def told_by(proposal: ResultProposal) -> dict[str, Any]:
    """Return what a proposal says: `conditions`, and `first_started_at` or None."""
    told: dict[str, Any] = parse_json(proposal.result_text.encode(), where="proposal")
    return told


def _propose(
    feed: ResultFeed, pool: Pool, *, source: str, file: bytes, captured_by: User | None, actor: str
) -> ResultProposal:
    if pool.state not in _BEFORE_RESULT:
        raise DomainError(Refusal.WRONG_STATE, _("Results are proposed for a pool without a result."), field="pool")
    text = canonical_json(_read(pool, FeedFormat(feed.format), file)).decode()
    with one_transaction():
        at = clock.now()
        proposal, created = ResultProposal.objects.get_or_create(
            pool=pool,
            feed=feed,
            digest=digest(file),
            defaults={
                "source": source,
                "captured_at": at,
                "captured_by": captured_by,
                "file": file,
                "result_text": text,
            },
        )
        if created:
            after = {"feed": feed.name, "file": proposal.digest, "source": source}
            write_journal(at=at, actor=actor, act="propose_result", subject=f"pool:{pool.code}", after=after)
    return proposal


def _read(pool: Pool, feed_format: FeedFormat, file: bytes) -> dict[str, Any]:
    """Read a file strictly; :raises DomainError: BAD_VALUE."""
    if len(file) > MOST_BYTES:
        raise DomainError(Refusal.BAD_VALUE, _("The file is larger than 1 MiB."), field="file")
    try:
        read = _json(pool, file) if feed_format == FeedFormat.JSON else _table(pool, file)
        started = read.get("first_started_at")
        return {
            "conditions": _conditions(pool.terms, read["conditions"]),
            "first_started_at": instant_text(started) if started is not None else None,
        }
    except (EngineError, UnicodeDecodeError, csv.Error) as fault:
        raise DomainError(Refusal.BAD_VALUE, str(fault), field="file") from fault


def _json(pool: Pool, file: bytes) -> dict[str, Any]:
    document = parse_json(file, where="file")
    if not isinstance(document, dict) or not {"pool", "conditions"} <= set(document) <= {
        "pool",
        "conditions",
        "first_started_at",
    }:
        raise EngineError("BAD_VALUE", "file", "an object with pool, conditions, perhaps first_started_at")
    started = document.get("first_started_at")
    if document["pool"] != pool.code or not isinstance(started, str | None):
        raise EngineError("BAD_VALUE", "pool", f"the pool {pool.code}")
    return document


def _table(pool: Pool, file: bytes) -> dict[str, Any]:
    """Read `pool;condition;outcomes` under its heading; several outcomes are parted by `+`."""
    rows = list(csv.reader(StringIO(file.decode("utf-8-sig")), delimiter=";", strict=True))
    if not rows or rows[0] != ["pool", "condition", "outcomes"]:
        raise EngineError("BAD_VALUE", "file", "the heading pool;condition;outcomes")
    conditions: dict[str, Any] = {}
    for row in rows[1:]:
        if len(row) != 3 or row[0] != pool.code or row[1] in conditions:
            raise EngineError("BAD_VALUE", "file", f"each condition of the pool {pool.code} once")
        conditions[row[1]] = VOID if row[2] == VOID else row[2].split("+")
    return {"conditions": conditions}


def _conditions(terms: Terms, told: Any) -> dict[str, str | list[str]]:
    """Return what is told of each condition, its outcomes in announced order."""
    known = {condition.code: condition for condition in terms.conditions}
    if not isinstance(told, Mapping) or not told or not set(told) <= set(known):
        raise EngineError("BAD_VALUE", "conditions", "conditions of the pool")
    return {code: _outcomes(known[code], outcomes) for code, outcomes in told.items()}


def _outcomes(condition: Condition, told: Any) -> str | list[str]:
    if told == VOID:
        return VOID
    known = [outcome.code for outcome in condition.outcomes]
    if not isinstance(told, list) or not told or any(outcome not in known for outcome in told):
        raise EngineError("BAD_VALUE", f"conditions.{condition.code}", "outcomes of the condition, or void")
    return [outcome for outcome in known if outcome in told]
