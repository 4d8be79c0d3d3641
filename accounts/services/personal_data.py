"""Personal data of players before the organizer's staff: found and looked at only on the record (¶35.3, S2).

It lies encrypted, so it is found by what has a digest: the identity number, or a name together with a date of birth.
"""

from collections.abc import Sequence
from datetime import date

from django.utils.translation import gettext_lazy as _

from accounts.models import GameAccount, Identity, Trait, TraitKind, User
from accounts.services.identity_numbers import number_digest
from accounts.services.persons import person_of
from accounts.services.staff import refuse_all_but_staff
from accounts.services.traits import trait_digest
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


def look_at_identity(*, account: GameAccount, looked_by: User) -> Identity | None:
    """Return what is recorded of a player, None where nothing is; who looks is journalled first.

    :raises DomainError: NOT_ALLOWED.
    """
    refuse_all_but_staff(looked_by)
    person = person_of(account.player)
    write_journal(at=clock.now(), actor=looked_by.actor, act="view_identity", subject=person.subject)
    return Identity.objects.filter(person=person).first()


def find_players(
    *, identity_number: str = "", full_name: str = "", birth_date: date | None = None, asked_by: User
) -> Sequence[GameAccount]:
    """Return the accounts of who has this document, verified or only claimed, or this name and birth date.

    Each account that is found is journalled with who asked, and that nobody was found, too.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE unless a number, or a name and a date, are given; NOT_FOUND.
    """
    refuse_all_but_staff(asked_by)
    if identity_number:
        field, persons = "identity_number", _with_number(identity_number)
    elif full_name and birth_date is not None:
        field, persons = "full_name", _called(full_name, birth_date)
    else:
        message = _("Give the identity number, or the full name and the date of birth.")
        raise DomainError(Refusal.BAD_VALUE, message, field="identity_number")
    accounts = GameAccount.objects.filter(player__person__in=persons).select_related("player__person")
    found = list(accounts.order_by("pk"))
    with one_transaction():
        for subject in [account.player.person.subject for account in found] or ["person:none"]:
            write_journal(at=clock.now(), actor=asked_by.actor, act="find_player", subject=subject, after={"by": field})
    if not found:
        raise DomainError(Refusal.NOT_FOUND, _("No player has recorded this."), field=field)
    return found


def _with_number(identity_number: str) -> list[int]:
    claimed = Identity.objects.filter(claimed_digest=number_digest(identity_number))
    return list(claimed.values_list("person_id", flat=True))


def _called(full_name: str, birth_date: date) -> list[int]:
    name = " ".join(full_name.split())
    digest = trait_digest(TraitKind.NAME_AND_BIRTH, f"{name} {birth_date.isoformat()}")
    seen = Trait.objects.filter(kind=TraitKind.NAME_AND_BIRTH, value_digest=digest)
    # A name that was corrected since leaves its trait behind: only what is recorded now is an answer.
    recorded = Identity.objects.filter(person__in=seen.values("person_id"))
    return [identity.person_id for identity in recorded if _is_called(identity, name, birth_date)]


def _is_called(identity: Identity, name: str, birth_date: date) -> bool:
    told = f"{identity.full_name} {identity.birth_date}"
    asked = f"{name} {birth_date.isoformat()}"
    return trait_digest(TraitKind.NAME_AND_BIRTH, told) == trait_digest(TraitKind.NAME_AND_BIRTH, asked)
