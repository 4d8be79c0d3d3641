"""The processes of a worker, which begins anew when one of them is killed."""

import logging
import os
import signal
import sys
import time
from contextlib import suppress
from typing import Any

from billiard.pool import EX_RECYCLE, RUN, Pool
from celery.concurrency import prefork

logger = logging.getLogger(__name__)
PAUSE = 1.0
"""Seconds, so that processes which die as they start do not keep the machine busy."""


class SharedPool(Pool):
    """A pool whose processes take their tasks from one pipe, in turns, under one lock.

    Of those that wait for a task one holds the lock: when just that one is killed (by hand, by the kernel for want of
    memory, by Celery after a lost connection), the lock is never given back, and the others wait for ever. Who held it
    cannot be told. So the worker begins anew, under the same number and with the same words: what its other processes
    were at comes again after the visibility timeout, as every task must bear.
    """

    _state: int
    _pool: list[Any]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{**options, "on_process_down": self._process_down})

    def _process_cleanup_queues(self, worker: Any) -> None:
        """There is nothing to clean up: no process has a pipe of its own."""

    def _process_down(self, worker: Any) -> None:
        if self._state == RUN and worker.exitcode not in (os.EX_OK, EX_RECYCLE):
            logger.error("A process of the worker was killed (%s): the worker begins anew.", worker.exitcode)
            self._begin_anew()

    def _begin_anew(self) -> None:
        for other in list(self._pool):
            with suppress(ProcessLookupError):
                os.kill(other.pid, signal.SIGKILL)
        time.sleep(PAUSE)
        os.execv(sys.executable, sys.orig_argv)  # noqa: S606 the words that we were started with


class TaskPool(prefork.TaskPool):
    """Celery's own, with these processes where the broker's transport needs them: pgmq does."""

    BlockingPool = SharedPool
