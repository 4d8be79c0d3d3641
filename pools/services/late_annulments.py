"""A result that is annulled after the pool was settled: noted for all to read, and nothing changes (¶32)."""

from django.utils.translation import gettext_lazy as _

from accounts.models import Role, User
from accounts.services.staff import written
from pools.locks import lock_pool
from pools.models import LateAnnulment, PoolState
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


def note_late_annulment(*, code: str, condition: str, reason: str, document: str, noted_by: User) -> LateAnnulment:
    """Note that a settled pool's result, or one condition's, was annulled later; winnings stay as they are.

    :raises DomainError: NOT_FOUND; NOT_ALLOWED for anyone but the commission and the organizer's staff; WRONG_STATE
        before the pool is settled; BAD_VALUE for an unknown condition, without a reason or a document.
    """
    if noted_by.role not in (Role.COMMISSION, Role.ORGANIZER):
        raise DomainError(Refusal.NOT_ALLOWED, _("Only the organizer's staff and the commission can do this."))
    reason = written(reason, field="reason", most=500)
    document = written(document, field="document")
    with one_transaction():
        pool = lock_pool(code)
        if pool.state not in (PoolState.SETTLED, PoolState.ARCHIVED):
            raise DomainError(Refusal.WRONG_STATE, _("The pool is not settled yet."), state=pool.state)
        if condition and condition not in {known.code for known in pool.terms.conditions}:
            raise DomainError(Refusal.BAD_VALUE, _("The pool has no such condition."), field="condition")
        at = clock.now()
        annulment = LateAnnulment.objects.create(
            pool=pool, condition=condition, reason=reason, document=document, noted_by=noted_by, noted_at=at
        )
        write_journal(
            at=at,
            actor=noted_by.actor,
            act="note_late_annulment",
            subject=f"pool:{code}",
            reason=reason,
            after={"condition": condition, "document": document},
        )
    return annulment
