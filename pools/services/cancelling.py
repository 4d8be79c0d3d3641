"""Cancelling a pool before its result: one person proposes, another approves, every stake goes back (¶32, D-12)."""

from datetime import datetime

from django.db.models import Sum
from django.utils.translation import gettext_lazy as _

from accounts.ledger.balances import entries_balance
from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import Movement, ledger_account, post
from accounts.models import Role, User
from pools.locks import lock_pool
from pools.models import MOVES, Cancellation, CancellationProposal, Pool, PoolState, move
from pools.queries.cancelled_bets import stakes_returned
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


def propose_cancellation(*, code: str, reason: str, document: str, proposed_by: User) -> CancellationProposal:
    """Propose to cancel an announced, open or closed pool; a later proposal takes the place of an earlier one.

    Sales go on until another person approves.

    :raises DomainError: NOT_ALLOWED; NOT_FOUND; BAD_VALUE without a reason or a document; WRONG_STATE.
    """
    _only_organizer(proposed_by)
    for field, text in (("reason", reason), ("document", document)):
        if not text.strip():
            raise DomainError(Refusal.BAD_VALUE, _("Give the reason and the document that says so."), field=field)
    with one_transaction():
        pool = lock_pool(code)
        _refuse_uncancellable(pool)
        at = clock.now()
        proposal = CancellationProposal.objects.create(
            pool=pool,
            number=pool.cancellation_proposals.count() + 1,
            reason=reason,
            document=document,
            proposed_by=proposed_by,
            proposed_at=at,
        )
        write_journal(
            at=at,
            actor=proposed_by.actor,
            act="propose_cancellation",
            subject=f"pool:{code}",
            reason=reason,
            after={"number": proposal.number, "document": document},
        )
    return proposal


def approve_cancellation(*, code: str, approved_by: User, number: int | None = None) -> Cancellation:
    """Cancel the pool as proposed: sales end, and the whole pot becomes owed to those who staked it.

    `number` is the proposal that the approver has read: if a later one stands, nothing is done.

    :raises DomainError: NOT_ALLOWED; NOT_FOUND without a proposal; SAME_PERSON for who proposed it; WRONG_STATE.
    """
    _only_organizer(approved_by)
    with one_transaction():
        pool = lock_pool(code)
        _refuse_uncancellable(pool)
        proposal = _standing_proposal(pool, number)
        if proposal.proposed_by_id == approved_by.pk:
            raise DomainError(
                Refusal.SAME_PERSON, _("A cancellation is approved by another person than the one who proposed it.")
            )
        at = clock.now()
        move(pool, PoolState.CANCELLED, closed_at=pool.closed_at or min(at, pool.closes_at))
        cancellation = Cancellation.objects.create(
            pool=pool,
            reason=proposal.reason,
            document=proposal.document,
            proposed_by_id=proposal.proposed_by_id,
            approved_by=approved_by,
            cancelled_at=at,
        )
        write_journal(
            at=at,
            actor=approved_by.actor,
            act="approve_cancellation",
            subject=f"pool:{code}",
            reason=proposal.reason,
            after={
                "document": proposal.document,
                "proposed_by": f"user:{proposal.proposed_by_id}",
                "refunds": _owe_every_stake(pool, at),
            },
        )
    return cancellation


def _only_organizer(person: User) -> None:
    if person.role != Role.ORGANIZER:
        raise DomainError(Refusal.NOT_ALLOWED, _("Only the organizer's staff can do this."))


def _refuse_uncancellable(pool: Pool) -> None:
    state = PoolState(pool.state)
    if PoolState.CANCELLED not in MOVES[state]:
        raise DomainError(
            Refusal.WRONG_STATE,
            _("The pool is %(state)s; it can no longer be cancelled.") % {"state": state.label},
            state=state.value,
        )


def _standing_proposal(pool: Pool, number: int | None) -> CancellationProposal:
    proposal = pool.cancellation_proposals.order_by("-number").first()
    if proposal is None:
        raise DomainError(Refusal.NOT_FOUND, _("Nobody has proposed to cancel this pool."), field="pool")
    if number is not None and proposal.number != number:
        raise DomainError(Refusal.WRONG_STATE, _("Another proposal has been made meanwhile; read it first."))
    return proposal


def _owe_every_stake(pool: Pool, at: datetime) -> int:
    """Move the whole pot to what is owed, and return it in kopecks; the pot is 0 afterwards."""
    pot = ledger_account(AccountKind.POOL_POT, pool.code)
    stakes = entries_balance(pot, book=pool.pk)
    registered = int(pool.bets.aggregate(total=Sum("stake", default=0))["total"]) - stakes_returned(pool)
    assert stakes == registered, f"pool {pool.code}: {registered} staked, {stakes} in the pot"
    if stakes:
        post(
            book=pool.pk,
            key="cancel:refunds",
            kind=TransferKind.REFUND,
            occurred_at=at,
            cause=f"cancellation:{pool.code}",
            movements=[Movement(pot, ledger_account(AccountKind.REFUNDS_DUE, pool.code), stakes)],
        )
    return stakes
