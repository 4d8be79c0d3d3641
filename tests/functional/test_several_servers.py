"""An address of the database that names several servers: Django and Celery find the one that takes writes."""

from urllib.parse import parse_qs, urlsplit

import pytest

from totalizator.core import environment
from totalizator.core.environment import OF_SEVERAL_SERVERS, broker, database

THREE = "postgresql://app:s%40f@10.0.0.1:5432,[fd00::2]:5433,db3:5434/totalizator?sslmode=verify-full"
ONE = "postgresql://app:s%40f@10.0.0.1:5432/totalizator?sslmode=verify-full"


def test_django_is_told_every_server_and_to_look_for_the_primary() -> None:
    entry = database(THREE)
    assert (entry["HOST"], entry["PORT"]) == ("10.0.0.1,fd00::2,db3", "5432,5433,5434")
    assert (entry["NAME"], entry["USER"], entry["PASSWORD"]) == ("totalizator", "app", "s@f")
    options = {name: value for name, value in entry["OPTIONS"].items() if name != "prepare_threshold"}
    assert "lock_timeout=5s" in options.pop("options")
    assert options == {**OF_SEVERAL_SERVERS, "sslmode": "verify-full"}
    assert options["target_session_attrs"] == "read-write"


def test_one_server_is_addressed_as_ever() -> None:
    entry = database(ONE)
    assert (entry["HOST"], entry["PORT"]) == ("10.0.0.1", "5432")
    assert {name for name in entry["OPTIONS"] if name not in ("options", "prepare_threshold")} == {"sslmode"}
    assert database("postgresql:///totalizator")["PORT"] == ""


def test_the_address_may_ask_for_another_server() -> None:
    entry = database(THREE + "&target_session_attrs=prefer-standby")
    assert entry["OPTIONS"]["target_session_attrs"] == "prefer-standby"


def test_the_broker_on_the_same_database_follows_the_primary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "_ENVIRONMENT", {"DATABASE_URL": THREE})
    url, options = broker("")
    assert url == "pgmq://app:s%40f@10.0.0.1:5432/totalizator"
    told = urlsplit(options["conn_string"])
    assert told.netloc == urlsplit(THREE).netloc
    assert {name: value for name, (value,) in parse_qs(told.query).items()} == {
        **OF_SEVERAL_SERVERS,
        "sslmode": "verify-full",
    }


def test_the_broker_on_one_server_is_told_its_options() -> None:
    url, options = broker(ONE.replace("postgresql", "pgmq"))
    assert url == "pgmq://app:s%40f@10.0.0.1:5432/totalizator"
    assert options["conn_string"] == ONE
