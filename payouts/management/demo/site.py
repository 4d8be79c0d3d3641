"""The running site as programs and terminals see it: its API, spoken over HTTP (docs/api.md)."""

import hmac
import json
import secrets
import time
from collections.abc import Mapping, Sequence
from hashlib import sha256
from http.client import HTTPConnection, HTTPException, HTTPResponse
from threading import local
from typing import Any
from urllib.parse import urlsplit

from django.core.management.base import CommandError

from accounts.models import ApiToken, User
from accounts.services.api_tokens import create_token, revoke_token
from accounts.services.terminals import NewKey
from payouts.management.demo.doors import TRIES, WAIT_SECONDS, HeldCard, Sold
from pools.services.batches import WantedBet
from totalizator.core import clock
from totalizator.core.money import plain_byn

NAMED = "demo"  # the tokens
PATIENCE_SECONDS = 60
COME_AGAIN = (429, 503)


class Site:
    """A client of the API: one kept connection for each thread, a token for each player."""

    def __init__(self, address: str, players: Sequence[User]) -> None:
        parts = urlsplit(address)
        self._place = (parts.hostname or "", parts.port or 80)
        self._mine = local()
        self._tokens = {player.pk: _token(player) for player in players}

    def by_player(self, player: User, pool: str, bet: WantedBet) -> Sold:
        """Bet from the player's game account."""
        return self._bet(f"/api/v1/pools/{pool}/bets", _coupon(bet), player, bet.idempotency_key)

    def by_card(self, card: HeldCard, player: User, pool: str, bet: WantedBet) -> Sold:
        """Bet by a prepaid card that the player holds."""
        document = {**_coupon(bet), "card": {"series": card.series, "number": card.number, "code": card.code}}
        return self._bet(f"/api/v1/pools/{pool}/card-bets", document, player, bet.idempotency_key)

    def by_terminal(self, key: NewKey, pool: str, bets: Sequence[WantedBet]) -> list[Sold]:
        """Bet at a terminal, many in one call, each with a key of its own."""
        self._signed(key, "/api/v1/terminal/synchronisations", {})
        wanted = [{**_coupon(bet), "idempotency_key": bet.idempotency_key} for bet in bets]
        for _try in range(TRIES):
            answers = self._signed(key, f"/api/v1/pools/{pool}/bets/batch", {"bets": wanted})["answers"]
            refused = [answer["problem"] for answer in answers if "problem" in answer]
            if not refused:
                return [_sold(answer["bet"]) for answer in answers]
            if any(problem["status"] not in COME_AGAIN for problem in refused):
                raise CommandError(f"The site refused a terminal's bet: {refused[0]}")
            time.sleep(WAIT_SECONDS)
        raise CommandError("The site was busy for too long: a terminal's bets were not all taken.")

    def _bet(self, path: str, document: Mapping[str, Any], player: User, key: str) -> Sold:
        headers = {"Authorization": f"Bearer {self._tokens[player.pk]}", "Idempotency-Key": key}
        return _sold(self._told(path, json.dumps(document).encode(), lambda: headers))

    def _signed(self, key: NewKey, path: str, document: Mapping[str, Any]) -> Any:
        body = json.dumps(document).encode()
        return self._told(path, body, lambda: _signature(key, path, body))

    def _told(self, path: str, body: bytes, headers: Any) -> Any:
        """Post until the site has answered; each try is signed anew, each act has its key.

        :raises CommandError: for a refusal, or when the site does not answer.
        """
        until, last = time.monotonic() + PATIENCE_SECONDS, ""
        while time.monotonic() < until:
            try:
                answer = self._sent(path, body, {"Content-Type": "application/json", **headers()})
                told = json.loads(answer.read())
            except (OSError, HTTPException) as fault:
                self._mine.connection, last = None, repr(fault)
                time.sleep(WAIT_SECONDS)
                continue
            if answer.status in (200, 201):
                return told
            if answer.status not in COME_AGAIN:
                raise CommandError(f"The site refused {path}: {told}")
            last = str(told)
            time.sleep(float(answer.headers.get("Retry-After") or WAIT_SECONDS))
        raise CommandError(f"The site did not answer {path}: {last}")

    def _sent(self, path: str, body: bytes, headers: Mapping[str, str]) -> HTTPResponse:
        connection: HTTPConnection | None = getattr(self._mine, "connection", None)
        if connection is None:
            connection = self._mine.connection = HTTPConnection(*self._place, timeout=PATIENCE_SECONDS)
        connection.request("POST", path, body=body, headers=dict(headers))
        return connection.getresponse()


def _token(player: User) -> str:
    """Make the player a token, in place of the ones that earlier demonstrations made."""
    for token in ApiToken.objects.filter(user=player, name=NAMED, revoked_at__isnull=True):
        revoke_token(user=player, token_id=token.pk)
    return create_token(user=player, name=NAMED).text


def _signature(key: NewKey, path: str, body: bytes) -> dict[str, str]:
    """Return the headers of a signed request."""
    secret = bytes.fromhex(key.secret or "")
    at, nonce = clock.now().isoformat(), secrets.token_hex(16)
    text = "\n".join(["TOTALIZATOR-1", at, nonce, "POST", path, sha256(body).hexdigest()])
    return {
        "Totalizator-Key": key.terminal.key_id,
        "Totalizator-Time": at,
        "Totalizator-Nonce": nonce,
        "Totalizator-Signature": hmac.new(secret, text.encode(), sha256).hexdigest(),
    }


def _coupon(bet: WantedBet) -> dict[str, Any]:
    return {"selections": bet.selections, "stake": plain_byn(bet.stake)}


def _sold(told: Mapping[str, str]) -> Sold:
    return Sold(told["ticket"], told["check_code"])
