"""Personal data is erased once the term is over for which the law has it kept: each night, by a job (¶35.3, Q1, S2).

What was bet, won, paid and decided stays: it names a person by a number that leads to nobody any more. What else stays,
and why, is told in docs/security.md.
"""

from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from django.db import connection
from django.db.models import Q

from accounts.locks import hold_play_of
from accounts.models import Ending, Exclusion, Identity, PaymentInstrument, Person, RestrictedPerson, Trait, User
from accounts.services.api_tokens import revoke_tokens
from accounts.services.persons import person_of
from accounts.services.retention import Kept, kept_from
from payouts.models import FormerRecipient, Recipient
from totalizator.core import clock
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction
from totalizator.engine.deadlines import start_of_legal_day

MOST = 500
"""At a time: the rest has the next night."""
# What the log-in's own tables keep of a person; their models are of another package.
_OF_LOG_INS = (
    "DELETE FROM account_emailconfirmation WHERE email_address_id IN"
    " (SELECT id FROM account_emailaddress WHERE user_id = %s)",
    "DELETE FROM account_emailaddress WHERE user_id = %s",
    "DELETE FROM mfa_authenticator WHERE user_id = %s",
    "DELETE FROM usersessions_usersession WHERE user_id = %s",
)


@dataclass(frozen=True, slots=True)
class Erased:
    """How many registrations, and how many persons who were paid at a desk, lead to nobody any more."""

    registrations: int
    recipients: int


def erase_due(*, actor: str) -> Erased:
    """Erase who it was whose registration ended, and who was paid at a desk, longer ago than the terms say."""
    today = clock.today()
    ended_before = start_of_legal_day(kept_from(Kept.IDENTITY, today))
    paid_before = start_of_legal_day(kept_from(Kept.AML, today))
    due = Ending.objects.filter(
        ~Q(account__player__email="") | Q(account__player__person__identity__isnull=False), ended_at__lt=ended_before
    )
    players = [ending.account.player for ending in due.select_related("account__player").order_by("pk")[:MOST]]
    return Erased(sum(_erase_player(player, actor) for player in players), _erase_recipients(paid_before, actor))


def _erase_player(player: User, actor: str) -> bool:
    """Erase one; its account has ended for good, so nobody else changes anything of it but another such job."""
    with one_transaction():
        person = person_of(player)
        hold_play_of(person)
        revoke_tokens(user=player)
        for instrument in PaymentInstrument.objects.filter(account__player=player).order_by("pk"):
            instrument.token = instrument.label = ""
            instrument.token_digest = sha256(f"erased:{instrument.pk}".encode()).digest()
            instrument.save(update_fields=["token", "label", "token_digest"])
        Identity.objects.filter(person=person).delete()
        Trait.objects.filter(person=person).delete()
        if not _is_barred(person):  # else who is barred could come back under another log-in
            Person.objects.filter(pk=person.pk).update(number_digest=None)
        player.username, player.email = f"erased-{player.pk}", ""
        player.first_name = player.last_name = ""
        player.is_active = False
        player.set_unusable_password()
        player.save(update_fields=["username", "email", "first_name", "last_name", "is_active", "password"])
        with connection.cursor() as cursor:
            for statement in _OF_LOG_INS:
                cursor.execute(statement, [player.pk])
        write_journal(at=clock.now(), actor=actor, act="erase_person", subject=person.subject)
    return True


def _is_barred(person: Person) -> bool:
    at = clock.now()
    named = RestrictedPerson.objects.filter(number_digest=person.number_digest, lifted_at__isnull=True)
    return Exclusion.objects.filter(person=person, ends_at__gt=at).exists() or named.exists()


def _erase_recipients(before: datetime, actor: str) -> int:
    """Erase what documents said of who was paid at a desk, also before another document was shown."""
    erased = 0
    for recipient in Recipient.objects.filter(recorded_at__lt=before).select_related("person").order_by("pk")[:MOST]:
        with one_transaction():
            gone, _by_model = Recipient.objects.filter(pk=recipient.pk, recorded_at__lt=before).delete()
            if gone:
                erased += 1
                at = clock.now()
                write_journal(at=at, actor=actor, act="erase_person", subject=recipient.person.subject)
    for former in FormerRecipient.objects.filter(replaced_at__lt=before).order_by("pk")[:MOST]:
        if former.full_name:
            former.full_name = former.identity_number = former.document = ""
            former.save(update_fields=["full_name", "identity_number", "document"])
    return erased
