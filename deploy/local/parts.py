"""The parts of the running system: worker, beat and web."""

import os
import shutil
import time
import urllib.error
import urllib.request
from pathlib import Path

from deploy.local import processes
from deploy.local.checkout import Checkout, last_line
from deploy.local.prerequisites import check_port
from deploy.local.refusal import Refusal

CELERY = ("-m", "celery", "--app", "totalizator.celery")
PARTS = ("worker", "beat", "web")
READY_SECONDS = 30


def web_port() -> int:
    """Return the port of the site: PORT, or 8000. :raises Refusal: when PORT is no port."""
    wanted = os.environ.get("PORT") or "8000"
    if not wanted.isascii() or not wanted.isdigit() or not 0 < int(wanted) < 65536:
        raise Refusal(f"PORT must be a number from 1 to 65535, not {wanted!r}.")
    return int(wanted)


def web_address() -> str:
    """Return the address of the site."""
    return f"http://127.0.0.1:{web_port()}"


def start_parts(checkout: Checkout, database: str) -> None:
    """Start every part anew, with the code and the settings of now. :raises Refusal: when one does not come up."""
    for part in PARTS:
        processes.stop(checkout, part)
    check_port(web_port())
    counted = checkout.local / "metrics"  # what the processes of last time counted is theirs
    shutil.rmtree(counted, ignore_errors=True)
    environment = {"DATABASE_URL": database, "PROMETHEUS_MULTIPROC_DIR": str(counted)}
    started = {
        part: processes.spawn(checkout, part, [str(checkout.python), *command], environment)
        for part, command in commands(web_port(), checkout.local / "beat").items()
    }
    deadline = time.monotonic() + READY_SECONDS
    while not _answers(web_address()):
        for part, process in started.items():
            if process.poll() is not None or time.monotonic() > deadline:
                log = checkout.log(part)
                raise Refusal(f"The {part} does not come up ({last_line(log)}); see {log}.")
        time.sleep(0.1)


def commands(port: int, schedule: Path) -> dict[str, list[str]]:
    """Return the words after `python` that start each part; `schedule` is the file in which beat keeps its place."""
    quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    web = ["--interface", "wsgi", "--host", "127.0.0.1", "--port", str(port), "--workers", "2"]
    return {
        "worker": [*CELERY, "worker", "--loglevel", "INFO", "--concurrency", "2", *quiet],
        "beat": [*CELERY, "beat", "--loglevel", "INFO", "--schedule", str(schedule)],
        "web": ["-m", "granian", *web, "--blocking-threads", "8", "totalizator.wsgi:application"],
    }


def _answers(address: str) -> bool:
    """Tell whether the site answers at all, be it with an error page."""
    try:
        with urllib.request.urlopen(address, timeout=5):  # noqa: S310 - our own address
            return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
