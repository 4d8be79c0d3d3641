"""A damaged card is replaced by its serial: with a proof, by two people; the new card takes over its money (D4).

The new card gets the *ledger account* of the old one, not a transfer from it. So what is on it, what its bets still
win and what is returned to it are the new card's, at one stroke and for good.
"""

from django.utils.translation import gettext_lazy as _

from accounts.ledger.balances import balance
from accounts.locks import lock_cards
from accounts.models import CardReplacement, CardState, PrepaidCard, User
from accounts.models.cards import move_card
from accounts.services.card_numbers import read_number
from accounts.services.card_ranges import refuse_unless
from accounts.services.staff import refuse_all_but_staff, written
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


def propose_replacement(*, damaged: str, replacement: str, proof: str, proposed_by: User) -> CardReplacement:
    """Propose that the card `replacement`, not sold yet, takes the place of the sold card `damaged` (numbers).

    The damaged card pays until the replacement is approved: block it first where it may have been stolen.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE; NOT_FOUND; WRONG_STATE as `approve_replacement`.
    """
    refuse_all_but_staff(proposed_by)
    proof = written(proof, field="proof")
    numbers = read_number(damaged, field="damaged"), read_number(replacement, field="replacement")
    with one_transaction():
        old, new, at = *_locked(*numbers), clock.now()
        _refuse_unfit(old, new)
        proposal = CardReplacement.objects.create(
            damaged=old, replacement=new, proof=proof, proposed_by=proposed_by, proposed_at=at
        )
        write_journal(
            at=at,
            actor=proposed_by.actor,
            act="propose_replacement",
            subject=old.subject,
            reason=proof,
            after={"replacement": new.number},
        )
    return proposal


def approve_replacement(*, proposal: CardReplacement, approved_by: User) -> PrepaidCard:
    """Kill the damaged card and give its money to the new one, which pays from now on; return the new card.

    :raises DomainError: NOT_ALLOWED; SAME_PERSON; WRONG_STATE unless the damaged card is sold (or blocked since) and
        the other one is at a point and not sold.
    """
    refuse_all_but_staff(approved_by)
    if proposal.proposed_by_id == approved_by.pk:
        raise DomainError(Refusal.SAME_PERSON, _("Another person must approve what you proposed."))
    with one_transaction():
        old, new = _locked(proposal.damaged.number, proposal.replacement.number)
        at = clock.now()
        _refuse_unfit(old, new)
        account = old.ledger_account
        assert account is not None
        move_card(old, CardState.REPLACED, blocked_from="", blocked_by=None)
        expires_at = max(old.expires_at, new.expires_at)
        move_card(new, CardState.ACTIVE, ledger_account=account, expires_at=expires_at)
        CardReplacement.objects.filter(pk=proposal.pk).update(approved_by=approved_by, approved_at=at)
        for card, other in ((old, {"replaced_by": new.number}), (new, {"replaces": old.number})):
            write_journal(
                at=at,
                actor=approved_by.actor,
                act="approve_replacement",
                subject=card.subject,
                reason=proposal.proof,
                after={**other, "balance": balance(account), "proposed_by": f"user:{proposal.proposed_by_id}"},
            )
    return new


def _locked(damaged: str, replacement: str) -> tuple[PrepaidCard, PrepaidCard]:
    """Lock both cards and return them in this order."""
    found = {card.number: card for card in lock_cards(PrepaidCard.objects.filter(number__in=[damaged, replacement]))}
    for field, number in (("damaged", damaged), ("replacement", replacement)):
        if number not in found:
            raise DomainError(Refusal.NOT_FOUND, _("There is no card with this number."), field=field)
    return found[damaged], found[replacement]


def _refuse_unfit(old: PrepaidCard, new: PrepaidCard) -> None:
    """Only a sold card is replaced, only by one that is for sale."""
    sold = {CardState.ACTIVE, CardState.BLOCKED} if old.ledger_account is not None else ()
    refuse_unless(old, sold)
    refuse_unless(new, {CardState.AT_POINT})
