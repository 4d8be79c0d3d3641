"""Closing the log-in of one of the staff: at once, by one person; opened again by another than who closed it (R1).

What was done under the log-in stays as it was. A player's account is blocked instead, by two (`blocking.py`).
"""

from django.utils.translation import gettext_lazy as _

from accounts.locks import lock_organizers, lock_person
from accounts.models import LoginClosing, LoginOpening, Role, User
from accounts.services.staff import refuse_all_but_staff, written
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction

LEAST_ORGANIZERS = 2
"""So many of the organizer's staff keep their log-ins: what two people do can always be done."""


def close_login(*, person: User, reason: str, closed_by: User) -> LoginClosing:
    """Close a log-in: its next request is refused, and so is its next log-in, token and signature.

    :raises DomainError: NOT_ALLOWED, also for a player's; SAME_PERSON for one's own; BAD_VALUE without a reason;
        WRONG_STATE when it is closed, or fewer than two of the organizer's staff would be left.
    """
    refuse_all_but_staff(closed_by)
    if person.pk == closed_by.pk:
        raise DomainError(Refusal.SAME_PERSON, _("Nobody closes the own log-in."))
    reason = written(reason, field="reason", most=2_000)
    with one_transaction():
        organizers = lock_organizers()
        person = lock_person(person.pk)
        if person.role == Role.PLAYER:
            message = _("A player's account is blocked on the player's page, by two people.")
            raise DomainError(Refusal.NOT_ALLOWED, message, field="username")
        if not person.is_active:
            raise DomainError(Refusal.WRONG_STATE, _("This log-in is closed already."), field="username")
        if closed_by.pk not in organizers:
            raise DomainError(Refusal.NOT_ALLOWED, _("Only the organizer's staff can do this."))
        if person.role == Role.ORGANIZER and len(organizers) <= LEAST_ORGANIZERS:
            message = _(
                "At least two of the organizer's staff must be able to log in: give another person the role first."
            )
            raise DomainError(Refusal.WRONG_STATE, message, field="username")
        at = clock.now()
        closing = LoginClosing.objects.create(person=person, reason=reason, closed_by=closed_by, closed_at=at)
        User.objects.filter(pk=person.pk).update(is_active=False)
        write_journal(
            at=at, actor=closed_by.actor, act="close_login", subject=person.actor, reason=reason, after={"open": False}
        )
    return closing


def open_login(*, person: User, reason: str, opened_by: User) -> LoginOpening:
    """Open a closed log-in again, by another person than who closed it.

    :raises DomainError: NOT_ALLOWED; SAME_PERSON for who closed it, and for one's own; BAD_VALUE without a reason;
        WRONG_STATE when nobody has closed it.
    """
    refuse_all_but_staff(opened_by)
    reason = written(reason, field="reason", most=2_000)
    with one_transaction():
        person = lock_person(person.pk)
        closing = standing_closing(person)
        if closing is None:
            raise DomainError(Refusal.WRONG_STATE, _("This log-in is not closed."), field="username")
        if opened_by.pk in (closing.closed_by_id, person.pk):
            raise DomainError(Refusal.SAME_PERSON, _("Another person than who closed it must open it again."))
        at = clock.now()
        opening = LoginOpening.objects.create(
            closing=closing, reason=reason, closed_by_id=closing.closed_by_id, opened_by=opened_by, opened_at=at
        )
        User.objects.filter(pk=person.pk).update(is_active=True)
        write_journal(
            at=at,
            actor=opened_by.actor,
            act="open_login",
            subject=person.actor,
            reason=reason,
            after={"open": True, "closed_by": f"user:{closing.closed_by_id}"},
        )
    return opening


def standing_closing(person: User) -> LoginClosing | None:
    """Return what keeps a log-in closed; None for one that is open."""
    return LoginClosing.objects.filter(person=person, opening__isnull=True).select_related("closed_by").first()
