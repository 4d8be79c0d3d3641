"""The site's own web server on the benchmark's database, and clients that bet over HTTP, one by one and in batches."""

import http.client
import json
import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from random import Random
from statistics import median, quantiles
from time import perf_counter
from types import TracebackType
from typing import Any, Self

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore

from accounts.models import User
from bench.baseline import bare_bets_per_second
from bench.database import BenchDatabase
from bench.game import CONDITIONS, PRICE, SIGNS
from bench.people import Staff, admit, make_open_pool, numbered
from totalizator.core.money import plain_byn

PROCESSES, THREADS = 2, 8  # of the web server
BATCH = 500
CSRF = "t" * 32
READY_SECONDS = 30


class WebServer:
    """`with WebServer(database) as server`: granian, as the site runs it."""

    def __init__(self, database: BenchDatabase) -> None:
        self.port = _free_port()
        self._environment = {
            **os.environ,
            "DATABASE_URL": database.url,
            "DJANGO_SETTINGS_MODULE": "totalizator.settings",
        }

    def __enter__(self) -> Self:
        where = ["--interface", "wsgi", "--host", "127.0.0.1", "--port", str(self.port), "--log-level", "error"]
        size = ["--workers", str(PROCESSES), "--blocking-threads", str(THREADS)]
        command = [sys.executable, "-m", "granian", *where, *size, "totalizator.wsgi:application"]
        self._process = subprocess.Popen(command, env=self._environment, cwd=settings.BASE_DIR)
        deadline = time.monotonic() + READY_SECONDS
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.__exit__(None, None, None)
                raise RuntimeError("the web server does not come up")
            time.sleep(0.1)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        self._process.wait()

    def _answers(self) -> bool:
        with socket.socket() as link:
            return link.connect_ex(("127.0.0.1", self.port)) == 0


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


def measure_web(
    database: BenchDatabase, staff: Staff, players: Sequence[User], *, clients: int, seconds: int, repeats: int
) -> dict[str, Any]:
    """Measure bets over HTTP beside pgbench, by turns; medians of the repeats.

    :raises RuntimeError: when a bet was not answered with a ticket.
    """
    pool = make_open_pool("B-3", staff)
    admit(players, staff, pool.terms.rules_version)
    bettors = numbered(players, pool)
    bare, single, batched = [], [], []
    with WebServer(database) as server:
        caller = Caller(server.port, pool.code, [_session(player) for player in players])
        with get_context("spawn").Pool(1) as load:
            for _ in range(repeats):
                bare.append(bare_bets_per_second(database, pool, bettors, clients=clients, seconds=seconds))
                single.append(load.apply(_call, (caller, _one, clients, seconds)))
                batched.append(load.apply(_call, (caller, _batch, min(clients, 4), seconds)))
    for answered in (*single, *batched):
        if answered.unlike:
            raise RuntimeError(f"a bet over HTTP was answered {answered.unlike[0]}")
    took = [second for answered in single for second in answered.took]
    paces = [len(answered.took) / answered.seconds for answered in single]
    batch_paces = [BATCH * len(answered.took) / answered.seconds for answered in batched]
    return {
        "clients": clients,
        "pgbench_per_second": round(median(bare)),
        "bets_per_second": round(median(paces)),
        "bets_to_pgbench": round(median(pace / base for pace, base in zip(paces, bare, strict=True)), 3),
        "median_ms": round(1000 * median(took), 1),
        "p99_ms": round(1000 * quantiles(took, n=100)[98], 1),
        "batched_bets_per_second": round(median(batch_paces)),
        "batched_to_pgbench": round(median(pace / base for pace, base in zip(batch_paces, bare, strict=True)), 2),
    }


def _session(player: User) -> str:
    session = SessionStore()
    session[SESSION_KEY] = str(player.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = player.get_session_auth_hash()
    session.create()
    assert session.session_key is not None
    return session.session_key


Ask = Callable[[Random], tuple[str, dict[str, str], bytes]]


def _one(chance: Random) -> tuple[str, dict[str, str], bytes]:
    return "bets", {"Idempotency-Key": secrets.token_hex(16)}, json.dumps(_coupon(chance)).encode()


def _batch(chance: Random) -> tuple[str, dict[str, str], bytes]:
    bets = [{**_coupon(chance), "idempotency_key": secrets.token_hex(16)} for _ in range(BATCH)]
    return "bets/batch", {}, json.dumps({"bets": bets}).encode()


def _coupon(chance: Random) -> dict[str, str]:
    return {"selections": ";".join(chance.choices(SIGNS, k=CONDITIONS)), "stake": plain_byn(PRICE)}


def _call(caller: Caller, ask: Ask, clients: int, seconds: float) -> Answered:
    """Be so many clients, in a process of their own: each asks as soon as it is answered."""
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
    cookies = f"{settings.SESSION_COOKIE_NAME}={chance.choice(caller.sessions)}; csrftoken={CSRF}"
    return {"Content-Type": "application/json", "Cookie": cookies, "X-CSRFToken": CSRF}


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port
