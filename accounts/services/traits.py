"""What is seen of persons and tells likely duplicates: each as a keyed digest (¶35.3)."""

from datetime import datetime

from accounts.models import Person, Trait, TraitKind
from totalizator.core.encrypted import keyed_digest


def note_trait(*, person: Person, kind: TraitKind, text: str, at: datetime) -> bool:
    """Note a bank account, card, device, or name with birth date of a person; return whether it is new."""
    _trait, created = Trait.objects.get_or_create(
        person=person,
        kind=kind,
        value_digest=trait_digest(kind, text),
        defaults={"first_seen_at": at},
    )
    return created


def person_of_bank_account(account: str) -> Person | None:
    """Return the verified player whose bank account this is, of several the one first seen with it; None of nobody."""
    digest = trait_digest(TraitKind.BANK_ACCOUNT, account)
    seen = Trait.objects.select_related("person").filter(kind=TraitKind.BANK_ACCOUNT, value_digest=digest)
    first = seen.filter(person__verification__isnull=False).order_by("first_seen_at", "person_id").first()
    return first.person if first is not None else None


def trait_digest(kind: TraitKind, text: str) -> bytes:
    """Return the digest of a trait: case, spaces and ё do not make another one."""
    return keyed_digest(f"trait-{kind}", " ".join(text.casefold().replace("ё", "е").split()))
