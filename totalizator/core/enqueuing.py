"""Sending a task once what it is about is committed (C52). A lost message only delays: tasks find work by state."""

from functools import cache

from celery import Celery
from django.db import transaction


@cache
def sender() -> Celery:
    """Return a Celery application that only sends: the one with the tasks stands floors above."""
    sender = Celery("totalizator", set_as_current=False)
    sender.config_from_object("django.conf:settings", namespace="CELERY")
    return sender


def enqueue_after_commit(task: str, *arguments: str, expires: int | None = None) -> None:
    """Send the task named `task` when the running transaction commits, and not at all if it is rolled back.

    `expires`: seconds after which it is dropped if nobody has begun it.

    A broker that cannot be reached is logged and fails nothing: the clock's tick will find the same work.
    """
    transaction.on_commit(lambda: sender().send_task(task, arguments, expires=expires), robust=True)
