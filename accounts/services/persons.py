"""Persons behind accounts and before desks: one set of limits for cash, cards and account (X15)."""

from datetime import date, datetime

from django.utils.translation import gettext_lazy as _

from accounts.locks import hold_play_of
from accounts.models import Consent, Exclusion, Identity, LimitRaise, Person, PlayLimit, Trait, User
from accounts.services.identity_numbers import number_digest, refuse_other_birth_date, spelled_number
from accounts.services.standing import refuse_impossible_age, refuse_under_age
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.transactions import one_transaction


def person_of(player: User) -> Person:
    """Return the person of a player; :raises DomainError: NOT_ALLOWED for who has no game account."""
    person = Person.objects.filter(player=player).first()
    if person is None:
        raise DomainError(Refusal.NOT_ALLOWED, _("Only a player with a game account can do this."), field="player")
    return person


def person_at_desk(*, identity_number: str, birth_date: date) -> Person:
    """Return who shows a document at a desk and wants the limits to bind there too; nothing but the token is kept.

    Who has an account is the same person here.

    :raises DomainError: BAD_VALUE; UNDER_AGE.
    """
    refuse_other_birth_date(spelled_number(identity_number), birth_date)
    at = clock.now()
    refuse_impossible_age(birth_date, at)
    refuse_under_age(birth_date, at)
    with one_transaction():
        person, _created = Person.objects.get_or_create(number_digest=number_digest(identity_number))
    return person


def join_person_of_desks(*, person: Person, known: Person, at: datetime) -> bool:
    """Make a new player's account that of the person whom the desks know; return False if another account came first.

    Exclusions and bets stand at `known` and cannot be moved, so it is the account that moves; of two limits the lower
    stays. `person`, which nobody had verified and so made no bet, is left with what it consented to, as evidence.
    """
    hold_play_of(known)
    player = person.player
    Person.objects.filter(pk=person.pk).update(player=None)
    if not Person.objects.filter(pk=known.pk, player__isnull=True).update(player=player):
        return False
    _carry_limits(person, known, at)
    Identity.objects.filter(person=person).update(person=known)
    for trait in Trait.objects.filter(person=person):
        note = {"kind": trait.kind, "value_digest": trait.value_digest}
        Trait.objects.get_or_create(person=known, **note, defaults={"first_seen_at": trait.first_seen_at})
    Trait.objects.filter(person=person).delete()
    Consent.objects.bulk_create(
        Consent(person=known, rules_version=consent.rules_version, accepted_at=consent.accepted_at)
        for consent in Consent.objects.filter(person=person)
    )
    Exclusion.objects.bulk_create(
        Exclusion(
            person=known,
            kind=exclusion.kind,
            begins_at=exclusion.begins_at,
            ends_at=exclusion.ends_at,
            asked_by=exclusion.asked_by,
        )
        for exclusion in Exclusion.objects.filter(person=person, ends_at__gt=at)
    )
    known.refresh_from_db()
    return True


def _carry_limits(person: Person, known: Person, at: datetime) -> None:
    for limit in PlayLimit.objects.filter(person=person):
        standing, created = PlayLimit.objects.get_or_create(
            person=known, kind=limit.kind, period=limit.period, defaults={"amount": limit.amount, "set_at": at}
        )
        if not created and limit.amount < standing.amount:
            PlayLimit.objects.filter(pk=standing.pk).update(amount=limit.amount, set_at=at)
    LimitRaise.objects.filter(person__in=(person, known)).delete()
    PlayLimit.objects.filter(person=person).delete()
