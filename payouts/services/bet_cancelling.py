"""Cancelling a bet that was made in breach of the rules, even a settled one: by two people (¶29, D-3, G3)."""

from datetime import datetime

from django.db.models import Sum
from django.utils.translation import gettext_lazy as _

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import Movement, ledger_account, post
from accounts.models import LedgerAccount, User
from accounts.queries.jackpots import heir_of
from accounts.services.staff import refuse_all_but_staff, refuse_same_person, written
from payouts.locks import lock_payables_of
from payouts.models import WINNINGS, OverpaidDecision, Payable, PayableKind, PayableState, Payment
from payouts.services.being_corrected import refuse_being_corrected
from payouts.services.booking import book_payables, insert_refunds
from payouts.services.paying import settle_payables
from pools.locks import lock_jackpot, lock_pool
from pools.models import (
    Bet,
    BetCancellation,
    BetCancellationProposal,
    CancelledWhen,
    LogKind,
    Pool,
    PoolState,
    Settlement,
    SettlementState,
    WinningTaken,
    jackpot_owner,
)
from pools.services.public_log import append_to_log
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction
from totalizator.engine.canonical import canonical_json
from totalizator.engine.instants import instant_text


def propose_bet_cancellation(*, ticket: str, reason: str, document: str, proposed_by: User) -> BetCancellationProposal:
    """Propose to cancel a bet; a later proposal takes the place of an earlier one. Nothing changes by it.

    :raises DomainError: NOT_ALLOWED; NOT_FOUND; BAD_VALUE without a reason or a document; WRONG_STATE for a bet that is
        cancelled or returned already.
    """
    refuse_all_but_staff(proposed_by)
    reason, document = written(reason, field="reason", most=1_000), written(document, field="document")
    bet = _bet(ticket)
    with one_transaction():
        pool = lock_pool(bet.pool.code)
        _refuse_uncancellable(bet, pool)
        at = clock.now()
        proposal = BetCancellationProposal.objects.create(
            pool=pool, ticket=ticket, reason=reason, document=document, proposed_by=proposed_by, proposed_at=at
        )
        write_journal(
            at=at,
            actor=proposed_by.actor,
            act="propose_bet_cancellation",
            subject=f"bet:{ticket}",
            reason=reason,
            after={"document": document, "stake": bet.stake},
        )
    return proposal


def approve_bet_cancellation(*, proposal: BetCancellationProposal, approved_by: User) -> BetCancellation:
    """Cancel the bet as proposed, and publish that it was.

    Its stake goes back at once. Before the settlement it leaves the division and the pot; after it nobody's
    winning is computed again: the stake is returned from the organizer's money, an unpaid winning goes to the jackpot,
    and what was paid becomes a receivable.

    :raises DomainError: NOT_ALLOWED; SAME_PERSON; WRONG_STATE when a later proposal stands, the bet is cancelled or
        returned already, or the settlement is calculated and not official yet.
    """
    refuse_all_but_staff(approved_by)
    refuse_same_person(proposal.proposed_by_id, approved_by)
    bet = _bet(proposal.ticket)
    with one_transaction():
        pool = lock_pool(bet.pool.code)
        if BetCancellationProposal.objects.filter(ticket=bet.ticket).latest("pk") != proposal:
            raise DomainError(Refusal.WRONG_STATE, _("Another proposal has been made meanwhile; read it first."))
        settlement = _refuse_uncancellable(bet, pool)
        at = clock.now()
        when = CancelledWhen.BEFORE if settlement is None else CancelledWhen.AFTER
        if settlement is None:
            _return_from_pot(bet, pool, at)
        winning, taken = (WinningTaken.NONE, 0) if settlement is None else _undo(bet, pool, at, approved_by.actor)
        cancellation = BetCancellation.objects.create(
            pool=pool,
            ticket=bet.ticket,
            proposal=proposal,
            cancelled_when=when,
            stake=bet.stake,
            winning=winning,
            taken=taken,
            document_text=_published(bet, when, winning, taken, at),
            proposed_by_id=proposal.proposed_by_id,
            approved_by=approved_by,
            cancelled_at=at,
        )
        write_journal(
            at=at,
            actor=approved_by.actor,
            act="approve_bet_cancellation",
            subject=f"bet:{bet.ticket}",
            reason=proposal.reason,
            after={
                "document": proposal.document,
                "proposed_by": f"user:{proposal.proposed_by_id}",
                "when": str(when),
                "stake": bet.stake,
                "winning": str(winning),
                "taken": taken,
            },
        )
        append_to_log(kind=LogKind.CORRECTION, subject=bet.ticket, document=cancellation.document_text.encode(), at=at)
    return cancellation


def _bet(ticket: str) -> Bet:
    bet = Bet.objects.select_related("pool", "paid_from").filter(ticket=ticket).first()
    if bet is None:
        raise DomainError(Refusal.NOT_FOUND, _("There is no such ticket."), field="ticket")
    return bet


def _refuse_uncancellable(bet: Bet, pool: Pool) -> Settlement | None:
    """Return the official settlement, if there is one; the pool is locked."""
    if BetCancellation.objects.filter(pool=pool, ticket=bet.ticket).exists():
        raise DomainError(Refusal.WRONG_STATE, _("This bet is cancelled already."), field="ticket")
    settlement = Settlement.objects.filter(pool=pool).first()
    if settlement is not None and settlement.state != SettlementState.OFFICIAL:
        raise DomainError(Refusal.WRONG_STATE, _("The pool is being settled; wait until that is official."))
    if settlement is not None:
        refuse_being_corrected(pool.pk)
    refunds = Payable.objects.filter(pool=pool, ticket=bet.ticket, kind=PayableKind.REFUND)
    if refunds.filter(state=PayableState.REVOKED).exists():
        message = _("A correction of the result has put this bet back into play; it can no longer be cancelled.")
        raise DomainError(Refusal.WRONG_STATE, message, field="ticket")
    if pool.state == PoolState.CANCELLED or refunds.exists():
        raise DomainError(Refusal.WRONG_STATE, _("The stake of this bet is returned already."), field="ticket")
    return settlement


def _return_from_pot(bet: Bet, pool: Pool, at: datetime) -> None:
    pot, refunds = (ledger_account(kind, pool.code) for kind in (AccountKind.POOL_POT, AccountKind.REFUNDS_DUE))
    _move(bet, at, f"cancelled-refund:{bet.ticket}", TransferKind.REFUND, pot, refunds, bet.stake)
    insert_refunds(pool, from_=at, tickets=[bet.ticket])


def _undo(bet: Bet, pool: Pool, at: datetime, actor: str) -> tuple[WinningTaken, int]:
    """Return the stake from the organizer's money and take the winning back; return which way, and how much."""
    book_payables(code=pool.code, actor=actor)
    lock_jackpot(pool.game)
    payables = lock_payables_of(pool.pk, bet.ticket)
    if any(payable.kind == PayableKind.REFUND for payable in payables):
        raise DomainError(Refusal.WRONG_STATE, _("The stake of this bet is returned already."), field="ticket")
    organizer, refunds = ledger_account(AccountKind.ORGANIZER), ledger_account(AccountKind.REFUNDS_DUE, pool.code)
    _move(bet, at, f"cancelled-stake:{bet.ticket}", TransferKind.BET_CANCELLED, organizer, refunds, bet.stake)
    insert_refunds(pool, from_=at, tickets=[bet.ticket])
    winnings = [payable for payable in payables if payable.kind in WINNINGS]
    revoked = sum(_revoke(bet, payable, pool, at) for payable in winnings if payable.state == PayableState.DUE)
    handed_over = _handed_over(bet)
    if not handed_over:
        return (WinningTaken.UNPAID, revoked) if revoked else (WinningTaken.NONE, 0)
    receivable = ledger_account(AccountKind.RECEIVABLE, bet.ticket)
    key = f"winning-reclaimed:{bet.ticket}"
    _move(bet, at, key, TransferKind.WINNING_RECLAIMED, receivable, organizer, handed_over)
    return WinningTaken.PAID, handed_over


def _revoke(bet: Bet, payable: Payable, pool: Pool, at: datetime) -> int:
    debt, jackpot = (
        ledger_account(AccountKind.WINNINGS_DUE, pool.code),
        ledger_account(AccountKind.JACKPOT, heir_of(jackpot_owner(pool.game))),
    )
    key = f"{payable.kind}-cancelled:{bet.ticket}"
    _move(bet, at, key, TransferKind.JACKPOT_CANCELLED, debt, jackpot, payable.amount)
    settle_payables([payable], PayableState.REVOKED, at=at)
    return payable.amount


def _handed_over(bet: Bet) -> int:
    """Return what was paid of its winning, less what is reclaimed of it already (I10)."""
    of_bet = {"pool_id": bet.pool_id, "ticket": bet.ticket, "kind__in": WINNINGS}
    reclaimed = OverpaidDecision.objects.filter(**of_bet).aggregate(total=Sum("reclaimed", default=0))["total"]
    return sum(payment.handed_over for payment in Payment.objects.filter(**of_bet)) - int(reclaimed)


def _move(
    bet: Bet, at: datetime, key: str, kind: TransferKind, debit: LedgerAccount, credit: LedgerAccount, amount: int
) -> None:
    post(
        book=bet.pool_id,
        key=key,
        kind=kind,
        occurred_at=at,
        cause=f"bet:{bet.ticket}",
        movements=[Movement(debit, credit, amount)],
    )


def _published(bet: Bet, when: CancelledWhen, winning: WinningTaken, taken: int, at: datetime) -> str:
    """Write what anyone may know: not the reason, which may speak of a person."""
    return canonical_json(
        {
            "format": 1,
            "pool": bet.pool.code,
            "ticket": bet.ticket,
            "stake": bet.stake,
            "cancelled": str(when),
            "winning": str(winning),
            "taken": taken,
            "at": instant_text(at),
        }
    ).decode()
