"""A Celery application with the product's own settings and tasks that leave traces, for the tests of the brokers."""

import os
import time
from pathlib import Path
from typing import Any

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "totalizator.settings")

app = Celery("broker_app")
app.config_from_object("django.conf:settings", namespace="CELERY")
if "visibility_timeout" in app.conf.broker_transport_options:
    app.conf.broker_transport_options = {**app.conf.broker_transport_options, "visibility_timeout": 3}


def first_time(folder: str, name: str) -> bool:
    """Note that a task began, and tell whether it never had before."""
    begun = Path(folder) / f"{name}.begun"
    first = not begun.exists()
    with begun.open("a", encoding="utf-8") as notes:
        notes.write(f"{os.getpid()}\n")
    return first


@app.task(name="tests.trace")
def trace(folder: str, name: str, first_run_takes: float) -> None:
    """Note that the task began and ended; the first run takes so many seconds, the later ones none."""
    from totalizator.core.watching.context import about

    if first_time(folder, name):
        time.sleep(first_run_takes)
    (Path(folder) / f"{name}.ended").write_text(about().get("request", ""), encoding="utf-8")


@app.task(name="tests.send")
def send(folder: str, name: str) -> None:
    """Send another task from within a worker."""
    trace.delay(folder, name, 0)


@app.task(name="tests.act", bind=True)
def act(_task: Any, folder: str, name: str, first_run_takes: float) -> None:
    """Do something that must be done once, in one transaction, as the product's acts do: a row of the journal."""
    from totalizator.core import clock
    from totalizator.core.idempotency import do_once, fingerprint_of
    from totalizator.core.journal import write_journal

    takes = first_run_takes if first_time(folder, name) else 0.0

    def done() -> None:
        write_journal(at=clock.now(), actor="task:tests", act="tests_act", subject=name)
        time.sleep(takes)

    do_once(scope="tests", key=name, fingerprint=fingerprint_of("tests_act", name), answer="done", act=done)
    (Path(folder) / f"{name}.ended").touch()
