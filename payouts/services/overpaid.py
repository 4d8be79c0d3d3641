"""What a correction shows to be paid too much: two people reclaim or waive it; until then it stays paid (I10)."""

from django.utils.translation import gettext_lazy as _

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import Movement, ledger_account, post
from accounts.models import User
from accounts.services.staff import refuse_all_but_staff, refuse_same_person, written
from payouts.locks import lock_payables_of
from payouts.models import CorrectedPayable, OverpaidDecision, OverpaidProposal, PayableKind, Payment
from payouts.queries.corrections import overpaid_cases
from payouts.services.taxing import tax_rule
from pools.locks import lock_pool
from pools.models import Bet, BetCancellation
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction
from totalizator.engine.deadlines import legal_day


def propose_overpaid(
    *, ticket: str, kind: str, reclaim: bool, reason: str, document: str, proposed_by: User
) -> OverpaidProposal:
    """Propose to ask back what was overpaid on a ticket, or to waive it; a later proposal takes an earlier one's place.

    :raises DomainError: NOT_ALLOWED; NOT_FOUND without such a case; BAD_VALUE without a reason or a document;
        WRONG_STATE when it is decided, or the bet was cancelled since (¶29).
    """
    refuse_all_but_staff(proposed_by)
    reason, document = written(reason, field="reason", most=1_000), written(document, field="document")
    case = _case(ticket, kind)
    with one_transaction():
        lock_pool(case.pool.code)
        _refuse_ended(case)
        at = clock.now()
        proposal = OverpaidProposal.objects.create(
            pool=case.pool,
            ticket=case.ticket,
            kind=case.kind,
            reclaim=reclaim,
            reason=reason,
            document=document,
            proposed_by=proposed_by,
            proposed_at=at,
        )
        write_journal(
            at=at,
            actor=proposed_by.actor,
            act="propose_overpaid",
            subject=f"bet:{case.ticket}",
            reason=reason,
            after={"kind": case.kind, "overpaid": case.overpaid, "reclaim": reclaim, "document": document},
        )
    return proposal


def approve_overpaid(*, proposal: OverpaidProposal, approved_by: User) -> OverpaidDecision:
    """Decide as proposed; what is reclaimed becomes a receivable under the ticket's number.

    :raises DomainError: NOT_ALLOWED; SAME_PERSON; WRONG_STATE when a later proposal stands, it is decided, or the bet
        was cancelled since.
    """
    refuse_all_but_staff(approved_by)
    refuse_same_person(proposal.proposed_by_id, approved_by)
    case = _case(proposal.ticket, proposal.kind)
    with one_transaction():
        pool = lock_pool(case.pool.code)
        lock_payables_of(pool.pk, case.ticket)
        if OverpaidProposal.objects.filter(pool=pool, ticket=case.ticket, kind=case.kind).latest("pk") != proposal:
            raise DomainError(Refusal.WRONG_STATE, _("Another proposal has been made meanwhile; read it first."))
        _refuse_ended(case)
        at = clock.now()
        reclaimed = handed_over_too_much(case) if proposal.reclaim else 0
        if reclaimed:
            post(
                book=pool.pk,
                key=f"{case.kind}-overpaid:{case.ticket}",
                kind=TransferKind.OVERPAID_RECLAIMED,
                occurred_at=at,
                cause=f"bet:{case.ticket}",
                movements=[
                    Movement(
                        ledger_account(AccountKind.RECEIVABLE, case.ticket),
                        ledger_account(AccountKind.ORGANIZER),
                        reclaimed,
                    )
                ],
            )
        decision = OverpaidDecision.objects.create(
            pool=pool,
            ticket=case.ticket,
            kind=case.kind,
            proposal=proposal,
            reclaimed=reclaimed,
            proposed_by_id=proposal.proposed_by_id,
            approved_by=approved_by,
            decided_at=at,
        )
        write_journal(
            at=at,
            actor=approved_by.actor,
            act="approve_overpaid",
            subject=f"bet:{case.ticket}",
            reason=proposal.reason,
            after={
                "kind": case.kind,
                "document": proposal.document,
                "proposed_by": f"user:{proposal.proposed_by_id}",
                "overpaid": case.overpaid,
                "reclaimed": reclaimed,
            },
        )
    return decision


def handed_over_too_much(case: CorrectedPayable) -> int:
    """Return what the player was handed beyond what would have been right, in kopecks: the tax stays with the state."""
    payment = Payment.objects.get(pk=case.pk)
    if case.kind == PayableKind.REFUND:
        return payment.handed_over - case.after
    stake = Bet.objects.values_list("stake", flat=True).get(pool_id=case.pool_id, ticket=case.ticket)
    right = case.after - tax_rule(legal_day(payment.paid_at)).tax_on(case.after, stake)
    return max(payment.handed_over - right, 0)


def _case(ticket: str, kind: str) -> CorrectedPayable:
    case = overpaid_cases().filter(ticket=ticket, kind=kind).first()
    if case is None:
        raise DomainError(Refusal.NOT_FOUND, _("Nothing was overpaid on this ticket."), field="ticket")
    return case


def _refuse_ended(case: CorrectedPayable) -> None:
    """The pool is locked."""
    if OverpaidDecision.objects.filter(pk=case.pk).exists():
        raise DomainError(Refusal.WRONG_STATE, _("This is decided already."), field="ticket")
    if BetCancellation.objects.filter(pool_id=case.pool_id, ticket=case.ticket).exists():
        message = _("This bet was cancelled since: all that was paid on it is to be given back (¶29).")
        raise DomainError(Refusal.WRONG_STATE, message, field="ticket")
