"""The site on the database of a drill: web processes with an address that names every server."""

import secrets
import sys
import time
import urllib.error
import urllib.request

from deploy.local.prerequisites import free_port
from tests.drills.ground import Ground
from tests.faults.selling import StubbornPlayer

READY_SECONDS = 60


def variables(database_url: str) -> dict[str, str]:
    """Return the environment in which the site and its commands work on a database; keys made for the drill."""
    return {
        "DJANGO_SETTINGS_MODULE": "totalizator.settings", "TOTALIZATOR_ENV": "local", "DATABASE_URL": database_url,
        "SECRET_KEY": _KEYS[0], "TICKET_KEY": _KEYS[1], "OPERATOR_KEY": _KEYS[2], "CELERY_BROKER_URL": "memory://",
    }  # fmt: skip


_KEYS = secrets.token_urlsafe(48), secrets.token_hex(32), secrets.token_hex(32)


def start_web(ground: Ground, database_url: str) -> int:
    """Start the web server and return its port; it may not answer yet."""
    port = free_port()
    command = [sys.executable, "-m", "granian", "--interface", "wsgi", "--host", "127.0.0.1", "--port", str(port)]
    command += ["--workers", "2", "--blocking-threads", "4", "totalizator.wsgi:application"]
    ground.spawn("web", command, **variables(database_url))
    return port


def wait_for_web(ground: Ground, port: int) -> None:
    """Wait until the site answers. :raises RuntimeError: with its log when it does not."""
    deadline = time.monotonic() + READY_SECONDS
    while True:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/status", timeout=5).close()
        except urllib.error.HTTPError:
            return
        except OSError:
            if time.monotonic() > deadline:
                raise RuntimeError(f"The site does not come up: {ground.log('web')[-2_000:]}") from None
            time.sleep(0.1)
        else:
            return


def stubborn(port: int, scene: dict[str, object]) -> list[StubbornPlayer]:
    """Return the players of a prepared pool, each with a session of the own."""
    people = scene["players"]
    assert isinstance(people, list)
    return [StubbornPlayer(port, str(scene["pool"]), one["session"], one["name"]) for one in people]
