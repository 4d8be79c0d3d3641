"""Connections that are kept from request to request, and looked at before each."""

import select
from time import monotonic

from django.db.backends.postgresql import base

ASKED_AGAIN_AFTER = 1.0
"""Seconds after which a connection that nobody used is asked with a statement whether it still works."""


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's own. It asks `SELECT 1` before every request; here only of a connection that has lain idle, or stirs."""

    health_check_done: bool  # Django's, which its stubs do not know
    _worked_at = float("-inf")

    def close_if_unusable_or_obsolete(self) -> None:
        """Note between requests that the connection worked to the last, then do as Django does."""
        if self.health_check_done and not self.errors_occurred:
            self._worked_at = monotonic()
        super().close_if_unusable_or_obsolete()

    def is_usable(self) -> bool:
        """Tell whether the connection works: it did a moment ago and is silent, or it answers.

        A server that shuts down or breaks a connection says so on it, and then it is not silent.
        """
        lately = monotonic() - self._worked_at < ASKED_AGAIN_AFTER
        if lately and self.connection is not None and not self.errors_occurred and _is_silent(self.connection.fileno()):
            return True
        return bool(super().is_usable())

    def connect(self) -> None:
        """Connect; of what came before it nothing is known."""
        self._worked_at = float("-inf")
        super().connect()


def _is_silent(socket: int) -> bool:
    """Tell whether nothing waits to be read, neither words of the server nor its end."""
    watched = select.poll()
    watched.register(socket, select.POLLIN)
    return not watched.poll(0)
