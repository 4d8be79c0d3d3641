"""Who is told of events: proposed by one of the organizer's staff, approved and stopped by another (U1)."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.services.staff import refuse_all_but_staff, written
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.models import Subscriber, SubscriberState
from totalizator.core.outbox import last_sequence
from totalizator.core.outbox_addresses import refuse_address
from totalizator.core.outbox_kinds import EventKind
from totalizator.core.transactions import one_transaction

MARK = "evt_"  # so that a token which leaks into a file or a log is found by a search


@dataclass(frozen=True, slots=True)
class NewSubscriber:
    """A subscriber just proposed. Its secret and its token are shown now and never again."""

    subscriber: Subscriber
    secret: str
    token: str


def propose_subscriber(
    *,
    name: str,
    url: str,
    proposed_by: User,
    kinds: Sequence[EventKind] = (),
    required: bool = False,
    after: int = 0,
) -> NewSubscriber:
    """Propose to tell somebody of events after number `after`; no kinds named are all.

    A changed address or secret is a new proposal under the same name: approved, it takes the place of the old one.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE for a name, an address, a kind or a number that is none.
    """
    refuse_all_but_staff(proposed_by)
    name = written(name, field="name", most=60)
    _refuse_values(url, kinds, after)
    secret, token = secrets.token_urlsafe(32), MARK + secrets.token_urlsafe(32)
    with one_transaction():
        at = clock.now()
        subscriber = Subscriber.objects.create(
            name=name,
            url=url,
            secret=secret,
            token_digest=sha256(token.encode()).digest(),
            kinds=sorted(set(kinds)),
            required=required,
            proposed_by=proposed_by.actor,
            proposed_at=at,
            delivered=after,
        )
        told = {"name": name, "url": url, "kinds": subscriber.kinds, "required": required, "after": after}
        write_journal(at=at, actor=proposed_by.actor, act="propose_subscriber", subject=subscriber.subject, after=told)
    return NewSubscriber(subscriber, secret, token)


def approve_subscriber(*, number: int, approved_by: User) -> Subscriber:
    """Begin to tell a proposed subscriber; one of the same name that is being told is told no more.

    :raises DomainError: NOT_ALLOWED; NOT_FOUND; SAME_PERSON for who proposed it; WRONG_STATE.
    """
    refuse_all_but_staff(approved_by)
    with one_transaction():
        _lock_namesakes(number)
        subscriber = _lock(number)
        if subscriber.state != SubscriberState.PROPOSED:
            raise DomainError(Refusal.WRONG_STATE, _("It is not waiting for an approval."), state=subscriber.state)
        if subscriber.proposed_by == approved_by.actor:
            raise DomainError(Refusal.SAME_PERSON, _("Another person must approve it."))
        at = clock.now()
        replaced = Subscriber.objects.filter(name=subscriber.name, state=SubscriberState.ACTIVE)
        replaced.update(state=SubscriberState.STOPPED, stopped_by=approved_by.actor, stopped_at=at)
        subscriber.state = SubscriberState.ACTIVE
        subscriber.approved_by, subscriber.approved_at = approved_by.actor, at
        subscriber.save(update_fields=["state", "approved_by", "approved_at"])
        write_journal(at=at, actor=approved_by.actor, act="approve_subscriber", subject=subscriber.subject)
    return subscriber


def propose_stop(*, number: int, reason: str, proposed_by: User) -> Subscriber:
    """Withdraw a proposal at once, or propose to stop telling who is told; it goes on until another person agrees.

    :raises DomainError: NOT_ALLOWED; NOT_FOUND; BAD_VALUE without a reason; WRONG_STATE.
    """
    refuse_all_but_staff(proposed_by)
    reason = written(reason, field="reason")
    with one_transaction():
        subscriber = _lock(number)
        if subscriber.state == SubscriberState.STOPPED:
            raise DomainError(Refusal.WRONG_STATE, _("It is told no more."), state=subscriber.state)
        at = clock.now()
        subscriber.stop_proposed_by = proposed_by.actor
        if subscriber.state == SubscriberState.PROPOSED:
            subscriber.state = SubscriberState.STOPPED
            subscriber.stopped_by, subscriber.stopped_at = proposed_by.actor, at
        subscriber.save(update_fields=["state", "stop_proposed_by", "stopped_by", "stopped_at"])
        write_journal(at=at, actor=proposed_by.actor, act="propose_stop", subject=subscriber.subject, reason=reason)
    return subscriber


def approve_stop(*, number: int, approved_by: User) -> Subscriber:
    """Stop telling a subscriber, as another person proposed.

    :raises DomainError: NOT_ALLOWED; NOT_FOUND; WRONG_STATE when nobody proposed it; SAME_PERSON.
    """
    refuse_all_but_staff(approved_by)
    with one_transaction():
        subscriber = _lock(number)
        if subscriber.state != SubscriberState.ACTIVE or not subscriber.stop_proposed_by:
            raise DomainError(Refusal.WRONG_STATE, _("Nobody has proposed to stop it."), state=subscriber.state)
        if subscriber.stop_proposed_by == approved_by.actor:
            raise DomainError(Refusal.SAME_PERSON, _("Another person must approve it."))
        at = clock.now()
        subscriber.state = SubscriberState.STOPPED
        subscriber.stopped_by, subscriber.stopped_at = approved_by.actor, at
        subscriber.save(update_fields=["state", "stopped_by", "stopped_at"])
        write_journal(at=at, actor=approved_by.actor, act="approve_stop", subject=subscriber.subject)
    return subscriber


def subscriber_of(token: str) -> Subscriber | None:
    """Return the subscriber that is told, and whose token this is; None for any other text."""
    digest = sha256(token.encode()).digest()
    return Subscriber.objects.filter(token_digest=digest, state=SubscriberState.ACTIVE).first()


def _lock_namesakes(number: int) -> None:
    """Hold all that have the name of this one, in one order: of two approved at once the later one stays."""
    name = Subscriber.objects.filter(pk=number).values("name")
    list(Subscriber.objects.select_for_update(no_key=True).filter(name__in=name).order_by("pk"))


def _lock(number: int) -> Subscriber:
    subscriber = Subscriber.objects.select_for_update(no_key=True).filter(pk=number).first()
    if subscriber is None:
        raise DomainError(Refusal.NOT_FOUND, _("There is no such subscriber."), field="number")
    return subscriber


def _refuse_values(url: str, kinds: Sequence[str], after: int) -> None:
    refuse_address(url)
    if any(kind not in EventKind.values for kind in kinds):
        raise DomainError(Refusal.BAD_VALUE, _("There is no such kind of event."), field="kinds")
    if not 0 <= after <= last_sequence():
        raise DomainError(Refusal.BAD_VALUE, _("There is no event of this number yet."), field="after")
