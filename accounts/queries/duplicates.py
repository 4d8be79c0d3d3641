"""Accounts that are likely to belong to one person (¶35.3): the same number cannot be, but other things tell too."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Count, Exists, OuterRef

from accounts.models import GameAccount, Person, Trait, TraitKind


@dataclass(frozen=True, slots=True)
class Likeness:
    """Persons with accounts who have something in common."""

    kind: TraitKind
    persons: tuple[Person, ...]


def likely_duplicates() -> Sequence[Likeness]:
    """Return what two or more accounts have in common: name and birth date, bank account, card, device.

    Whether it is one person is for people to decide; then see `accounts.services.blocking`.
    """
    alike = (
        Trait.objects.filter(person__player__isnull=False)
        .exclude(person__player__game_account__trial__approved_at__isnull=False)
        .values("kind", "value_digest")
        .annotate(persons=ArrayAgg("person_id", order_by="person_id"), count=Count("person_id"))
        .filter(count__gt=1)
        .order_by("kind", "value_digest")
    )
    groups = [(TraitKind(row["kind"]), row["persons"]) for row in alike]
    known = Person.objects.select_related("player").in_bulk({person for _kind, persons in groups for person in persons})
    return [Likeness(kind, tuple(known[person] for person in persons)) for kind, persons in groups]


def accounts_alike(person: Person) -> Sequence[tuple[TraitKind, GameAccount]]:
    """Return the other accounts that have something in common with a person's, and what."""
    mine = Trait.objects.filter(person=person, kind=OuterRef("kind"), value_digest=OuterRef("value_digest"))
    others = Trait.objects.filter(Exists(mine), person__player__isnull=False).exclude(person=person)
    others = others.exclude(person__player__game_account__trial__approved_at__isnull=False)
    found = others.select_related("person__player__game_account__player").order_by("kind", "person_id")
    alike = [(TraitKind(trait.kind), trait.person.player) for trait in found]
    return [(kind, player.game_account) for kind, player in alike if player is not None]
