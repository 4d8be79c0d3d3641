"""Whether the broker answers, and how many tasks wait in its queue."""

from typing import Any

import psycopg
from celery.exceptions import OperationalError
from django.conf import settings

from totalizator.core.enqueuing import sender

WAIT_SECONDS = 2.0


class BrokerAway(Exception):
    """The broker does not answer, or only that it cannot."""


def waiting_messages() -> int:
    """Return how many tasks wait, 0 where there is no queue yet.

    :raises BrokerAway: when it does not answer in two seconds, or has lost what it needs in its database.
    """
    options = {**settings.CELERY_BROKER_TRANSPORT_OPTIONS, "socket_connect_timeout": WAIT_SECONDS}
    app = sender()
    link: Any = app.connection_for_read(connect_timeout=WAIT_SECONDS, transport_options=options)
    try:
        link.ensure_connection(max_retries=1, interval_start=0, timeout=WAIT_SECONDS)
        channel = link.channel()
        try:
            return int(channel.queue_declare(queue=settings.CELERY_TASK_DEFAULT_QUEUE, passive=True).message_count)
        except link.channel_errors:
            return 0
    except (OSError, OperationalError, psycopg.Error, *link.connection_errors) as fault:
        raise BrokerAway(type(fault).__name__) from fault
    finally:
        link.release()
