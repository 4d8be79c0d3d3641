"""Clients that bet over HTTP, in a process that knows nothing of the site but its addresses."""

import http.client
import json
import secrets
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from random import Random
from time import perf_counter

from bench.game import CONDITIONS, PRICE, SIGNS

BATCH = 500
_CSRF = "t" * 32


@dataclass(frozen=True, slots=True)
class Caller:
    """Who bets, and how he is known to the server."""

    port: int
    pool: str
    sessions: Sequence[str]


@dataclass(frozen=True, slots=True)
class Answered:
    """What the clients were answered: how long each request took, in seconds, and whatever was no ticket."""

    took: list[float]
    seconds: float
    unlike: list[str]


Ask = Callable[[Random], tuple[str, dict[str, str], bytes]]


def one_bet(chance: Random) -> tuple[str, dict[str, str], bytes]:
    """Return the address, the headers and the body of a request for one bet."""
    return "bets", {"Idempotency-Key": secrets.token_hex(16)}, json.dumps(_coupon(chance)).encode()


def batch_of_bets(chance: Random) -> tuple[str, dict[str, str], bytes]:
    """Return the same of a request for BATCH bets."""
    bets = [{**_coupon(chance), "idempotency_key": secrets.token_hex(16)} for _ in range(BATCH)]
    return "bets/batch", {}, json.dumps({"bets": bets}).encode()


def _coupon(chance: Random) -> dict[str, str]:
    return {"selections": ";".join(chance.choices(SIGNS, k=CONDITIONS)), "stake": f"{PRICE // 100}.{PRICE % 100:02}"}


def call(caller: Caller, ask: Ask, clients: int, seconds: float) -> Answered:
    """Be so many clients: each asks as soon as it is answered."""
    unlike: list[str] = []

    def client(number: int) -> list[float]:
        chance, took = Random(number), []
        link = http.client.HTTPConnection("127.0.0.1", caller.port, timeout=60)
        until = perf_counter() + seconds
        while (started := perf_counter()) < until:
            address, headers, body = ask(chance)
            started = perf_counter()
            link.request("POST", f"/api/v1/pools/{caller.pool}/{address}", body, {**headers, **_known(caller, chance)})
            answer = link.getresponse()
            said = answer.read()
            took.append(perf_counter() - started)
            if answer.status not in (200, 201) or b'"problem"' in said:
                unlike.append(f"{answer.status}: {said[:300]!r}")
                break
        link.close()
        return took

    with ThreadPoolExecutor(clients) as threads:
        started = perf_counter()
        took = [second for times in threads.map(client, range(clients)) for second in times]
        return Answered(took, perf_counter() - started, unlike)


def _known(caller: Caller, chance: Random) -> dict[str, str]:
    cookies = f"sessionid={chance.choice(caller.sessions)}; csrftoken={_CSRF}"
    return {"Content-Type": "application/json", "Cookie": cookies, "X-CSRFToken": _CSRF}
