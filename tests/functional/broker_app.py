"""A Celery application with the product's own settings and two tasks that leave traces, for the tests of the broker."""

import os
import time
from pathlib import Path

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "totalizator.settings")

app = Celery("broker_app")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.broker_transport_options = {**app.conf.broker_transport_options, "visibility_timeout": 3}


@app.task(name="tests.trace")
def trace(folder: str, name: str, first_run_takes: float) -> None:
    """Note that the task began and ended; the first run takes so many seconds, the later ones none."""
    begun = Path(folder) / f"{name}.begun"
    first = not begun.exists()
    with begun.open("a", encoding="utf-8") as notes:
        notes.write(f"{os.getpid()}\n")
    if first:
        time.sleep(first_run_takes)
    (Path(folder) / f"{name}.ended").touch()


@app.task(name="tests.send")
def send(folder: str, name: str) -> None:
    """Send another task from within a worker."""
    trace.delay(folder, name, 0)
