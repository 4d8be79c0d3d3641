"""Two people who approve the same thing at the same moment: one of them does it, once (R1)."""

from collections.abc import Iterator
from functools import partial
from time import sleep
from typing import Any

import pytest
from django.db import IntegrityError

from accounts.models import HeldDeposit
from accounts.services import bank_doubts, deposit_returns
from tests.approving import APPROVALS
from tests.approving.waiting import Waiting
from tests.concurrency.racing import race
from tests.fakes.provider import FakeProvider, running, settings_of
from tests.making import make_organizers
from tests.paying import broken
from totalizator.core import clock
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db(transaction=True)
PAUSE = 0.05


@pytest.fixture
def provider(settings: object) -> Iterator[FakeProvider]:
    with running() as fake:
        settings.PAYMENT_PROVIDERS = settings_of(fake)  # type: ignore[attr-defined]
        yield fake


def linger(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each act take its time whenever it reads the clock, which is between what it checks and what it writes."""
    now = clock.now

    def late_now() -> Any:
        sleep(PAUSE)
        return now()

    monkeypatch.setattr(clock, "now", late_now)


def raced(waiting: Waiting) -> int:
    """Let two of the staff approve at once; return how many approvals the journal has."""
    one, other = make_organizers()
    before = JournalRecord.objects.filter(act=waiting.act).count()
    race([partial(waiting.approve, one), partial(waiting.approve, other)])
    return JournalRecord.objects.filter(act=waiting.act).count() - before


@pytest.mark.parametrize("name", APPROVALS)
def test_r1_two_who_approve_at_once_do_it_once(
    name: str, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = APPROVALS[name](provider)
    linger(monkeypatch)
    assert raced(waiting) == waiting.rows
    assert broken() == []


def test_negative_control_a_return_that_is_not_locked_is_approved_twice(
    provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = APPROVALS["accounts.services.deposit_returns.approve_return"](provider)
    held = HeldDeposit.objects.select_related("deposit").get()
    monkeypatch.setattr(deposit_returns, "_locked", lambda _number: held)
    linger(monkeypatch)
    assert raced(waiting) == 2


def test_negative_control_a_doubt_without_its_lock_is_stopped_by_the_database_alone(
    provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = APPROVALS["accounts.services.bank_doubts.approve_doubt"](provider)
    monkeypatch.setattr(bank_doubts, "lock_own_account", lambda _ibans: [])
    linger(monkeypatch)
    with pytest.raises(IntegrityError):
        raced(waiting)
    assert broken() == []
