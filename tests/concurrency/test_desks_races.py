"""Limits of a point, pauses, switches and nonces, each asked for by several at once (¶9.6, C1, T2)."""

import hmac
import secrets
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from threading import Event
from typing import Any

import pytest
from django.db import connection

from accounts.models import Terminal, Till
from accounts.queries.desks import cash_at_point
from accounts.services import desks
from accounts.services.bank_terms import record_cash_limit
from accounts.services.signed_requests import signed_text, verify_signed_request
from accounts.services.switching import switch_point
from pools.models import Bet, Pool
from pools.services.betting import PlacedBet
from pools.services.pausing import pause_sales
from tests.concurrency.racing import race
from tests.desks import begin_shift, cash_in, keeper, make_terminal
from tests.making import bet_in_cash, make_pool, make_till
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal

pytestmark = pytest.mark.django_db(transaction=True)


def sell_until_refused(pool: Pool, till: Till, stop: Event) -> DomainError | None:
    """Sell at the till until a refusal."""
    while not stop.is_set():
        try:
            bet_in_cash(pool, till, "1;1;1", 100)
        except DomainError as refusal:
            return refusal
    return None


def test_one_nonce_sent_ten_times_at_once_is_used_once() -> None:
    made = make_terminal(make_till())
    assert made.secret is not None
    time, nonce = clock.now().isoformat(), secrets.token_hex(16)
    text = signed_text(time=time, nonce=nonce, method="POST", path="/", body=b"")
    signature = hmac.new(bytes.fromhex(made.secret), text, sha256).hexdigest()
    verify = partial(
        verify_signed_request,
        key_id=made.terminal.key_id,
        time=time,
        nonce=nonce,
        method="POST",
        path="/",
        body=b"",
        signature=signature,
    )
    answers = race([verify] * 10)
    assert len([each for each in answers if isinstance(each, Terminal)]) == 1
    assert {each.code for each in answers if isinstance(each, DomainError)} == {Refusal.REQUEST_NOT_SIGNED}


def two_tills_at_a_limit(limit: int) -> tuple[Pool, list[Till]]:
    """A pool, and two tills of one point that may hold `limit` together."""
    pool, first, second = make_pool(), make_till(), make_till(shift=False)
    Till.objects.filter(pk=second.pk).update(point=first.point, number=2)
    second.refresh_from_db()
    begin_shift(second)
    record_cash_limit(point=first.point, amount=limit, valid_from=clock.today(), document="L", by=keeper())
    return pool, [first, second]


def test_two_tills_of_a_point_do_not_pass_its_limit_together() -> None:
    pool, tills = two_tills_at_a_limit(500)
    results = race([partial(bet_in_cash, pool, till, "1;1;1", 100, f"K{n}") for n in range(4) for till in tills])
    assert len([each for each in results if isinstance(each, PlacedBet)]) == 5
    assert {each.code for each in results if isinstance(each, DomainError)} == {Refusal.CASH_LIMIT}
    assert sum(cash_in(till) for till in tills) == 500


def test_negative_control_without_the_points_lock_both_pass_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    pool, tills = two_tills_at_a_limit(100)

    def slow(point_id: int) -> int:
        cash = cash_at_point(point_id)
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(0.5)")
        return cash

    monkeypatch.setattr(desks, "hold_point_cash", lambda _point_id: None)
    monkeypatch.setattr(desks, "cash_at_point", slow)
    results = race([partial(bet_in_cash, pool, till, "1;1;1", 100) for till in tills])
    assert [type(each) for each in results] == [PlacedBet, PlacedBet]
    assert sum(cash_in(till) for till in tills) == 200


def test_t2_no_bet_is_registered_from_the_beginning_of_a_pause_on() -> None:
    pools, till, staff = [make_pool(), make_pool()], make_till(), keeper()
    stop = Event()

    def pause() -> object:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(0.3)")
        try:
            return pause_sales(cause="Odd.", paused_by=staff, point=till.point).started_at
        finally:
            stop.set()

    acts: list[Callable[[], Any]] = [pause, *(partial(sell_until_refused, pool, till, stop) for pool in pools)]
    started_at, *sellers = race(acts)
    assert {each.code for each in sellers if isinstance(each, DomainError)} <= {Refusal.SALES_PAUSED}
    assert not Bet.objects.filter(registered_at__gte=started_at).exists()
    assert Bet.objects.exists()


def test_a_point_switched_off_by_three_at_once_is_off_at_all_its_tills() -> None:
    pool, tills = two_tills_at_a_limit(500)
    staff = keeper()

    def switch_off() -> bool:
        switch_point(point=tills[0].point, on=False, reason="Fire.", by=staff)
        return True

    assert race([switch_off] * 3) == [True] * 3
    for till in tills:
        with pytest.raises(DomainError, match="switched_off"):
            bet_in_cash(pool, till, "1;1;1", 100)
