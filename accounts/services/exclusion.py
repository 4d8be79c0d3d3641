"""Staying away from play by one's own wish: cooling-off and self-exclusion, which nobody can shorten (P2)."""

import logging
from datetime import datetime, timedelta

from django.utils.translation import gettext_lazy as _

from accounts.locks import hold_play_of
from accounts.models import Exclusion, ExclusionKind, ForwardedExclusion, Person, Role, User
from accounts.queries.exclusions import exclusions_late_to_forward
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.legal import legal_numbers
from totalizator.core.models import JournalRecord
from totalizator.core.transactions import one_transaction
from totalizator.engine.deadlines import end_of_legal_day, legal_day, months_later

logger = logging.getLogger(__name__)
_WARNING = "warn_of_late_forward"


def cool_off(*, person: Person, days: int, actor: str) -> Exclusion:
    """Keep a person from play for so many times 24 hours, from now on.

    :raises DomainError: BAD_VALUE outside the days that the rules allow.
    """
    numbers = legal_numbers(clock.now())
    _refuse_outside(days, int(numbers["cooling_off_min_days"]), int(numbers["cooling_off_max_days"]), "days")
    with one_transaction():
        hold_play_of(person)
        at = clock.now()
        return _exclude(person, ExclusionKind.COOLING_OFF, at, cooling_off_until(days, at), actor)


def exclude_oneself(*, person: Person, months: int, actor: str) -> Exclusion:
    """Keep a person from play from now on, to the end of the same day of the month so many months later.

    The application is then to be sent on to the keeper of the register (`exclusions_to_forward`).

    :raises DomainError: BAD_VALUE outside the months that the law allows: 6 to 36.
    """
    numbers = legal_numbers(clock.now())
    least, most = int(numbers["self_exclusion_min_months"]), int(numbers["self_exclusion_max_months"])
    _refuse_outside(months, least, most, "months")
    with one_transaction():
        hold_play_of(person)
        at = clock.now()
        return _exclude(person, ExclusionKind.SELF_EXCLUSION, at, self_exclusion_until(months, at), actor)


def cooling_off_until(days: int, at: datetime) -> datetime:
    """Return when a cooling-off ends that begins at `at`."""
    return at + timedelta(days=days)


def self_exclusion_until(months: int, at: datetime) -> datetime:
    """Return when a self-exclusion ends that begins at `at`: with the same day of the month."""
    return end_of_legal_day(months_later(legal_day(at), months))


def note_forwarded(*, exclusion: Exclusion, reference: str, forwarded_by: User) -> ForwardedExclusion:
    """Note that an application was sent on to the keeper of the register, under `reference`; noted again, the first.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE without a reference; WRONG_STATE for a cooling-off, which stays here.
    """
    if forwarded_by.role != Role.ORGANIZER:
        raise DomainError(Refusal.NOT_ALLOWED, _("Only the organizer's staff can do this."))
    if not reference.strip():
        raise DomainError(Refusal.BAD_VALUE, _("Give the reference of the message."), field="reference")
    if exclusion.kind != ExclusionKind.SELF_EXCLUSION:
        raise DomainError(Refusal.WRONG_STATE, _("Only a self-exclusion is sent on to the register."))
    with one_transaction():
        at = clock.now()
        forwarded, created = ForwardedExclusion.objects.get_or_create(
            exclusion=exclusion,
            defaults={"reference": reference, "forwarded_by": forwarded_by, "forwarded_at": at},
        )
        if created:
            write_journal(
                at=at,
                actor=forwarded_by.actor,
                act="note_forwarded",
                subject=exclusion.person.subject,
                after={"exclusion": exclusion.pk, "reference": reference},
            )
    return forwarded


def warn_of_late_forwards() -> list[Exclusion]:
    """Journal and log each self-exclusion whose time to be sent on is over, once; return the new ones."""
    at = clock.now()
    return [exclusion for exclusion in exclusions_late_to_forward(at) if _warn(exclusion, at)]


def _warn(exclusion: Exclusion, at: datetime) -> bool:
    subject = f"exclusion:{exclusion.pk}"
    if JournalRecord.objects.filter(subject=subject, act=_WARNING).exists():
        return False
    after = {"person": exclusion.person_id, "begins_at": exclusion.begins_at.isoformat()}
    write_journal(at=at, actor=f"task:{_WARNING}", act=_WARNING, subject=subject, after=after)
    logger.warning("Self-exclusion %s has not been sent on to the register in time.", exclusion.pk)
    return True


def _exclude(person: Person, kind: ExclusionKind, at: datetime, ends_at: datetime, actor: str) -> Exclusion:
    exclusion = Exclusion.objects.create(person=person, kind=kind, begins_at=at, ends_at=ends_at, asked_by=actor)
    after = {"kind": str(kind), "ends_at": ends_at.isoformat()}
    write_journal(at=at, actor=actor, act=str(kind), subject=person.subject, after=after)
    return exclusion


def _refuse_outside(number: int, least: int, most: int, field: str) -> None:
    if not least <= number <= most:
        words = {"least": least, "most": most}
        raise DomainError(Refusal.BAD_VALUE, _("Choose from %(least)s to %(most)s.") % words, field=field)
