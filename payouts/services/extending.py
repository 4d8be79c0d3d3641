"""Extending a pool's term for claiming when points had to be shut in it: by two people, never shorter (K2)."""

from datetime import date, timedelta

from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.services.staff import refuse_all_but_staff, refuse_same_person, written
from payouts.models import WINNINGS, Payable, PayableState, TermExtended, TermExtension
from payouts.queries.claim_terms import claim_end_of
from pools.locks import lock_pool
from pools.models import Pool
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction
from totalizator.engine.deadlines import end_of_legal_day, legal_day


def propose_extension(*, code: str, last_day: date, reason: str, document: str, proposed_by: User) -> TermExtension:
    """Propose that a pool's winnings are paid to the end of `last_day`; a later proposal takes an earlier one's place.

    :raises DomainError: NOT_ALLOWED; NOT_FOUND; BAD_VALUE without reason or document, or for a day that is no later
        than the one that stands; WRONG_STATE without winnings that can be claimed, or after their term.
    """
    refuse_all_but_staff(proposed_by)
    reason = written(reason, field="reason", most=500)
    document = written(document, field="document")
    with one_transaction():
        pool = lock_pool(code)
        extension = TermExtension(pool=pool, payable_until=end_of_legal_day(last_day), reason=reason, document=document)
        _refuse_shorter(pool, extension)
        at = clock.now()
        extension.proposed_by, extension.proposed_at = proposed_by, at
        extension.save(force_insert=True)
        write_journal(
            at=at,
            actor=proposed_by.actor,
            act="propose_extension",
            subject=f"pool:{code}",
            reason=reason,
            after={"number": extension.pk, "last_day": last_day.isoformat(), "document": document},
        )
    return extension


def approve_extension(*, extension: TermExtension, approved_by: User) -> TermExtended:
    """Extend the term of every winning of the pool that is still to be paid; approved again it answers the same.

    :raises DomainError: NOT_ALLOWED; SAME_PERSON; BAD_VALUE, WRONG_STATE as `propose_extension`, or when another
        proposal was made meanwhile.
    """
    refuse_all_but_staff(approved_by)
    refuse_same_person(extension.proposed_by_id, approved_by)
    with one_transaction():
        pool = lock_pool(extension.pool.code)
        standing = TermExtended.objects.filter(extension=extension).first()
        if standing is not None:
            return standing
        if TermExtension.objects.filter(pool=pool, pk__gt=extension.pk).exists():
            raise DomainError(Refusal.WRONG_STATE, _("Another proposal has been made meanwhile; read it first."))
        before = _refuse_shorter(pool, extension)
        at = clock.now()
        extended = TermExtended.objects.create(
            extension=extension, proposed_by_id=extension.proposed_by_id, approved_by=approved_by, approved_at=at
        )
        rows = Payable.objects.filter(pool=pool, kind__in=WINNINGS, state=PayableState.DUE)
        changed = rows.filter(payable_until__lt=extension.payable_until).update(payable_until=extension.payable_until)
        write_journal(
            at=at,
            actor=approved_by.actor,
            act="approve_extension",
            subject=f"pool:{pool.code}",
            reason=extension.reason,
            before={"last_day": before.isoformat()},
            after={"number": extension.pk, "rows": changed, "document": extension.document},
        )
    return extended


def _refuse_shorter(pool: Pool, extension: TermExtension) -> date:
    """Refuse what would not make the term longer; return the last day that stands."""
    end = claim_end_of(pool)
    if end is None or clock.now() >= end:
        raise DomainError(Refusal.WRONG_STATE, _("No winning of this pool can be claimed now."))
    if extension.payable_until <= end:
        message = _("A term is only made longer: give a day after the one that stands.")
        raise DomainError(Refusal.BAD_VALUE, message, field="last_day", payable_until=end)
    return legal_day(end) - timedelta(days=1)
