"""Devices from which a player logs in: a new one is told to the owner (E3), a shared one tells duplicates (¶35.3)."""

from accounts.models import Person, Trait, TraitKind
from accounts.services.traits import note_trait
from totalizator.core import clock
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


def note_device(*, person: Person, device: str) -> bool:
    """Note that the person logged in from `device`, a random token kept there; return whether to tell the owner.

    The first device of all is no news.
    """
    with one_transaction():
        at = clock.now()
        first = not Trait.objects.filter(person=person, kind=TraitKind.DEVICE).exists()
        if not note_trait(person=person, kind=TraitKind.DEVICE, text=device, at=at):
            return False
        write_journal(at=at, actor=person.subject, act="note_device", subject=person.subject)
    return not first
