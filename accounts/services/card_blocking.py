"""Lost and stolen cards: a range is blocked at once by one person, and unblocked by another (D4)."""

from django.db.models import F
from django.utils.translation import gettext_lazy as _

from accounts.models import CardState, PrepaidCard, User
from accounts.models.cards import states_before
from accounts.services.card_ranges import CardRange, lock_range
from accounts.services.staff import refuse_all_but_staff, written
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


def block_cards(*, cards: CardRange, reason: str, blocked_by: User) -> int:
    """Block every card of a range that is not blocked, expired or replaced already; return how many.

    Once this returns none of them pays. What is on them stays, and what their bets win is credited.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE without a reason; NOT_FOUND for an empty range.
    """
    refuse_all_but_staff(blocked_by)
    reason = written(reason, field="reason")
    with one_transaction():
        locked = lock_range(cards)
        blockable = [card.pk for card in locked if card.state in states_before(CardState.BLOCKED)]
        PrepaidCard.objects.filter(pk__in=blockable).update(
            blocked_from=F("state"), state=CardState.BLOCKED, blocked_by=blocked_by
        )
        write_journal(
            at=clock.now(),
            actor=blocked_by.actor,
            act="block_cards",
            subject=cards.subject,
            reason=reason,
            after={"rows": len(blockable)},
        )
    return len(blockable)


def unblock_cards(*, cards: CardRange, reason: str, unblocked_by: User) -> int:
    """Return every blocked card of a range to the state that it was blocked in; return how many.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE without a reason; NOT_FOUND for an empty range; SAME_PERSON when any of
        them was blocked by who now unblocks: then none is.
    """
    refuse_all_but_staff(unblocked_by)
    reason = written(reason, field="reason")
    with one_transaction():
        blocked = [card for card in lock_range(cards) if card.state == CardState.BLOCKED]
        if any(card.blocked_by_id == unblocked_by.pk for card in blocked):
            raise DomainError(Refusal.SAME_PERSON, _("Another person must unblock what you blocked."))
        PrepaidCard.objects.filter(pk__in=[card.pk for card in blocked]).update(
            state=F("blocked_from"), blocked_from="", blocked_by=None
        )
        write_journal(
            at=clock.now(),
            actor=unblocked_by.actor,
            act="unblock_cards",
            subject=cards.subject,
            reason=reason,
            after={"rows": len(blocked)},
        )
    return len(blocked)
