"""The site on the database of a drill: web processes with an address that names every server."""

import re
import secrets
import sys
import time
import urllib.error
import urllib.request

from deploy.local.database import APPLICATION, DATABASE
from deploy.local.prerequisites import free_port
from tests.drills.ground import ROOT, Ground
from tests.drills.nodes import Nodes
from tests.faults.selling import StubbornPlayer

READY_SECONDS = 60
HAPROXY_FILE = ROOT / "deploy" / "database" / "haproxy.cfg"
SERVER_LINE = re.compile(r"server db\d [\d.]+:5432 check port 8008")


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
    ground.spawn(f"web-{port}", command, variables(database_url))
    return port


def start_haproxy(nodes: Nodes) -> str:
    """Start HAProxy on the production's file with the drill's addresses; return the address of a database behind it."""
    text, primary = HAPROXY_FILE.read_text(encoding="utf-8"), free_port()
    text = text.replace("bind 127.0.0.1:5432", f"bind 127.0.0.1:{primary}")
    text = text.replace("bind 127.0.0.1:5433", f"bind 127.0.0.1:{free_port()}")
    for line in {found.group() for found in SERVER_LINE.finditer(text)}:
        node = next(node for node in nodes.all if node.name == line.split()[1])
        text = text.replace(line, f"server {node.name} 127.0.0.1:{node.port} check port {node.rest}")
    path = nodes.ground.folder / "haproxy.cfg"
    path.write_text(text, encoding="utf-8")
    nodes.ground.spawn("haproxy", ["haproxy", "-db", "-f", str(path)])
    return f"postgresql://{APPLICATION}:{nodes.ground.password}@127.0.0.1:{primary}/{DATABASE}"


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
                raise RuntimeError(f"The site does not come up: {ground.log(f'web-{port}')[-2_000:]}") from None
            time.sleep(0.1)
        else:
            return


def stubborn(port: int, scene: dict[str, object]) -> list[StubbornPlayer]:
    """Return the players of a prepared pool, each with a session of the own."""
    people = scene["players"]
    assert isinstance(people, list)
    return [StubbornPlayer(port, str(scene["pool"]), one["session"], one["name"]) for one in people]
