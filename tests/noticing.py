"""Phones that get messages, and what was sent to them."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.core.cache import cache

from payouts.models import PhoneBinding
from payouts.services.phone_binding import begin_binding, confirm_binding
from payouts.services.text_messages import send_waiting
from payouts.services.text_messages_fake import FakeMessageGateway
from pools.models import Pool
from pools.services.betting import PlacedBet
from tests.paying import go_to, payable_from

PHONE = "+375291234567"
FAKE = "payouts.services.text_messages_fake.FakeMessageGateway"
MORNING = timedelta(hours=10)


@contextmanager
def fake_gateway(settings: Any) -> Iterator[None]:
    """An installation whose messages go to the fake, which is there and has nothing yet."""
    settings.SMS_GATEWAY = FAKE
    FakeMessageGateway.sent.clear()
    FakeMessageGateway.away = False
    cache.clear()
    yield
    FakeMessageGateway.away = False


def texts(phone: str = PHONE) -> list[str]:
    """What the phone has got, after all that waits was sent."""
    send_waiting()
    return [words for to, words in FakeMessageGateway.sent.values() if to == phone]


def last_code(phone: str = PHONE) -> str:
    """The code that the phone got last."""
    return next(part for part in texts(phone)[-1].replace(".", " ").split() if part.isdigit() and len(part) == 6)


def bind(slip: PlacedBet, *, tell: bool, phone: str = PHONE) -> PhoneBinding:
    """Bind a ticket to the phone; `tell`: the holder wants to be told of a winning."""
    ticket, check_code = slip.bet.ticket, slip.check_code
    begin_binding(ticket=ticket, check_code=check_code, phone=phone)
    code = last_code(phone)
    return confirm_binding(ticket=ticket, check_code=check_code, phone=phone, code=code, tell_of_winning=tell)


def first_morning(pool: Pool) -> None:
    """Go to ten o'clock in Minsk of the first day on which the pool pays."""
    go_to(payable_from(pool) + MORNING)
