"""Accepting the rules, by versions: a bet is taken only under a text that its player accepted (¶9.9)."""

from accounts.locks import hold_play_of
from accounts.models import Consent, User
from accounts.services.persons import person_of
from totalizator.core import clock
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


def record_consent(*, player: User, rules_version: str) -> Consent:
    """Note that the player accepted this version of the rules; a second time it returns the first consent.

    :raises DomainError: NOT_ALLOWED for who has no game account.
    """
    with one_transaction():
        person = person_of(player)
        hold_play_of(person)
        at = clock.now()
        consent, created = Consent.objects.get_or_create(
            person=person, rules_version=rules_version, defaults={"accepted_at": at}
        )
        if created:
            write_journal(
                at=at,
                actor=player.actor,
                act="record_consent",
                subject=person.subject,
                after={"rules_version": rules_version},
            )
    return consent
