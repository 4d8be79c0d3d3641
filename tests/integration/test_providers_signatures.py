"""Messages that are not a payment system's, or not from now, or not readable, do nothing (U3)."""

import json
from collections.abc import Iterator
from datetime import timedelta

import pytest

from accounts.services.providers.known import find_provider
from tests.fakes.provider import KEY, FakeProvider, Message, running, settings_of
from tests.making import make_player
from tests.refusals import every_row
from tests.topping_up import begin, hear
from totalizator.core import clock

pytestmark = pytest.mark.django_db


@pytest.fixture
def provider(settings: object) -> Iterator[FakeProvider]:
    with running() as fake:
        settings.PAYMENT_PROVIDERS = settings_of(fake)  # type: ignore[attr-defined]
        yield fake


def _signed(time: str, body: bytes) -> str:
    from accounts.services.providers.signatures import signature

    return signature(KEY, time, body)


def forged(message: Message) -> dict[str, Message]:
    """Messages that the payment system did not send, or not now."""
    other = json.dumps({**json.loads(message.body), "amount": 999_999}).encode()
    return {
        "body": Message(other, message.time, message.signed),
        "time": Message(message.body, str(int(message.time) + 1), message.signed),
        "nothing": Message(message.body, "", ""),
        "not a number": Message(message.body, "now", message.signed),
        "letters": Message(message.body, message.time, "é" * 64),
    }


@pytest.mark.parametrize("how", ["body", "time", "nothing", "not a number", "letters", "key", "late", "early"])
def test_what_is_not_signed_lately_by_the_payment_system_does_nothing(provider: FakeProvider, how: str) -> None:
    player = make_player()
    reference = begin(player, 1_000)
    message = provider.message("deposit", reference)
    sent = {
        **forged(message),
        "key": provider.message("deposit", reference, key="another key"),
        "late": provider.message("deposit", reference, at=clock.now() - timedelta(minutes=5, seconds=2)),
        "early": provider.message("deposit", reference, at=clock.now() + timedelta(minutes=5, seconds=2)),
    }[how]
    before = every_row()
    status, problem = hear(sent)
    assert (status, problem["code"]) == (400, "bad_signature")
    assert every_row() == before


def test_a_new_key_and_the_old_one_are_both_known(provider: FakeProvider, settings: object) -> None:
    player = make_player()
    reference = begin(player, 1_000)
    settings.PAYMENT_PROVIDERS["fake"]["keys"] = ["the new key", KEY]  # type: ignore[attr-defined]
    assert hear(provider.message("deposit", reference))[0] == 200
    assert hear(provider.message("deposit", reference, key="the new key"))[0] == 200


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{",
        b"null",
        b'{"event_id": "E", "kind": "deposit", "reference": "D-1"}',
        b'{"event_id": "E", "kind": "deposit", "reference": "D-1", "id": "P", "outcome": "done", "amount": 1.5,'
        b' "currency": "BYN"}',
        b'{"event_id": "E", "kind": "deposit", "reference": "D-1", "id": "P", "outcome": "done", "amount": true,'
        b' "currency": "BYN"}',
        b'{"event_id": "E", "kind": "deposit", "reference": "D\\u0000", "id": "P", "outcome": "done", "amount": 1,'
        b' "currency": "BYN"}',
        b'{"event_id": "E", "kind": "deposit", "reference": "D-1", "id": "P", "outcome": "maybe", "amount": 1,'
        b' "currency": "BYN"}',
        b'{"event_id": "E", "kind": "deposit", "reference": "D-1", "id": "P", "outcome": "done", "amount": 1,'
        b' "currency": "BYN", "instrument": {"kind": "credit", "token": "\\ud800", "label": "x"}}',
        b"[" * 20_000,
    ],
)
def test_a_signed_message_that_cannot_be_read_is_refused(provider: FakeProvider, body: bytes) -> None:
    time = provider.message("deposit", "D-1").time
    before = every_row()
    assert hear(Message(body, time, _signed(time, body)))[0] == 400
    assert every_row() == before


def test_an_unknown_payment_system_has_no_address(client: object) -> None:
    answer = client.post("/payments/webhooks/nobody/", b"{}", content_type="application/json")  # type: ignore[attr-defined]
    assert answer.status_code == 404


def test_a_long_message_is_not_read(provider: FakeProvider) -> None:
    assert hear(Message(b" " * 70_000, "1", "x"))[0] == 400


def test_a_system_without_a_key_is_not_used(settings: object) -> None:
    from django.core.exceptions import ImproperlyConfigured

    for keys in ([], [""]):
        settings.PAYMENT_PROVIDERS = {"fake": {"url": "http://x", "keys": keys, "currencies": ["BYN"]}}  # type: ignore[attr-defined]
        with pytest.raises(ImproperlyConfigured):
            find_provider("fake")
