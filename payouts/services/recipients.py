"""Noting who is paid, where the law wants a name: at a desk, from the document that is shown."""

from dataclasses import dataclass
from datetime import date, datetime

from accounts.models import Person
from accounts.services.identity_numbers import spelled_number
from accounts.services.persons import person_at_desk
from accounts.services.staff import written
from payouts.models import FormerRecipient, Recipient
from totalizator.core.journal import write_journal

_SAID = ("full_name", "identity_number", "document")


@dataclass(frozen=True, slots=True)
class ShownDocument:
    """What the document says of who stands before the desk."""

    full_name: str
    identity_number: str
    birth_date: date
    document: str


def note_recipient(shown: ShownDocument, *, at: datetime, actor: str) -> Person:
    """Keep, encrypted, who is to be paid; return the person. What an earlier document said otherwise is kept beside.

    :raises DomainError: BAD_VALUE naming the field; UNDER_AGE.
    """
    said = {
        "full_name": " ".join(written(shown.full_name, field="full_name").split()),
        "identity_number": spelled_number(shown.identity_number),
        "document": " ".join(written(shown.document, field="document").split()),
    }
    person = person_at_desk(identity_number=shown.identity_number, birth_date=shown.birth_date)
    before = Recipient.objects.filter(person=person).select_for_update(no_key=True).first()
    if before is None:
        Recipient.objects.update_or_create(person=person, defaults={**said, "recorded_at": at, "recorded_by": actor})
        return person
    changed = [name for name in _SAID if getattr(before, name) != said[name]]
    if changed:
        _replace(before, said, changed, at=at, actor=actor)
    return person


def _replace(before: Recipient, said: dict[str, str], changed: list[str], *, at: datetime, actor: str) -> None:
    FormerRecipient.objects.create(
        person_id=before.person_id,
        **{name: getattr(before, name) for name in _SAID},
        recorded_at=before.recorded_at,
        recorded_by=before.recorded_by,
        replaced_at=at,
    )
    for name, value in said.items():
        setattr(before, name, value)
    before.recorded_at, was_recorded_by, before.recorded_by = at, before.recorded_by, actor
    before.save()
    write_journal(
        at=at,
        actor=actor,
        act="recipient_changed",
        subject=f"person:{before.person_id}",
        before={"recorded_by": was_recorded_by},
        after={"changed": changed},
    )
