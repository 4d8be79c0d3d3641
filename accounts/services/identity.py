"""Who a player is: recorded once, verified by staff, one account for each person (¶35.3, E1)."""

from datetime import date, datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _

from accounts.locks import hold_play_of, lock_person
from accounts.models import Identity, Insider, Person, Role, TraitKind, User, Verification, VerificationMethod
from accounts.services.bank_addresses import looks_like_wrong_iban
from accounts.services.identity_numbers import number_digest, refuse_other_birth_date, spelled_number
from accounts.services.persons import join_person_of_desks, person_of
from accounts.services.standing import refuse_impossible_age, refuse_under_age
from accounts.services.traits import note_trait
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


def record_identity(
    *,
    player: User,
    full_name: str,
    birth_date: date,
    identity_number: str,
    document: str,
    bank_account: str = "",
    actor: str,
) -> Identity:
    """Record a player's personal data, encrypted; until it is verified it can be recorded again.

    The number is only claimed: what holds of the person with that number binds the player from now on, but nothing that
    the player does touches that person, whom the desks may know, before somebody has seen the document.

    :raises DomainError: BAD_VALUE; NOT_ALLOWED for who is no player; UNDER_AGE; WRONG_STATE when it is verified
        already; PERSON_KNOWN when that person has an account; MAY_NOT_PLAY when that person is an insider (E6).
    """
    number = spelled_number(identity_number)
    name, paper = " ".join(full_name.split()), " ".join(document.split())
    for field, text in (("full_name", name), ("document", paper)):
        if not text:
            raise DomainError(Refusal.BAD_VALUE, _("This must not be empty."), field=field)
    refuse_other_birth_date(number, birth_date)
    with one_transaction():
        lock_person(player.pk)
        person = person_of(player)
        hold_play_of(person)
        at = clock.now()
        refuse_impossible_age(birth_date, at)
        refuse_under_age(birth_date, at)
        _refuse_verified(person)
        digest = number_digest(number)
        _refuse_taken(person, digest)
        identity = _record(
            person,
            full_name=name,
            birth_date=birth_date.isoformat(),
            identity_number=number,
            claimed_digest=digest,
            document=paper,
            bank_account=spelled_account(bank_account),
            recorded_at=at,
            recorded_by=actor,
        )
        note_trait(person=person, kind=TraitKind.NAME_AND_BIRTH, text=f"{name} {birth_date.isoformat()}", at=at)
        if identity.bank_account:
            note_trait(person=person, kind=TraitKind.BANK_ACCOUNT, text=identity.bank_account, at=at)
        write_journal(at=at, actor=actor, act="record_identity", subject=person.subject)
    return identity


def verify_identity(*, player: User, method: VerificationMethod, verified_by: User) -> Verification:
    """Note that staff compared the player with the document, in person or by video; from then on the player may bet.

    Now the number is the player's: where desks know a person by it, the player is that person (X15).

    :raises DomainError: NOT_ALLOWED for who is no cashier and not of the organizer's staff; NOT_FOUND without a
        recorded identity; UNDER_AGE; MAY_NOT_PLAY for an insider; WRONG_STATE when it is verified already.
    """
    if verified_by.role not in (Role.CASHIER, Role.ORGANIZER):
        raise DomainError(Refusal.NOT_ALLOWED, _("Only a cashier or the organizer's staff can do this."))
    with one_transaction():
        lock_person(player.pk)
        person = person_of(player)
        hold_play_of(person)
        at = clock.now()
        identity = Identity.objects.filter(person=person).first()
        if identity is None:
            raise DomainError(Refusal.NOT_FOUND, _("No identity is recorded of this player."), field="player")
        _refuse_verified(person)
        refuse_under_age(date.fromisoformat(identity.birth_date), at)
        _refuse_taken(person, number_digest(identity.identity_number))
        person = _take_number(person, number_digest(identity.identity_number), at)
        verification = Verification.objects.create(
            person=person, method=method, verified_by=verified_by, verified_at=at
        )
        write_journal(
            at=at,
            actor=verified_by.actor,
            act="verify_identity",
            subject=person.subject,
            after={"method": str(method)},
        )
    return verification


def name_to_compare(*, player: User, identity_number: str, birth_date: date, asked_by: User) -> str:
    """Return the name that a player recorded, for a cashier to compare with the document; who asks is journalled.

    What was typed from the document must be what is recorded, so nobody learns a name who has not the document.

    :raises DomainError: NOT_ALLOWED for who is no cashier; NOT_FOUND without a recorded identity; BAD_VALUE naming
        `identity_number` when the documents differ; WRONG_STATE when it is verified already.
    """
    if asked_by.role != Role.CASHIER:
        raise DomainError(Refusal.NOT_ALLOWED, _("Only a cashier can do this."))
    person = person_of(player)
    _refuse_verified(person)
    identity = Identity.objects.filter(person=person).first()
    if identity is None:
        raise DomainError(Refusal.NOT_FOUND, _("No identity is recorded of this player."), field="player")
    refuse_other_document(
        player=player, identity_number=identity_number, birth_date=birth_date, field="identity_number"
    )
    write_journal(at=clock.now(), actor=asked_by.actor, act="view_identity", subject=person.subject)
    return str(identity.full_name)


def refuse_other_document(*, player: User, identity_number: str, birth_date: date, field: str) -> None:
    """Refuse a document in hand that is not the one the player recorded; without a recorded one, verifying says so.

    :raises DomainError: BAD_VALUE, naming `field` when the documents differ.
    """
    identity = Identity.objects.filter(person=person_of(player)).first()
    if identity is None:
        return
    shown = spelled_number(identity_number), birth_date.isoformat()
    if (identity.identity_number, identity.birth_date) != shown:
        raise DomainError(Refusal.BAD_VALUE, _("The player has recorded another document."), field=field)


def spelled_account(bank_account: str) -> str:
    """Return a bank account in capitals, without spaces.

    :raises DomainError: BAD_VALUE for what is spelled as an IBAN and is none: no bank would pay to it.
    """
    spelled = "".join(bank_account.upper().split())
    if looks_like_wrong_iban(spelled):
        message = _("This is no bank account: check its digits (IBAN).")
        raise DomainError(Refusal.BAD_VALUE, message, field="bank_account")
    return spelled


def _refuse_verified(person: Person) -> None:
    if Verification.objects.filter(person=person).exists():
        raise DomainError(Refusal.WRONG_STATE, _("The identity is verified already."), field="player")


def _refuse_taken(person: Person, digest: bytes) -> None:
    """Refuse the number of an insider, and of who has an account already."""
    if Insider.objects.filter(number_digest=digest, ended_at__isnull=True).exists():
        raise DomainError(Refusal.MAY_NOT_PLAY, _("Staff, commission members and their relatives cannot play."))
    if Person.objects.filter(number_digest=digest, player__isnull=False).exclude(pk=person.pk).exists():
        raise _person_known()


def _record(person: Person, **columns: Any) -> Identity:
    try:
        with transaction.atomic():
            identity, _created = Identity.objects.update_or_create(person=person, defaults=columns)
    except IntegrityError as fault:  # another account claims the same number
        raise _person_known() from fault
    return identity


def _take_number(person: Person, digest: bytes, at: datetime) -> Person:
    """Give the person the token of the number, or the player the person whom the desks know by it."""
    known = Person.objects.filter(number_digest=digest).exclude(pk=person.pk).first()
    if known is not None:
        if not join_person_of_desks(person=person, known=known, at=at):
            raise _person_known()
        return known
    try:
        with transaction.atomic():
            Person.objects.filter(pk=person.pk).update(number_digest=digest)
    except IntegrityError as fault:  # a desk came first with the same number, this moment
        raise DomainError(Refusal.BUSY, _("Somebody else is at work on this person; try again.")) from fault
    person.number_digest = digest
    return person


def _person_known() -> DomainError:
    return DomainError(
        Refusal.PERSON_KNOWN, _("This person has an account already: one person, one account."), field="identity_number"
    )
