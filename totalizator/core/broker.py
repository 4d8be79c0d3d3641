"""pgmq as Celery's transport, on which a worker goes on after acknowledgements that did not get through."""

from typing import Any

import psycopg
from kombu.transport import pgmq


class Channel(pgmq.Channel):
    """A channel that does not wait for ever for what it could not acknowledge.

    A worker takes only so many messages as it has acknowledged. One whose acknowledgement is lost with the connection
    comes again after the visibility timeout, as every task must bear: it must not count as being worked at until then,
    or after two of them the worker takes nothing any more, and says nothing.
    """

    def basic_ack(self, delivery_tag: str, multiple: bool = False) -> None:
        """Acknowledge a message. :raises psycopg.Error: when the database did not hear it."""
        try:
            super().basic_ack(delivery_tag, multiple)  # type: ignore[no-untyped-call]
        except psycopg.Error:
            self._forget(delivery_tag)
            raise

    def basic_reject(self, delivery_tag: str, requeue: bool = False) -> None:
        """Give a message back. :raises psycopg.Error: when the database did not hear it."""
        try:
            super().basic_reject(delivery_tag, requeue)  # type: ignore[no-untyped-call]
        except psycopg.Error:
            self._forget(delivery_tag)
            raise

    def _forget(self, delivery_tag: str) -> None:
        self.qos.ack(delivery_tag)  # in this channel's own count only


class Transport(pgmq.Transport):
    """The transport of these channels."""

    Channel: Any = Channel

    def establish_connection(self) -> Any:
        """Connect, or leave nothing open. :raises psycopg.Error: when the database has not what the queues need."""
        try:
            return super().establish_connection()  # type: ignore[no-untyped-call]
        except psycopg.Error:
            self.close_connection(None)
            raise
