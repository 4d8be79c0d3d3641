"""Who knows too much to play: staff, commission members, terminals' owners, and their relatives (E6)."""

from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _

from accounts.locks import hold_number
from accounts.models import Insider, InsiderKind, Role, User
from accounts.services.identity_numbers import number_digest
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


def list_insider(*, identity_number: str, kind: InsiderKind, listed_by: User, user: User | None = None) -> Insider:
    """Put a person on the list of those who may not play; a player with this number is barred at once.

    `user` is the insider's own log-in, where they have one. Only a digest of the number is kept.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE; WRONG_STATE when the person is listed so already; SAME_PERSON when
        the person has another log-in to act with.
    """
    _refuse_others(listed_by)
    digest = number_digest(identity_number)
    with one_transaction():
        hold_number(digest)
        _refuse_second_log_in(digest, user)
        at = clock.now()
        try:
            with transaction.atomic():
                insider = Insider.objects.create(
                    number_digest=digest, kind=kind, user=user, listed_by=listed_by, listed_at=at
                )
        except IntegrityError as fault:
            raise DomainError(Refusal.WRONG_STATE, _("This person is listed already."), field="kind") from fault
        write_journal(
            at=at,
            actor=listed_by.actor,
            act="list_insider",
            subject=f"insider:{insider.pk}",
            after={"kind": str(kind), "user": user.pk if user else None},
        )
    return insider


def end_insider(*, insider: Insider, reason: str, ended_by: User) -> None:
    """Take a person off the list, once, for a reason.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE without a reason; WRONG_STATE when it was done.
    """
    _refuse_others(ended_by)
    if not reason.strip():
        raise DomainError(Refusal.BAD_VALUE, _("Give a reason."), field="reason")
    with one_transaction():
        at = clock.now()
        if not Insider.objects.filter(pk=insider.pk, ended_at__isnull=True).update(ended_at=at):
            raise DomainError(Refusal.WRONG_STATE, _("This person is no longer listed."))
        subject = f"insider:{insider.pk}"
        write_journal(at=at, actor=ended_by.actor, act="end_insider", subject=subject, reason=reason)


def _refuse_second_log_in(digest: bytes, user: User | None) -> None:
    """One person acts under one log-in: with two, one person would be the two that an act needs (R1)."""
    others = Insider.objects.filter(number_digest=digest, user__isnull=False, user__is_active=True)
    other = others.exclude(user=user).exclude(user__role=Role.PLAYER).select_related("user").first()
    if user is None or user.role == Role.PLAYER or other is None or other.user is None:
        return
    message = _("This person acts as %(name)s already: switch that log-in off first.") % {"name": other.user.username}
    raise DomainError(Refusal.SAME_PERSON, message, field="user")


def _refuse_others(actor: User) -> None:
    if actor.role != Role.ORGANIZER:
        raise DomainError(Refusal.NOT_ALLOWED, _("Only the organizer's staff can do this."))
