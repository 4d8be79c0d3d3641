"""Where the settings come from: exported variables, else the file `.local/env` that the local stack writes.

So `manage.py` works in a checkout without exporting anything. Only `totalizator/settings.py` reads this module.
"""

import os
import shlex
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit

from django.core.exceptions import ImproperlyConfigured

CHECKOUT = Path(__file__).resolve().parents[2]
VISIBILITY_SECONDS = 15  # after so long the broker gives an unacknowledged task to another worker

PRIMARY, STANDBY = "read-write", "prefer-standby"
# Where the address names several servers: the one of them that is wanted, and no waiting for one that is gone.
# A server that vanished without a word is noticed after 10 s, in the middle of a statement too.
OF_SEVERAL_SERVERS = {
    "connect_timeout": "3", "tcp_user_timeout": "10000",
    "keepalives_idle": "4", "keepalives_interval": "2", "keepalives_count": "3",
}  # fmt: skip


def _local_environment() -> dict[str, str]:
    path = CHECKOUT / ".local" / "env"
    if not path.is_file():
        return {}
    lines = path.read_text(encoding="utf-8").splitlines()
    pairs = (line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))
    return {name: _unquoted(value) for name, value in pairs}


def _unquoted(value: str) -> str:
    """Return what a shell would read of a value that was quoted for it; others stand as they are."""
    return "".join(shlex.split(value)) if value.startswith("'") else value


_ENVIRONMENT = {**_local_environment(), **os.environ}


def env(name: str, default: str | None = None) -> str:
    """Return the variable `name`; :raises ImproperlyConfigured: when it has neither value nor default."""
    value = _ENVIRONMENT.get(name, default)
    if value is None:
        raise ImproperlyConfigured(f"{name} is not set: export it, or run `make up` for a local stack.")
    return value


POOLED = env("DATABASE_POOLED", "0") == "1"
"""Whether DATABASE_URL leads to a pooler that hands connections out by the transaction (docs/pooling.md)."""
PREPARED = env("DATABASE_PREPARED", "0" if POOLED else "1") == "1"
"""Whether statements may be prepared: behind a pooler only where it hands them on, as PgBouncer 1.21 and later does."""
SESSION = {"jit": "off", "lock_timeout": "5s", "plan_cache_mode": "force_generic_plan"}


def settling() -> tuple[int, int]:
    """Return from how many bets on a pool is settled by ranges, and about how many bets a range has."""
    return int(env("SETTLE_BY_RANGES_FROM", "1000000")), int(env("SETTLING_RANGE_BETS", "250000"))


def database(url: str, *, wanted: str = PRIMARY) -> dict[str, Any]:
    """Translate `postgresql://user:password@host:port/name?option=value` into a Django DATABASES entry.

    Several servers are parted by commas, `host1:port1,host2:port2`: the one that is `wanted` is found among them.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("postgres", "postgresql"):
        raise ImproperlyConfigured(f"DATABASE_URL: PostgreSQL is the only database, not {parts.scheme!r}.")
    servers = _servers(parts)
    return {
        "ENGINE": "totalizator.core.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": ",".join(host for host, _ in servers),
        "PORT": ",".join(port for _, port in servers) if any(port for _, port in servers) else "",
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
        "DISABLE_SERVER_SIDE_CURSORS": POOLED,
        "OPTIONS": {**_session_settings(), **_options(parts, wanted)},
        "TEST": {"NAME": _ENVIRONMENT.get("TEST_DATABASE_NAME")},
    }


def databases() -> tuple[dict[str, Any], list[str]]:
    """Return Django's DATABASES and DATABASE_ROUTERS: one database, and a replica where one is named."""
    primary, replica = database(env("DATABASE_URL")), env("DATABASE_REPLICA_URL", "")
    if not replica:
        return {"default": primary}, []
    both = {"default": primary, "replica": database(replica, wanted=STANDBY) | {"TEST": {"MIRROR": "default"}}}
    return both, ["totalizator.core.replica.Router"]


def _session_settings() -> dict[str, Any]:
    """Return how every session is to work; a pooler refuses such words, and sets the same by itself."""
    words = {} if POOLED else {"options": " ".join(f"-c {name}={value}" for name, value in SESSION.items())}
    # Statements are prepared where core/prepared.py says so, and never by being frequent; without it, none would be.
    return {**words, "prepare_threshold": 2**31} if PREPARED else words


def _servers(parts: SplitResult) -> list[tuple[str, str]]:
    """Return host and port (or nothing) of each server that an address names."""
    each = [urlsplit(f"//{one}") for one in parts.netloc.rpartition("@")[2].split(",")]
    return [(one.hostname or "", str(one.port or "")) for one in each]


def _options(parts: SplitResult, wanted: str = PRIMARY) -> dict[str, str]:
    """Return the options for libpq: those of the address, above what several servers need."""
    needed = {**OF_SEVERAL_SERVERS, "target_session_attrs": wanted} if len(_servers(parts)) > 1 else {}
    return {**needed, **dict(parse_qsl(parts.query))}


def broker(url: str) -> tuple[str, dict[str, Any]]:
    """Return Celery's broker address and the transport's options; without an address, pgmq on the database itself."""
    if POOLED and not url:
        raise ImproperlyConfigured("CELERY_BROKER_URL is not set: the broker cannot share DATABASE_URL with a pooler.")
    url = url or "pgmq:" + env("DATABASE_URL").partition(":")[2]
    scheme = url.partition(":")[0]
    if scheme == "pgmq":
        # The whole address again as conn_string: pgmq's client would otherwise prefer an exported DATABASE_URL, and
        # Celery itself reads the name of one server only.
        parts = urlsplit(url)
        user, at, servers = parts.netloc.rpartition("@")
        return parts._replace(netloc=user + at + servers.partition(",")[0], query="").geturl(), {
            "conn_string": parts._replace(scheme="postgresql", query=urlencode(_options(parts))).geturl(),
            "init_extension": False,
            "visibility_timeout": VISIBILITY_SECONDS,
            "wait_time_seconds": 0,
            "polling_interval": 0.02,
            "pool_size": 2,
            "pool_timeout": 5,
        }
    if scheme in ("redis", "rediss"):
        restore = {"unacked_restore_interval": 1, "unacked_restore_throttle": 1}
        return url, {"visibility_timeout": VISIBILITY_SECONDS, **restore}
    return url, {"confirm_publish": True} if scheme in ("amqp", "amqps") else {}
