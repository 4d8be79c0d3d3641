"""How long the server takes for a page, and how many statements, on a site with years behind it."""

from collections.abc import Sequence
from statistics import median, quantiles
from time import perf_counter
from typing import Any

from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext, override_settings

from accounts.models import User
from bench.history import History, make_history
from bench.people import Staff

WARM_UP = 3
ASKED = 40


def measure_pages(staff: Staff, players: Sequence[User], *, pools: int, bets: int) -> dict[str, Any]:
    """Ask for each page as who it is for: the median and the 95th percentile, the statements, the kilobytes."""
    static = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    # Signing is slow on purpose, and neither it nor the names of static files are what is measured.
    with override_settings(PASSPHRASE_COST=2, STORAGES={**settings.STORAGES, "staticfiles": static}):
        history = make_history(staff, players, pools=pools, bets=bets)
        clients = {
            "anybody": _client(),
            "player": _client(players[0]),
            "commission": _client(staff.members[0]),
            "organizer": _client(staff.organizers[0]),
        }
        pages = [_page(clients[who], who, address) for who, address in _addresses(history)]
    return {"pools": history.pools, "bets": history.bets, "pages": pages}


def _addresses(history: History) -> list[tuple[str, str]]:
    on_sale, settled = f"/pools/{history.on_sale.code}/", f"/pools/{history.settled.code}/"
    return [
        ("anybody", "/"),
        ("anybody", "/results/"),
        ("anybody", "/how/"),
        ("anybody", "/unclaimed/"),
        ("anybody", "/jackpot/sportloto/"),
        ("anybody", "/check/"),
        ("anybody", "/status/"),
        ("anybody", "/log/"),
        ("anybody", on_sale),
        ("anybody", f"{on_sale}figures/"),
        ("anybody", f"{settled}result/"),
        ("anybody", f"{settled}money/"),
        ("player", "/my/"),
        ("player", on_sale),
        ("commission", "/commission/"),
        ("organizer", "/desk/"),
        ("organizer", "/desk/pools/"),
        ("organizer", f"/desk/pools/{history.settled.code}/"),
    ]


def _client(person: User | None = None) -> Client:
    client = Client(SERVER_NAME="localhost")
    if person is not None:
        client.force_login(person, backend="django.contrib.auth.backends.ModelBackend")
    return client


def _page(client: Client, who: str, address: str) -> dict[str, Any]:
    for _ in range(WARM_UP):
        answer = client.get(address)
        if answer.status_code != 200:
            raise RuntimeError(f"{address} was answered {answer.status_code} for {who}")
    took = []
    for _ in range(ASKED):
        started = perf_counter()
        client.get(address)
        took.append(1000 * (perf_counter() - started))
    with CaptureQueriesContext(connection) as statements:
        answer = client.get(address)
    return {
        "who": who,
        "address": address,
        "median_ms": round(median(took), 1),
        "p95_ms": round(quantiles(took, n=20)[18], 1),
        "queries": len(statements),
        "kilobytes": round(len(answer.content) / 1000, 1),
    }
