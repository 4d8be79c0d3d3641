"""Cards on their way to the points (D2). Until its sale a card is worthless."""

from django.utils.translation import gettext_lazy as _

from accounts.models import BettingPoint, CardState, PrepaidCard, Role, Till, User
from accounts.services.card_ranges import CardRange, lock_range, refuse_unless
from accounts.services.staff import refuse_all_but_staff, written
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


def ship_cards(*, cards: CardRange, point: BettingPoint, document: str, shipped_by: User) -> int:
    """Send a range of cards to a point, from the printer or from another point; return how many.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE without a document; NOT_FOUND for an empty range; WRONG_STATE when any
        of them cannot be sent: then none is.
    """
    refuse_all_but_staff(shipped_by)
    document = written(document, field="document")
    with one_transaction():
        locked = lock_range(cards)
        for card in locked:
            refuse_unless(card, {CardState.PRINTED, CardState.AT_POINT})
        PrepaidCard.objects.filter(pk__in=[card.pk for card in locked]).update(state=CardState.SHIPPED, point=point)
        write_journal(
            at=clock.now(),
            actor=shipped_by.actor,
            act="ship_cards",
            subject=cards.subject,
            after={"rows": len(locked), "point": point.code, "document": document},
        )
    return len(locked)


def receive_cards(*, cards: CardRange, cashier: User) -> int:
    """Take a range of cards that came to the cashier's point into its stock; return how many.

    :raises DomainError: NOT_ALLOWED; NOT_FOUND for an empty range; WRONG_STATE when any of them is not on its way to
        this point: then none is taken.
    """
    till = till_of(cashier)
    with one_transaction():
        locked = lock_range(cards)
        for card in locked:
            refuse_unless(card, {CardState.SHIPPED} if card.point_id == till.point_id else ())
        PrepaidCard.objects.filter(pk__in=[card.pk for card in locked]).update(state=CardState.AT_POINT)
        write_journal(
            at=clock.now(),
            actor=cashier.actor,
            act="receive_cards",
            subject=cards.subject,
            after={"rows": len(locked), "point": till.point.code},
        )
    return len(locked)


def till_of(cashier: User) -> Till:
    """Return the cashier's till; :raises DomainError: NOT_ALLOWED for anyone but a cashier at a till."""
    till = Till.objects.select_related("ledger_account", "point").filter(cashier=cashier).first()
    if cashier.role != Role.CASHIER or till is None:
        raise DomainError(Refusal.NOT_ALLOWED, _("Only a cashier at a till can do this."))
    return till
