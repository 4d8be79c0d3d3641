"""Opening a pool, ending its sales by the clock or earlier by hand, and sealing what was sold (D-11, G1, G4)."""

from datetime import datetime

from django.utils.translation import gettext_lazy as _

from accounts.ledger.balances import entries_balance
from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import Role, User
from pools.locks import find_pool, hold_pool_shared, lock_pool
from pools.models import BetChunk, Commitment, Pool, PoolState, move
from pools.queries.cancelled_bets import stakes_returned
from pools.services.publishing import publish_commitment
from pools.snapshots.sealing import chunk_rows, sealed_bets
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.journal_seals import enqueue_sealing
from totalizator.core.outbox import tell
from totalizator.core.outbox_kinds import EventKind
from totalizator.core.signing import operator_sign
from totalizator.core.transactions import one_transaction
from totalizator.engine.canonical import canonical_json
from totalizator.engine.chunks import root_of_chunks
from totalizator.engine.commitment import commitment_of, commitment_payload
from totalizator.engine.instants import instant_text


def open_pool(*, code: str, actor: str) -> Pool:
    """Open an announced pool whose time has come.

    :raises DomainError: NOT_FOUND; NOT_OPEN_YET; POOL_CLOSED when its closing has come too; WRONG_STATE.
    """
    with one_transaction():
        pool = lock_pool(code)
        at = clock.now()
        if at < pool.opens_at:
            raise DomainError(Refusal.NOT_OPEN_YET, _("The pool's opening time has not come."), field="pool")
        if at >= pool.closes_at:
            raise DomainError(Refusal.POOL_CLOSED, _("The pool's closing time has come."), field="pool")
        move(pool, PoolState.OPEN)
        write_journal(at=at, actor=actor, act="open_pool", subject=f"pool:{code}")
    return pool


def close_pool(*, code: str, actor: str, early_by: User | None = None) -> Pool:
    """End a pool's sales, wait for the bets being written, let none in after (D-11); then seal its bets.

    By the clock at `closes_at`, or earlier by `early_by` of the organizer's staff (G1). A pool that no job has opened
    is opened on the way. Sealing is a transaction of its own, so that sales in other pools never wait for it; should
    the process die in between, `pools_due_to_commit` has the pool.

    :raises DomainError: NOT_FOUND; NOT_ALLOWED; NOT_OPEN_YET before its opening: it is cancelled then, not closed;
        WRONG_STATE before its closing time without `early_by`, and when it is closed already.
    """
    if early_by is not None and early_by.role != Role.ORGANIZER:
        raise DomainError(Refusal.NOT_ALLOWED, _("Only the organizer's staff can close a pool early."))
    with one_transaction():
        pool = lock_pool(code)
        at = clock.now()
        _refuse_untimely(pool, at, early=early_by is not None)
        if pool.state == PoolState.ANNOUNCED:
            move(pool, PoolState.OPEN)
        move(pool, PoolState.CLOSED, closed_at=min(at, pool.closes_at))
        assert pool.closed_at is not None
        write_journal(
            at=at,
            actor=early_by.actor if early_by is not None else actor,
            act="close_pool",
            subject=f"pool:{code}",
            reason="" if at >= pool.closes_at else "closed early by hand",
            after={"closed_at": instant_text(pool.closed_at), "announced": instant_text(pool.closes_at)},
        )
        enqueue_sealing()
    seal_bets(code=code, actor=actor)
    return pool


def _refuse_untimely(pool: Pool, at: datetime, *, early: bool) -> None:
    if at < pool.opens_at:
        raise DomainError(Refusal.NOT_OPEN_YET, _("The pool's opening time has not come."), field="pool")
    if at < pool.closes_at and not early:
        raise DomainError(Refusal.WRONG_STATE, _("The pool's closing time has not come."), field="pool")


def seal_bets(*, code: str, actor: str) -> Commitment:
    """Sign and store what was sold: count, totals, digests, Merkle root (X1, G4); once, the first call's answer stays.

    The bets are read without any lock, as none can come any more; two calls at once make the same document.

    :raises DomainError: NOT_FOUND; WRONG_STATE unless the pool is closed.
    """
    pool = find_pool(code)
    standing = Commitment.objects.filter(pool=pool).first()
    if standing is not None:
        return standing
    _only_closed(pool.state)
    document, chunks = _commitment_document(pool)
    text = canonical_json(document).decode() + "\n"
    with one_transaction():
        state, at = hold_pool_shared(pool.pk)
        _only_closed(state)
        pot = entries_balance(ledger_account(AccountKind.POOL_POT, code), book=pool.pk)
        staked = pot + stakes_returned(pool)
        assert document["turnover"] == staked, f"pool {code}: the bets are not the money in its pot, {pot}"
        commitment, created = Commitment.objects.get_or_create(
            pool=pool, defaults={"document_text": text, "committed_at": at}
        )
        assert commitment.document_text == text, f"pool {code}: the bets changed after closing"
        if created:
            BetChunk.objects.bulk_create(chunks, batch_size=2_000)
            sealed = {key: document[key] for key in ("count", "lines", "turnover", "merkle_root")}
            digests = {key: document[key] for key in ("terms", "bets")}
            write_journal(at=at, actor=actor, act="seal_bets", subject=f"pool:{code}", after=sealed | digests)
            tell(EventKind.POOL_SEALED, f"pool:{code}", sealed, at=at)
            publish_commitment(pool, commitment)
    return commitment


def _only_closed(state: str) -> None:
    if state != PoolState.CLOSED:
        raise DomainError(Refusal.WRONG_STATE, _("Only the bets of a closed pool can be sealed."), field="pool")


def _commitment_document(pool: Pool) -> tuple[dict[str, object], list[BetChunk]]:
    """Return the signed commitment, and the pieces of its tree, which lead to the same root."""
    assert pool.closed_at is not None
    sealed = sealed_bets(pool)
    assert sealed.claims["merkle_root"] == root_of_chunks([root for _first, root in sealed.chunks]).hex()
    document = commitment_of(sealed.claims, pool.closed_at)
    signed = {**document, "signatures": [operator_sign(commitment_payload(document))]}
    return signed, chunk_rows(pool, sealed.chunks)
