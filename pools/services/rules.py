"""Publishing the rules text by versions, and noting that it was filed with the regulator (A3)."""

from datetime import datetime

from django.utils.translation import gettext_lazy as _

from accounts.models import Consent, Role, User
from accounts.services.consents import record_consent
from pools.models import RulesText
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.outbox import tell
from totalizator.core.outbox_kinds import EventKind
from totalizator.core.transactions import one_transaction
from totalizator.engine.canonical import digest
from totalizator.engine.instants import instant_text


def publish_rules(*, text: str, valid_from: datetime, published_by: User) -> RulesText:
    """Publish a version of the rules text; publishing the same text again returns the first one.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE for an empty text.
    """
    if published_by.role != Role.ORGANIZER:
        raise DomainError(Refusal.NOT_ALLOWED, _("Only the organizer's staff can do this."))
    if not text.strip():
        raise DomainError(Refusal.BAD_VALUE, _("The rules text is empty."), field="text")
    with one_transaction():
        at = clock.now()
        rules, created = RulesText.objects.get_or_create(
            version=digest(text.encode()),
            defaults={"text": text, "valid_from": valid_from, "published_at": at},
        )
        if created:
            write_journal(
                at=at,
                actor=published_by.actor,
                act="publish_rules",
                subject=f"rules:{rules.version}",
                after={"valid_from": valid_from.isoformat()},
            )
            known = {"version": rules.version, "valid_from": instant_text(valid_from)}
            tell(EventKind.RULES_PUBLISHED, "rules", known, at=at)
    return rules


def record_filing(*, version: str, filing: str, filed_by: User) -> None:
    """Note once that a version was filed, under the number and date `filing`.

    :raises DomainError: NOT_ALLOWED; NOT_FOUND; WRONG_STATE when it is noted already.
    """
    if filed_by.role != Role.ORGANIZER:
        raise DomainError(Refusal.NOT_ALLOWED, _("Only the organizer's staff can do this."))
    with one_transaction():
        at = clock.now()
        rules = RulesText.objects.filter(version=version)
        if not rules.exists():
            raise DomainError(Refusal.NOT_FOUND, _("There is no such rules text."), field="version")
        if not rules.filter(filed_at__isnull=True).update(filed_at=at, filing=filing):
            raise DomainError(Refusal.WRONG_STATE, _("The filing is noted already."), field="version")
        write_journal(
            at=at,
            actor=filed_by.actor,
            act="record_filing",
            subject=f"rules:{version}",
            after={"filing": filing},
        )


def rules_in_force(at: datetime) -> RulesText | None:
    """Return the version of the rules text that pools announced at `at` are under; None before the first."""
    return RulesText.objects.filter(valid_from__lte=at).order_by("-valid_from").first()


def accept_rules(*, player: User, version: str) -> Consent:
    """Note that the player accepted a published version of the rules (¶9.9); accepted again, return the first consent.

    :raises DomainError: NOT_FOUND; NOT_ALLOWED for who has no game account.
    """
    if not RulesText.objects.filter(version=version).exists():
        raise DomainError(Refusal.NOT_FOUND, _("There is no such rules text."), field="version")
    return record_consent(player=player, rules_version=version)
