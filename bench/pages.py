"""How long the server takes for each page, and how many statements, on a site with years behind it."""

from collections.abc import Iterator, Mapping
from statistics import median, quantiles
from time import perf_counter
from typing import Any

from django.conf import settings
from django.db import connection
from django.http.response import HttpResponseBase
from django.test import Client
from django.test.utils import CaptureQueriesContext, override_settings

from accounts.models import Role, User
from bench.addresses import pages_of
from bench.history import History, make_history
from bench.people import Staff, person
from totalizator.core.starting import be_ready

ANYBODY = "anybody"


def measure_pages(staff: Staff, *, pools: int, bets: int, asked: int) -> dict[str, Any]:
    """Ask for every page `asked` times as who it is for: median, 95th percentile, statements and kilobytes of each."""
    static = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    # Signing is slow on purpose, and neither it nor the names of static files are what is measured.
    with override_settings(PASSPHRASE_COST=2, STORAGES={**settings.STORAGES, "staticfiles": static}):
        history = make_history(staff, pools=pools, bets=bets)
        clients = {
            ANYBODY: _client(),
            "player": _client(history.player),
            "cashier": _client(history.till.cashier),
            "commission": _client(staff.members[0]),
            "organizer": _client(staff.organizers[0]),
            "regulator": _client(person(Role.REGULATOR, 0)),
        }
        be_ready()  # as a web process is
        measured = [_page(clients[who], who, address, asked) for who, address in _shown(clients, history)]
    return {"pools": history.pools, "bets": history.bets, "pages": measured}


def _shown(clients: Mapping[str, Client], history: History) -> Iterator[tuple[str, str]]:
    """Yield every address that shows a page, with the first of the clients that it is shown to."""
    pools = [{"code": history.on_sale.code}, {"code": history.settled.code}]
    for address in pages_of([*pools, {"ticket": history.bet.ticket}, {"game": "sportloto"}]):
        who = next((who for who, client in clients.items() if _shows(client.get(address))), None)
        if who is not None:
            yield who, address
    yield from (("player", "/"), ("player", f"/pools/{history.on_sale.code}/"))


def _shows(answer: HttpResponseBase) -> bool:
    return answer.status_code == 200 and answer["Content-Type"].startswith("text/html")


def _client(person: User | None = None) -> Client:
    client = Client(SERVER_NAME="localhost", raise_request_exception=False)
    if person is not None:
        person.backend = settings.AUTHENTICATION_BACKENDS[0]
        client.force_login(person)
    return client


def _page(client: Client, who: str, address: str, asked: int) -> dict[str, Any]:
    client.get(address)  # what is kept in the process is there from now on
    took = []
    for _ in range(asked):
        started = perf_counter()
        answer = client.get(address)
        took.append(1000 * (perf_counter() - started))
        if answer.status_code != 200:
            raise RuntimeError(f"{address} was answered {answer.status_code} for {who}")
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
