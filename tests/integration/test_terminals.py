"""Terminals: signed requests, one answer to all that is wrong, certificates, and a lost link (¶7, C1, G5)."""

import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from hashlib import sha256

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.db import connection

from accounts.ledger.balances import balance
from accounts.models import Terminal, TerminalNonce, User
from accounts.services.signed_requests import WINDOW, forget_old_nonces, signed_text, verify_signed_request
from accounts.services.switching import switch_point, switch_terminal, switch_till
from accounts.services.terminals import note_heartbeat, register_terminal, renew_key, synchronise
from pools.models import Pool
from pools.services.betting import PlacedBet, place_bet
from pools.services.sources import from_terminal
from tests.desks import certify, keeper, make_terminal
from tests.making import make_pool, make_till
from tests.refusals import refused
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal

pytestmark = pytest.mark.django_db


@dataclass(frozen=True)
class Request:
    """A request as a terminal sends it."""

    key_id: str
    time: str
    nonce: str
    method: str
    path: str
    body: bytes
    signature: str

    def verified(self) -> Terminal:
        return verify_signed_request(
            key_id=self.key_id,
            time=self.time,
            nonce=self.nonce,
            method=self.method,
            path=self.path,
            body=self.body,
            signature=self.signature,
        )


def signed(key_id: str, key: str | Ed25519PrivateKey, *, late: timedelta = timedelta()) -> Request:
    time, nonce, body = (clock.now() - late).isoformat(), secrets.token_hex(16), b'{"stake": "1.00"}'
    text = signed_text(time=time, nonce=nonce, method="POST", path="/api/v1/bets?x=1", body=body)
    return Request(key_id, time, nonce, "POST", "/api/v1/bets?x=1", body, signature_of(text, key))


def signature_of(text: bytes, key: str | Ed25519PrivateKey) -> str:
    if isinstance(key, str):
        return hmac.new(bytes.fromhex(key), text, sha256).hexdigest()
    return key.sign(text).hex()


def sell(terminal: Terminal, pool: Pool) -> PlacedBet:
    return place_bet(
        pool_code=pool.code,
        selections="1;1;1",
        stake=100,
        source=from_terminal(terminal),
        idempotency_key=secrets.token_hex(8),
    )


def test_a_terminal_sells_into_the_till_that_it_stands_at() -> None:
    till, pool = make_till(), make_pool()
    made = make_terminal(till)
    assert made.secret is not None
    terminal = signed(made.terminal.key_id, made.secret).verified()
    bet = sell(terminal, pool).bet
    assert (terminal, bet.till, bet.sold_by) == (made.terminal, till, till.cashier)
    assert balance(till.ledger_account) == 100


def test_it_may_sign_by_ed25519() -> None:
    key = Ed25519PrivateKey.generate()
    public = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()
    made = make_terminal(make_till(), public_key=public.upper())
    assert made.secret is None
    assert signed(made.terminal.key_id, key).verified() == made.terminal
    forged = signed(made.terminal.key_id, Ed25519PrivateKey.generate())
    assert refused(forged.verified).code == Refusal.REQUEST_NOT_SIGNED


@pytest.mark.parametrize("key", ["", "00" * 31, "zz" * 32])
def test_what_is_no_key_is_refused(key: str) -> None:
    till, staff = make_till(), keeper()
    refusal = refused(lambda: register_terminal(till=till, serial="S", by=staff, public_key=key))
    assert refusal.field == "public_key"


def test_one_answer_to_whatever_is_wrong() -> None:
    made, other = make_terminal(make_till()), make_terminal(make_till())
    assert made.secret is not None
    good = signed(made.terminal.key_id, made.secret)
    wrong = [
        replace(good, key_id="unknown"),
        replace(good, key_id=other.terminal.key_id),
        replace(good, time=(clock.now() + timedelta(seconds=1)).isoformat()),
        replace(good, nonce=secrets.token_hex(16)),
        replace(good, method="DELETE"),
        replace(good, path="/api/v1/bets?x=2"),
        replace(good, body=b'{"stake": "1.01"}'),
        replace(good, signature="00" * 32),
        replace(good, signature="no hex"),
        replace(good, time="yesterday"),
        replace(good, time=clock.now().replace(tzinfo=None).isoformat()),
        replace(good, nonce="short"),
        signed(made.terminal.key_id, made.secret, late=WINDOW + timedelta(seconds=1)),
        signed(made.terminal.key_id, made.secret, late=-WINDOW - timedelta(seconds=30)),
    ]
    answers = {(refusal.code, str(refusal.message), str(refusal.details)) for refusal in map(_refused, wrong)}
    assert len(answers) == 1
    assert next(iter(answers))[0] == Refusal.REQUEST_NOT_SIGNED
    assert good.verified() == made.terminal
    again = refused(good.verified)  # a nonce is used once
    assert (again.code, str(again.message), str(again.details)) in answers


def _refused(request: Request) -> DomainError:
    return refused(request.verified)


def test_nonces_are_kept_as_long_as_they_matter() -> None:
    made = make_terminal(make_till())
    assert made.secret is not None
    signed(made.terminal.key_id, made.secret).verified()
    assert forget_old_nonces() == 0
    clock.move_clock(3 * WINDOW + timedelta(seconds=1))
    assert forget_old_nonces() == 1
    assert not TerminalNonce.objects.exists()


def test_a_renewed_key_ends_the_one_before_and_no_secret_is_stored_in_clear() -> None:
    made = make_terminal(make_till())
    renewed = renew_key(terminal=made.terminal, by=keeper())
    assert made.secret is not None
    assert renewed.secret is not None
    old = signed(made.terminal.key_id, made.secret)
    assert refused(old.verified).code == Refusal.REQUEST_NOT_SIGNED
    assert signed(renewed.terminal.key_id, renewed.secret).verified() == made.terminal
    with connection.cursor() as cursor:
        cursor.execute("SELECT t::text FROM accounts_terminal t")
        assert renewed.secret not in str(cursor.fetchall())


def test_c1_what_is_switched_off_fails_at_its_next_request_and_in_the_middle_of_one() -> None:
    till, pool, staff = make_till(), make_pool(), keeper()
    made = make_terminal(till)
    assert made.secret is not None
    switches: list[Callable[..., None]] = [
        partial(switch_terminal, terminal=made.terminal, reason="Stolen.", by=staff),
        partial(switch_till, till=till, reason="Stolen.", by=staff),
        partial(switch_point, point=till.point, reason="Robbed.", by=staff),
    ]
    for switch in switches:
        verified = signed(made.terminal.key_id, made.secret).verified()
        switch(on=False)
        late = signed(made.terminal.key_id, made.secret)
        with pytest.raises(DomainError, match="switched_off"):
            late.verified()
        assert refused(partial(sell, verified, pool)).code == Refusal.SWITCHED_OFF
        switch(on=True)
    assert sell(made.terminal, pool).bet.stake == 100


def test_a_terminal_needs_a_certificate_of_its_own() -> None:
    till, pool = make_till(), make_pool()
    made = make_terminal(till, ready=False)
    synchronise(terminal=made.terminal)
    assert refused(lambda: sell(made.terminal, pool)).code == Refusal.NOT_CERTIFIED
    certify(made.terminal, valid_from=clock.today() + timedelta(days=1))
    assert refused(lambda: sell(made.terminal, pool)).code == Refusal.NOT_CERTIFIED
    certify(made.terminal, valid_until=clock.today())
    sell(made.terminal, pool)


def test_g5_a_lost_link_stops_sales_until_the_terminal_has_synchronised() -> None:
    till, pool = make_till(), make_pool()
    terminal = make_terminal(till, ready=False).terminal
    certify(terminal)
    assert refused(lambda: sell(terminal, pool)).code == Refusal.LINK_LOST
    synchronise(terminal=terminal)
    clock.move_clock(timedelta(seconds=50))
    note_heartbeat(terminal=terminal)
    clock.move_clock(timedelta(seconds=50))
    sell(terminal, pool)
    clock.move_clock(timedelta(seconds=11))
    assert refused(lambda: sell(terminal, pool)).code == Refusal.LINK_LOST
    assert refused(lambda: note_heartbeat(terminal=terminal)).code == Refusal.LINK_LOST  # a heartbeat does not mend it
    synchronise(terminal=terminal)
    sell(terminal, pool)


def test_a_terminal_whose_cashier_was_dismissed_sells_nothing() -> None:
    pool, till = make_pool(), make_till()
    terminal = make_terminal(till).terminal
    sell = partial(
        place_bet,
        pool_code=pool.code,
        selections="1;1;1",
        stake=100,
        source=from_terminal(terminal),
        idempotency_key="1",
    )
    assert till.cashier is not None
    cashier = User.objects.filter(pk=till.cashier.pk)
    cashier.update(is_active=False)
    assert refused(sell).code == Refusal.SWITCHED_OFF
    assert not pool.bets.exists()
    cashier.update(is_active=True)
    assert sell().bet.till == till
