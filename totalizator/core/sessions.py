"""Sessions that could not be written because the database is away, told from those that somebody has ended."""

from django.contrib.sessions.exceptions import SessionInterrupted
from django.contrib.sessions.middleware import SessionMiddleware as DjangosOwn
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse


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
