"""Reading from a replica: what may be old is, and says so; money and whoever is logged in never are."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from django.db import connection, connections
from django.test import override_settings

from accounts.models import User
from pools.models import Pool
from tests.functional.browsing import text_of, visitor
from tests.functional.test_broker import database_url
from tests.making import bet_from_account, make_player, make_pool
from tests.refusals import refused
from tests.resulting import close_by_clock
from tests.settling import settle
from totalizator.core import environment, replica
from totalizator.core.errors import Refusal

pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def a_replica_of_now() -> Iterator[dict[str, Any]]:
    """Copy the database as it stands, and let it be the replica: one that hears nothing more."""
    name = f"{connection.settings_dict['NAME']}_replica"
    elsewhere = database_url().rpartition("/")[0] + "/postgres"
    connection.close()
    with psycopg.connect(elsewhere, autocommit=True) as server:
        server.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        server.execute(f'CREATE DATABASE "{name}" TEMPLATE "{connection.settings_dict["NAME"]}"')
        connections.databases[replica.ALIAS] = described = {**connection.settings_dict, "NAME": name}
        try:
            with override_settings(DATABASE_ROUTERS=["totalizator.core.replica.Router"]):
                replica.look_anew()
                let_it_connect()
                yield described
        finally:
            with suppress(AttributeError):
                connections[replica.ALIAS].close()
                del connections[replica.ALIAS]
            del connections.databases[replica.ALIAS]
            replica.look_anew()
            server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def let_it_connect() -> None:
    """Let this thread connect to the replica, which tests may not as they did not name it before it was there."""
    link = connections[replica.ALIAS]

    def ensure_connection() -> None:
        if link.connection is None:
            with link.wrap_database_errors:
                link.connect()

    link.ensure_connection = ensure_connection  # type: ignore[method-assign]


def pools_told(client: Any = None) -> tuple[set[str], bool]:
    """Which pools the archive lists, and whether it says as of when."""
    answer = (client or visitor()).get("/results/")
    shown = {pool.code for pool in Pool.objects.all() if f"/pools/{pool.code}/" in answer.content.decode()}
    assert ("As of" in text_of(answer)) == (replica.HEADER in answer.headers)
    return shown, replica.HEADER in answer.headers


def test_what_may_be_old_is_read_from_the_replica_and_says_as_of_when(monkeypatch: pytest.MonkeyPatch) -> None:
    player = make_player(1_000)
    before, after = make_pool("sportloto-variant"), make_pool("sportloto-variant")
    settle(before, "1")
    on_sale = make_pool()
    assert pools_told() == ({before.code}, False)
    with a_replica_of_now() as described:
        settle(after, "1")
        both = {before.code, after.code}
        assert pools_told() == ({before.code}, True)
        assert pools_told(visitor(player)) == (both, False)  # who may have just done something sees it
        told = visitor().get("/api/v1/open-data/pools")
        assert [each["state"] for each in told.json()["pools"]] == ["settled", "announced", "announced"]
        assert replica.HEADER in told.headers
        # The replica does not know that the pool is closed; what decides is the database.
        assert refused(lambda: bet_from_account(after, player, "1", 100)).code == Refusal.POOL_CLOSED
        rows_are_never_read_on_or_written_there(on_sale, player)
        monkeypatch.setattr(replica, "MOST_LAG", timedelta(seconds=-1))
        replica.look_anew()
        assert pools_told() == (both, False)
        monkeypatch.undo()
        connections[replica.ALIAS].close()
        described["PORT"] = "1"  # nobody listens there
        replica.look_anew()
        assert pools_told() == (both, False)
    assert pools_told() == (both, False)


def rows_are_never_read_on_or_written_there(pool: Pool, player: User) -> None:
    """What the replica gave is the database's from then on."""
    token = replica._reading.set(True)
    old = Pool.objects.get(code=pool.code)
    assert Pool.objects.select_for_update().db == "default"
    replica._reading.reset(token)
    assert old._state.db == replica.ALIAS
    bet_from_account(old, player, "1;X;2", 100)
    assert old.bets.count() == 1
    close_by_clock(pool)
    old.refresh_from_db()
    assert old.state == "closed"


def test_without_an_address_there_is_no_replica(monkeypatch: pytest.MonkeyPatch) -> None:
    assert environment.databases()[1] == []
    monkeypatch.setitem(environment._ENVIRONMENT, "DATABASE_REPLICA_URL", "postgresql://u:p@replica:5432/n")
    both, routers = environment.databases()
    assert (both["replica"]["HOST"], both["replica"]["TEST"]) == ("replica", {"MIRROR": "default"})
    assert routers == ["totalizator.core.replica.Router"]
