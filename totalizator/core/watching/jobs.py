"""What runs by itself: each job notes in the database that it ran, so that any process can tell whether jobs run.

A job carries on the number of the request that asked for it.
"""

import logging
import os
from time import perf_counter
from typing import Any

from celery import signals
from django.db import connection
from prometheus_client import start_http_server

from totalizator.core.watching.context import about, begin, end
from totalizator.core.watching.metrics import FOLDER, counted_here

logger = logging.getLogger(__name__)
REQUEST = "totalizator_request"
"""The header of a message that has the number of the request."""
_NOTE = """
INSERT INTO core_jobrun AS run (name, runs, failures, succeeded_at, failed_at, took)
VALUES (%(name)s, 1, %(failed)s, CASE %(failed)s WHEN 0 THEN clock_timestamp() END,
        CASE %(failed)s WHEN 1 THEN clock_timestamp() END, make_interval(secs => %(seconds)s))
ON CONFLICT (name) DO UPDATE SET runs = run.runs + 1, failures = run.failures + EXCLUDED.failures,
    succeeded_at = coalesce(EXCLUDED.succeeded_at, run.succeeded_at),
    failed_at = coalesce(EXCLUDED.failed_at, run.failed_at), took = EXCLUDED.took
"""
_running: dict[str, tuple[Any, float]] = {}


def note_run(name: str, *, failed: bool, seconds: float) -> None:
    """Note that a job ran, by the database's own clock, which no demonstration moves."""
    with connection.cursor() as cursor:
        cursor.execute(_NOTE, {"name": name, "failed": int(failed), "seconds": seconds})


@signals.before_task_publish.connect(weak=False)
def _hand_on(headers: dict[str, Any] | None = None, **_told: Any) -> None:
    if headers is not None and "request" in about():
        headers[REQUEST] = about()["request"]


@signals.task_prerun.connect(weak=False)
def _began(task_id: str, task: Any, **_told: Any) -> None:
    known = {"job": str(task.name), "task": task_id}
    request = task.request.get(REQUEST) or (task.request.headers or {}).get(REQUEST)
    if request:
        known["request"] = str(request)
    _running[task_id] = begin(**known), perf_counter()


@signals.task_postrun.connect(weak=False)
def _ended(task_id: str, task: Any, state: str | None = None, **_told: Any) -> None:
    token, began = _running.pop(task_id, (None, perf_counter()))
    try:
        note_run(str(task.name), failed=state != "SUCCESS", seconds=perf_counter() - began)
    finally:
        if token is not None:
            end(token)


@signals.setup_logging.connect(weak=False)
def _keep_logging_as_it_is(**_told: Any) -> None:
    """Let the settings say what is logged and how: Celery changes nothing where somebody answers this."""


@signals.worker_ready.connect(weak=False)
def _serve_metrics(**_told: Any) -> None:
    """Show what a machine's workers count at METRICS_ADDRESS (`127.0.0.1:9101`), where no web process shows it."""
    host, _, port = os.environ.get("METRICS_ADDRESS", "").rpartition(":")
    if not port:
        return
    if not FOLDER:
        logger.warning("METRICS_ADDRESS without PROMETHEUS_MULTIPROC_DIR: what the workers' processes count is lost.")
    start_http_server(int(port), addr=host or "127.0.0.1", registry=counted_here())
