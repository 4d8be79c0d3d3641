"""How the schema tells of the ways in; imported with the addresses, since the generator looks for such classes."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema

from accounts.api.authentication import KEY, NONCE, SIGNATURE, TIME, BearerToken, TerminalSignature


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """Tell the schema of tokens."""

    target_class = BearerToken
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:  # noqa: ARG002
        """Return the scheme."""
        return {"type": "http", "scheme": "bearer", "description": "A token made at /my/tokens/."}


class SignatureScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """Tell the schema of the four headers of a signed request."""

    target_class = TerminalSignature
    name = ["signature_key", "signature_time", "signature_nonce", "signature"]

    def get_security_definition(self, auto_schema: AutoSchema) -> list[dict[str, Any]]:  # noqa: ARG002
        """Return a scheme for each header; all four are needed."""
        meanings = {
            KEY: "The key's id, as it was given out with the terminal.",
            TIME: "ISO 8601 with zone, within a minute of the server's.",
            NONCE: "16 to 64 characters, new for each request.",
            SIGNATURE: "Hex, over method, path with query, time, nonce and the body's digest: docs/api.md.",
        }
        return [
            {"type": "apiKey", "in": "header", "name": name, "description": meaning}
            for name, meaning in meanings.items()
        ]
