"""What the bank lets the organizer do with cash: limits of points (¶9.6), payouts out of takings (¶9.7)."""

from datetime import date

from django.utils.translation import gettext_lazy as _

from accounts.models import BettingPoint, CashLimit, TakingsAgreement, User
from accounts.services.staff import refuse_all_but_staff, written
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


def record_cash_limit(
    *, point: BettingPoint, amount: int | None, valid_from: date, document: str, by: User
) -> CashLimit:
    """Record how many kopecks the bank lets a point hold from a day on; None takes the limit away.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE for an amount below zero, or no document.
    """
    refuse_all_but_staff(by)
    document = written(document, field="document", most=100)
    if amount is not None and amount < 0:
        raise DomainError(Refusal.BAD_VALUE, _("The amount must not be below zero."), field="amount")
    with one_transaction():
        at = clock.now()
        limit = CashLimit.objects.create(
            point=point, amount=amount, valid_from=valid_from, document=document, recorded_by=by, recorded_at=at
        )
        write_journal(
            at=at,
            actor=by.actor,
            act="record_cash_limit",
            subject=f"point:{point.pk}",
            after={"amount": amount, "from": valid_from.isoformat(), "document": document},
        )
    return limit


def record_takings_agreement(
    *, number: str, bank: str, valid_from: date, valid_until: date, by: User, point: BettingPoint | None = None
) -> TakingsAgreement:
    """Record that the bank lets takings be paid out, at one point or, without `point`, at all.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE for an empty number or bank, or an end before the beginning.
    """
    refuse_all_but_staff(by)
    if valid_until < valid_from:
        raise DomainError(Refusal.BAD_VALUE, _("It ends before it begins."), field="valid_until")
    with one_transaction():
        at = clock.now()
        agreement = TakingsAgreement.objects.create(
            point=point,
            number=written(number, field="number", most=100),
            bank=written(bank, field="bank"),
            valid_from=valid_from,
            valid_until=valid_until,
            recorded_by=by,
            recorded_at=at,
        )
        write_journal(
            at=at,
            actor=by.actor,
            act="record_takings_agreement",
            subject=f"point:{point.pk}" if point is not None else "organizer",
            after={"number": number, "from": valid_from.isoformat(), "until": valid_until.isoformat()},
        )
    return agreement
