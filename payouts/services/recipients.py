"""Noting who is paid, where the law wants a name: at a desk, from the document that is shown."""

from dataclasses import dataclass
from datetime import date, datetime

from accounts.models import Person
from accounts.services.identity_numbers import spelled_number
from accounts.services.persons import person_at_desk
from accounts.services.staff import written
from payouts.models import Recipient


@dataclass(frozen=True, slots=True)
class ShownDocument:
    """What the document says of who stands before the desk."""

    full_name: str
    identity_number: str
    birth_date: date
    document: str


def note_recipient(shown: ShownDocument, *, at: datetime, actor: str) -> Person:
    """Keep, encrypted, who is to be paid; return the person.

    :raises DomainError: BAD_VALUE naming the field; UNDER_AGE.
    """
    name = " ".join(written(shown.full_name, field="full_name").split())
    paper = " ".join(written(shown.document, field="document").split())
    person = person_at_desk(identity_number=shown.identity_number, birth_date=shown.birth_date)
    Recipient.objects.update_or_create(
        person=person,
        defaults={
            "full_name": name,
            "identity_number": spelled_number(shown.identity_number),
            "document": paper,
            "recorded_at": at,
            "recorded_by": actor,
        },
    )
    return person
