"""Where the settings come from: exported variables, else the file `.local/env` that the local stack writes.

So `manage.py` works in a checkout without exporting anything. Only `totalizator/settings.py` reads this module.
"""

import os
import shlex
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from django.core.exceptions import ImproperlyConfigured

CHECKOUT = Path(__file__).resolve().parents[2]
# How long a machine that went silent is waited for; one that closes its connections is noticed at once.
_PATIENCE = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 25_000,
}
VISIBILITY_SECONDS = 15  # after so long the broker gives an unacknowledged task to another worker


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


_CONNECTION: dict[str, Any] = {
    "options": "-c jit=off -c lock_timeout=5s -c plan_cache_mode=force_generic_plan",
    # Statements are prepared where core/prepared.py says so, and never by being frequent; without it, none would be.
    "prepare_threshold": 2**31,
}

_ENVIRONMENT = {**_local_environment(), **os.environ}


def env(name: str, default: str | None = None) -> str:
    """Return the variable `name`; :raises ImproperlyConfigured: when it has neither value nor default."""
    value = _ENVIRONMENT.get(name, default)
    if value is None:
        raise ImproperlyConfigured(f"{name} is not set: export it, or run `make up` for a local stack.")
    return value


def database(url: str) -> dict[str, Any]:
    """Translate `postgresql://user:password@host:port/name?option=value` into a Django DATABASES entry."""
    parts = urlsplit(url)
    if parts.scheme not in ("postgres", "postgresql"):
        raise ImproperlyConfigured(f"DATABASE_URL: PostgreSQL is the only database, not {parts.scheme!r}.")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": parts.hostname or "",
        "PORT": str(parts.port or ""),
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
        "DISABLE_SERVER_SIDE_CURSORS": env("DATABASE_POOLED", "0") == "1",
        "OPTIONS": {**_PATIENCE, **_CONNECTION, **dict(parse_qsl(parts.query))},
        "TEST": {"NAME": _ENVIRONMENT.get("TEST_DATABASE_NAME")},
    }


def broker(url: str) -> tuple[str, str | None, dict[str, Any]]:
    """Return Celery's broker address, its transport when it is one of our own, and the transport's options.

    Without an address, it is pgmq on the database itself.
    """
    url = url or "pgmq:" + env("DATABASE_URL").partition(":")[2].partition("?")[0]
    scheme = url.partition(":")[0]
    if scheme == "pgmq":
        # The whole address again as conn_string: pgmq's client would otherwise prefer an exported DATABASE_URL.
        address = "postgresql" + url.removeprefix("pgmq")
        options = {
            "conn_string": f"{address}?{urlencode(_PATIENCE)}",
            "init_extension": False,
            "visibility_timeout": VISIBILITY_SECONDS,
            "wait_time_seconds": 0,
            "polling_interval": 0.02,
            "pool_size": 2,
            "pool_timeout": _PATIENCE["connect_timeout"],
        }
        return url, "totalizator.core.broker:Transport", options
    if scheme in ("redis", "rediss"):
        restore = {"unacked_restore_interval": 1, "unacked_restore_throttle": 1}
        return url, None, {"visibility_timeout": VISIBILITY_SECONDS, **restore}
    return url, None, {"confirm_publish": True} if scheme in ("amqp", "amqps") else {}
