"""Lines that may be known in another format wait outside the books: one person proposes, another approves (¶35.5)."""

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from accounts.locks import lock_own_account
from accounts.models import BankLine, BankLineDecision, BankLineProposal, User
from accounts.services.bank_booking import book_credits
from accounts.services.staff import refuse_all_but_staff, refuse_same_person, written
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


def doubtful_lines() -> QuerySet[BankLine]:
    """Return the lines of which nobody has decided whether they are known."""
    decided = BankLineDecision.objects.values("proposal__line")
    return BankLine.objects.filter(resembles__isnull=False).exclude(pk__in=decided)


def propose_doubt(*, line: BankLine, same: bool, document: str, proposed_by: User) -> BankLineProposal:
    """Propose that a doubtful line is the payment that it resembles, or another; a later proposal takes its place.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE without a document; WRONG_STATE for a line that is not in doubt.
    """
    refuse_all_but_staff(proposed_by)
    document = written(document, field="document")
    with one_transaction():
        _refuse_certain(line)
        at = clock.now()
        proposal = BankLineProposal.objects.create(
            line=line, same=same, document=document, proposed_by=proposed_by, proposed_at=at
        )
        write_journal(
            at=at,
            actor=proposed_by.actor,
            act="propose_bank_line",
            subject=f"bank_line:{line.pk}",
            reason=document,
            after={"same": same, "resembles": line.resembles_id, "amount": line.amount},
        )
    return proposal


def approve_doubt(*, proposal: BankLineProposal, approved_by: User) -> BankLineDecision:
    """Carry out the latest proposal; approved again by the same person it answers as the first time.

    The same payment stays out of the books; another is booked, and finds its place as every other.

    :raises DomainError: NOT_ALLOWED; SAME_PERSON; WRONG_STATE when another proposal was made meanwhile, or it was
        decided: then nothing was done.
    """
    refuse_all_but_staff(approved_by)
    refuse_same_person(proposal.proposed_by_id, approved_by)
    with one_transaction():
        line = proposal.line
        lock_own_account({line.account.iban})
        standing = BankLineDecision.objects.filter(proposal=proposal).first()
        if standing is not None and standing.approved_by_id == approved_by.pk:
            return standing
        if BankLineProposal.objects.filter(line=line, pk__gt=proposal.pk).exists():
            raise DomainError(Refusal.WRONG_STATE, _("Another proposal has been made meanwhile; read it first."))
        _refuse_certain(line)
        at = clock.now()
        if not proposal.same:
            book_credits([line], at)
        decision = BankLineDecision.objects.create(
            proposal=proposal, proposed_by_id=proposal.proposed_by_id, approved_by=approved_by, decided_at=at
        )
        write_journal(
            at=at,
            actor=approved_by.actor,
            act="approve_bank_line",
            subject=f"bank_line:{line.pk}",
            reason=proposal.document,
            after={"same": proposal.same, "resembles": line.resembles_id, "amount": line.amount},
        )
    return decision


def _refuse_certain(line: BankLine) -> None:
    if not doubtful_lines().filter(pk=line.pk).exists():
        raise DomainError(Refusal.WRONG_STATE, _("There is nothing to decide about this line."))
