"""Who asks, over the API: a terminal by its signature, a program by its owner's token, a browser by its session."""

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import RequestDataTooBig
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from accounts.models import ApiToken, Terminal, User
from accounts.services.api_tokens import token_of
from accounts.services.signed_requests import verify_signed_request
from totalizator.core.api.strict_json import BodyTooLarge
from totalizator.core.problem import WAYS_IN

HEADERS = KEY, TIME, NONCE, SIGNATURE = (
    "Totalizator-Key",
    "Totalizator-Time",
    "Totalizator-Nonce",
    "Totalizator-Signature",
)
"""The headers of a signed request (docs/api.md)."""


class TerminalSignature(BaseAuthentication):
    """A terminal signs each request anew; what it does is done in the shift of the cashier at its till."""

    def authenticate(self, request: Request) -> tuple[User | AnonymousUser, Terminal] | None:
        """Return the till's cashier and the terminal; None for a request that does not say it is signed.

        :raises DomainError: REQUEST_NOT_SIGNED, SWITCHED_OFF.
        """
        if KEY not in request.headers:
            return None
        key_id, time, nonce, signature = (_plain(request.headers.get(name, "")) for name in HEADERS)
        try:
            body = request._request.body
        except RequestDataTooBig as fault:
            raise BodyTooLarge from fault
        terminal = verify_signed_request(
            key_id=key_id,
            time=time,
            nonce=nonce,
            method=request.method or "",
            path=request.get_full_path(),
            body=body,
            signature=signature,
        )
        return terminal.till.cashier or AnonymousUser(), terminal

    def authenticate_header(self, request: Request) -> str:  # noqa: ARG002
        """Name the ways in."""
        return WAYS_IN


class BearerToken(BaseAuthentication):
    """`Authorization: Bearer tot_…`: acts as the token's owner."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        """Return the owner and the token; None for a request without one.

        :raises AuthenticationFailed: for a token that is not in force.
        """
        scheme, _space, text = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            return None
        token = token_of(text.strip())
        if token is None:
            raise AuthenticationFailed
        return token.user, token

    def authenticate_header(self, request: Request) -> str:  # noqa: ARG002
        """Name the ways in."""
        return WAYS_IN


def _plain(value: str) -> str:
    """Return a header's value, or nothing for one with characters that no client of ours writes."""
    return value if value.isascii() and value.isprintable() else ""
