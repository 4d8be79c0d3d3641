"""Text messages behind one interface: queued with what they tell of, and tried again while the gateway is away."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Protocol, cast

from django.conf import settings
from django.utils.module_loading import import_string
from django.utils.translation import gettext_lazy as _

from payouts.models import MessageTry, TextMessage
from totalizator.core import clock
from totalizator.core.enqueuing import enqueue_after_commit
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.transactions import one_transaction

_TASK = "payouts.tasks.send_text_messages"


class GatewayFault(Exception):
    """The gateway did not take the message; its words are kept."""


class MessageGateway(Protocol):
    """What a driver does. `reference` is ours, the same at every try, so that a repetition can be known."""

    def send(self, *, reference: str, phone: str, words: str) -> str:
        """Hand a message over; return the gateway's own number; :raises GatewayFault: when it took none."""


def refuse_without_gateway() -> None:
    """Refuse what needs text messages where none are sent; :raises DomainError: WRONG_STATE."""
    if not settings.SMS_GATEWAY:
        raise DomainError(Refusal.WRONG_STATE, _("This installation sends no text messages."))


def queue_message(*, cause: str, phone: str, words: str, at: datetime, good_for: timedelta) -> None:
    """Queue a message, once for each cause, in the transaction of what it tells of."""
    row = {"phone": phone, "words": words, "queued_at": at, "expires_at": at + good_for}
    TextMessage.objects.get_or_create(cause=cause, defaults=row)
    enqueue_after_commit(_TASK)


def send_waiting() -> int:
    """Send what waits, oldest first, up to the first fault; return how many were sent. What is too old is let go."""
    sent = 0
    while (outcome := _send_next()) is not None:
        if not outcome:
            break
        sent += 1
    return sent


def _send_next() -> bool | None:
    """Try the next message: True when it was sent, False when the gateway is away, None when nothing waits."""
    with one_transaction():
        at = clock.now()
        waiting = TextMessage.objects.select_for_update(no_key=True, skip_locked=True).filter(ended_at__isnull=True)
        wipe(waiting.filter(expires_at__lte=at).order_by("pk")[:100], at)
        message = waiting.filter(expires_at__gt=at).order_by("pk").first()
        if message is None or not settings.SMS_GATEWAY:
            return None
        gateway = cast(MessageGateway, import_string(settings.SMS_GATEWAY)())
        try:
            answer = gateway.send(reference=str(message.pk), phone=message.phone, words=message.words)
        except GatewayFault as fault:
            MessageTry.objects.create(message=message, tried_at=at, sent=False, answer=str(fault)[:200])
            return False
        MessageTry.objects.create(message=message, tried_at=at, sent=True, answer=answer[:200])
        wipe([message], at)
    return True


def wipe(messages: Iterable[TextMessage], at: datetime) -> None:
    """End messages that the caller has locked: their numbers and words go."""
    for message in messages:
        message.phone, message.words, message.ended_at = "", "", at
        message.save(update_fields=["phone", "words", "ended_at"])
