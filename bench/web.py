"""The site's own web server on the benchmark's database, and clients that bet over HTTP, one by one and in batches."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from multiprocessing import get_context
from statistics import median, quantiles
from types import TracebackType
from typing import Any, Self

from django.conf import settings
from django.test import Client

from accounts.models import User
from bench.baseline import bare_bets_per_second
from bench.callers import BATCH, Caller, batch_of_bets, call, one_bet
from bench.database import BenchDatabase
from bench.people import Staff, admit, make_open_pool, numbered

PROCESSES, THREADS = 2, 8  # of the web server, as `make start` has them
READY_SECONDS = 30
WARM_UP_SECONDS = 3


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
            load.apply(call, (caller, one_bet, clients, WARM_UP_SECONDS))
            for _ in range(repeats):
                bare.append(bare_bets_per_second(database, pool, bettors, clients=clients, seconds=seconds))
                single.append(load.apply(call, (caller, one_bet, clients, seconds)))
                batched.append(load.apply(call, (caller, batch_of_bets, min(clients, 4), seconds)))
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
    client = Client()
    client.force_login(player, backend=settings.AUTHENTICATION_BACKENDS[0])
    return client.cookies[settings.SESSION_COOKIE_NAME].value


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port
