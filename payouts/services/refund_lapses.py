"""Refunds that nobody collected in the limitation term go to the jackpot, by a decision of two people (D-12)."""

from collections.abc import Sequence
from datetime import datetime

from django.utils.translation import gettext_lazy as _

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import Movement, NewTransfer, ledger_account, post_many
from accounts.models import User
from accounts.queries.jackpots import heir_of
from accounts.services.staff import refuse_all_but_staff, refuse_same_person, written
from payouts.locks import lock_uncollected
from payouts.models import Payable, PayableState, RefundLapse, RefundLapseProposal
from payouts.queries.disputes import disputed_tickets
from payouts.queries.refund_terms import decidable_refunds
from payouts.queries.ticket_claims import claimed_tickets
from payouts.services.being_corrected import refuse_being_corrected
from payouts.services.paying import settle_payables
from pools.locks import lock_jackpot, lock_pool
from pools.models import Pool, jackpot_owner
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


def propose_refund_lapse(*, code: str, document: str, proposed_by: User) -> RefundLapseProposal:
    """Propose that the refunds of a pool that nobody collected in the limitation term go to the jackpot.

    A later proposal takes the place of an earlier one. Nothing changes by it: a till pays them as before.

    :raises DomainError: NOT_ALLOWED; NOT_FOUND; BAD_VALUE without a document; WRONG_STATE when there are none.
    """
    refuse_all_but_staff(proposed_by)
    document = written(document, field="document")
    with one_transaction():
        pool = lock_pool(code)
        at = clock.now()
        refunds = _undisputed(pool, list(decidable_refunds(pool, at)))
        proposal = RefundLapseProposal.objects.create(
            pool=pool,
            document=document,
            tickets=len(refunds),
            amount=sum(refund.amount for refund in refunds),
            proposed_by=proposed_by,
            proposed_at=at,
        )
        write_journal(
            at=at,
            actor=proposed_by.actor,
            act="propose_refund_lapse",
            subject=f"pool:{code}",
            after={
                "number": proposal.pk,
                "document": document,
                "tickets": proposal.tickets,
                "amount": proposal.amount,
            },
        )
    return proposal


def approve_refund_lapse(*, proposal: RefundLapseProposal, approved_by: User) -> RefundLapse:
    """Move what was proposed, and nobody has collected meanwhile, to the jackpot: an entry for each ticket.

    Approved again it answers the same. A till that is just paying one of them is waited for, and that one is left out.

    :raises DomainError: NOT_ALLOWED; SAME_PERSON; WRONG_STATE when a later proposal stands, or all was collected;
        BEING_CORRECTED.
    """
    refuse_all_but_staff(approved_by)
    refuse_same_person(proposal.proposed_by_id, approved_by)
    with one_transaction():
        pool = lock_pool(proposal.pool.code)
        standing = RefundLapse.objects.filter(proposal=proposal).first()
        if standing is not None:
            return standing
        if RefundLapseProposal.objects.filter(pool=pool, pk__gt=proposal.pk).exists():
            raise DomainError(Refusal.WRONG_STATE, _("Another proposal has been made meanwhile; read it first."))
        refuse_being_corrected(pool.pk)
        lock_jackpot(pool.game)
        locked = lock_uncollected(decidable_refunds(pool, proposal.proposed_at))
        # New statements, which see what was claimed or disputed while the locks were waited for.
        refunds = _undisputed(pool, locked)
        at = clock.now()
        post_many(_transfers(pool, refunds, at))
        settle_payables(refunds, PayableState.LAPSED, at=at)
        lapse = RefundLapse.objects.create(
            proposal=proposal,
            tickets=len(refunds),
            amount=sum(refund.amount for refund in refunds),
            proposed_by_id=proposal.proposed_by_id,
            approved_by=approved_by,
            approved_at=at,
        )
        write_journal(
            at=at,
            actor=approved_by.actor,
            act="approve_refund_lapse",
            subject=f"pool:{pool.code}",
            after={
                "number": proposal.pk,
                "document": proposal.document,
                "proposed_by": f"user:{proposal.proposed_by_id}",
                "tickets": lapse.tickets,
                "amount": lapse.amount,
            },
        )
    return lapse


def _undisputed(pool: Pool, refunds: Sequence[Payable]) -> list[Payable]:
    """Return those that nobody claims or disputes; :raises DomainError: WRONG_STATE when none is left."""
    tickets = [refund.ticket for refund in refunds]
    held = claimed_tickets(pool.pk, tickets) | disputed_tickets(pool.pk, tickets)
    left = [refund for refund in refunds if refund.ticket not in held]
    if not left:
        message = _("No refund of this pool waits for a decision: the limitation term runs, or all was collected.")
        raise DomainError(Refusal.WRONG_STATE, message)
    return left


def _transfers(pool: Pool, refunds: Sequence[Payable], at: datetime) -> list[NewTransfer]:
    debt = ledger_account(AccountKind.REFUNDS_DUE, pool.code)
    jackpot = ledger_account(AccountKind.JACKPOT, heir_of(jackpot_owner(pool.game)))
    return [
        NewTransfer(
            book=pool.pk,
            key=f"refund-lapsed:{refund.ticket}",
            kind=TransferKind.JACKPOT_REFUND,
            occurred_at=at,
            cause=f"bet:{refund.ticket}",
            movements=[Movement(debt, jackpot, refund.amount)],
        )
        for refund in refunds
    ]
