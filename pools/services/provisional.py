"""Telling everybody how a pool stands while it is played: provisional, and never the protocol (O2, U2).

What is told is always what a feed said, with the file that says it: the organizer's own desk is such a feed. Members of
the commission go on as if nothing had been told, and nothing here reads what they entered.
"""

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _

from accounts.ledger.balances import balance
from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import User
from accounts.services.staff import refuse_all_but_staff
from pools.locks import find_pool, hold_pool_shared
from pools.models import (
    AliveCount,
    FeedFormat,
    Pool,
    PoolState,
    ProvisionalResult,
    ResultFeed,
    ResultProposal,
    jackpot_owner,
)
from pools.queries.alive_tally import count_alive
from pools.queries.provisional import to_be_counted, told_until
from pools.services.failures import report_failure
from pools.services.result_feeds import add_feed, propose_from_file, told_by
from totalizator.core import clock
from totalizator.core.enqueuing import enqueue_after_commit
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction
from totalizator.engine.canonical import canonical_json
from totalizator.engine.dividends import divide
from totalizator.engine.statement import statement_document
from totalizator.engine.tally import Tally
from totalizator.engine.terms import Terms

OWN_FEED = "organizer's desk"
"""The feed of what the staff enter by hand."""
_ACTOR = "task:count_alive_lines"
_COUNT = "pools.tasks.count_alive_lines"


def publish_proposal(*, proposal: ResultProposal, published_by: User) -> ProvisionalResult:
    """Tell everybody what a feed said of a closed pool; told again as the latest it is told once.

    :raises DomainError: NOT_ALLOWED; WRONG_STATE unless the pool is closed and has no result yet.
    """
    refuse_all_but_staff(published_by)
    with one_transaction():
        state, at = hold_pool_shared(proposal.pool_id)
        if state != PoolState.CLOSED:
            message = _("Provisional results are told of a pool that is closed and has no result yet.")
            raise DomainError(Refusal.WRONG_STATE, message, state=state)
        latest = ProvisionalResult.objects.filter(pool_id=proposal.pool_id).order_by("-pk").first()
        if latest is not None and latest.proposal_id == proposal.pk:
            return latest
        told = ProvisionalResult.objects.create(
            pool_id=proposal.pool_id, proposal=proposal, published_by=published_by, published_at=at
        )
        write_journal(
            at=at,
            actor=published_by.actor,
            act="publish_provisional_result",
            subject=f"pool:{proposal.pool.code}",
            after={"proposal": proposal.pk, "conditions": told_by(proposal)["conditions"]},
        )
        enqueue_after_commit(_COUNT)
    return told


def enter_provisional(*, code: str, conditions: Mapping[str, str | list[str]], entered_by: User) -> ProvisionalResult:
    """Tell everybody how conditions stand, as the staff enter it: a file of the organizer's own feed, published.

    :raises DomainError: as `publish_proposal`; NOT_FOUND; BAD_VALUE for what the pool does not have, or nothing.
    """
    refuse_all_but_staff(entered_by)
    if not conditions:
        raise DomainError(Refusal.BAD_VALUE, _("Enter how at least one condition stands."), field="conditions")
    with one_transaction():
        pool = find_pool(code)
        feed = ResultFeed.objects.filter(name=OWN_FEED).first()
        if feed is None:
            feed = add_feed(name=OWN_FEED, feed_format=FeedFormat.JSON, added_by=entered_by)
        file = canonical_json({"pool": pool.code, "conditions": dict(conditions)})
        proposal = propose_from_file(feed=feed, code=code, name=OWN_FEED, file=file, brought_by=entered_by)
        return publish_proposal(proposal=proposal, published_by=entered_by)


def count_alive_lines() -> int:
    """Count the bets of every pool of which something new was told; return how many pools were counted.

    One pool that cannot be counted is reported, and does not stop the others.
    """
    counted = 0
    for told in list(to_be_counted()):
        try:
            _count(told)
        except Exception as fault:  # noqa: BLE001 the next pool must not wait for this one's repair
            report_failure(act="count_alive_lines", subject=f"pool:{told.pool.code}", fault=fault, actor=_ACTOR)
        else:
            counted += 1
    return counted


def _count(told: ProvisionalResult) -> None:
    pool: Pool = told.pool
    tallies = count_alive(pool, told_until(told).part_of(pool.terms), jackpot_in=_jackpot_to_come(pool))
    document = {"so_far": _divided(pool.terms, tallies.so_far), "alive": _divided(pool.terms, tallies.alive)}
    AliveCount.objects.get_or_create(
        provisional=told,
        defaults={"document_text": canonical_json(document).decode(), "counted_at": clock.now()},
    )


def _divided(terms: Terms, tally: Tally) -> dict[str, object]:
    """Divide as the settlement will; levels alive overlap, so that what each would pay is an estimate."""
    return statement_document(divide(terms, tally))


def _jackpot_to_come(pool: Pool) -> int:
    """Return the whole jackpot as it is now, of a pool that draws it; nothing is reserved by asking."""
    if not pool.draws_jackpot:
        return 0
    return balance(ledger_account(AccountKind.JACKPOT, jackpot_owner(pool.game)))
