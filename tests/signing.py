"""Signing requests as a terminal does: by the words of docs/api.md, not by the server's code."""

import hmac
import secrets
from collections.abc import Callable, Iterable
from hashlib import sha256
from io import BytesIO
from typing import Any
from urllib.parse import quote

from accounts.services.terminals import NewKey
from totalizator.core import clock

Headers = dict[str, str]
Wsgi = Callable[[dict[str, Any], Any], Iterable[bytes]]


def signed_headers(made: NewKey, method: str, path: str, body: bytes, **changed: str) -> Headers:
    """The four headers of a request; `changed` replaces time or nonce."""
    time, nonce = changed.get("time", clock.now().isoformat()), changed.get("nonce", secrets.token_hex(16))
    text = "\n".join(["TOTALIZATOR-1", time, nonce, method, path, sha256(body).hexdigest()])
    assert made.secret is not None
    signature = hmac.new(bytes.fromhex(made.secret), text.encode(), sha256).hexdigest()
    return {
        "Totalizator-Key": made.terminal.key_id,
        "Totalizator-Time": time,
        "Totalizator-Nonce": nonce,
        "Totalizator-Signature": signature,
    }


def signing(application: Wsgi, made: NewKey) -> Wsgi:
    """The application behind a proxy that signs every request for a terminal."""

    def signed(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        environ["wsgi.input"] = BytesIO(body)
        query = environ.get("QUERY_STRING", "")
        path = quote(environ["PATH_INFO"].encode("latin-1")) + (f"?{query}" if query else "")
        for name, value in signed_headers(made, environ["REQUEST_METHOD"], path, body).items():
            environ[f"HTTP_{name.upper().replace('-', '_')}"] = value
        return application(environ, start_response)

    return signed
