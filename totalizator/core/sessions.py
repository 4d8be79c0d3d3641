"""Sessions: read by a prepared statement; and those that could not be written, told from those somebody has ended."""

from typing import Any

from django.contrib.sessions.backends.db import SessionStore as DjangosStore
from django.contrib.sessions.exceptions import SessionInterrupted
from django.contrib.sessions.middleware import SessionMiddleware as DjangosOwn
from django.db import InterfaceError, OperationalError
from django.db.models.functions import Now
from django.http import HttpRequest, HttpResponse

from totalizator.core.prepared_rows import PreparedRow

_IN_FORCE = PreparedRow(lambda: DjangosStore.get_model_class().objects.filter(expire_date__gt=Now()), by="session_key")


class SessionStore(DjangosStore):
    """Django's own, which every request reads, and so by a statement that stays prepared.

    Its name is in the signature of what a session holds (`key_salt`): by another, nobody would be logged in any more.
    """

    def load(self) -> dict[str, Any]:
        """Return what the session holds; nothing, and no key, of one that has ended or never was."""
        found = _IN_FORCE.read(self.session_key)
        if found is None:
            self._session_key = None
            return {}
        return self.decode(found.session_data)


class SessionMiddleware(DjangosOwn):
    """Django's own, but for one thing: it takes every fault of the database for a log-out in another window.

    Whoever asked would be told that the request was bad, and not to try again, though what was asked for may be done.
    """

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """Write the session. :raises OperationalError, InterfaceError: when the database is away (then it is a 503)."""
        try:
            return super().process_response(request, response)
        except SessionInterrupted as interrupted:
            not_updated = interrupted.__context__
            fault = not_updated.__context__ if not_updated is not None else None
            if isinstance(fault, OperationalError | InterfaceError):
                raise fault from interrupted
            raise
