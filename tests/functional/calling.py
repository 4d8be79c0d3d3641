"""Calling the API: by session, by token, or by a terminal's signature."""

import json
from itertools import count
from typing import Any

from django.test import Client

from accounts.models import Role, User
from accounts.services.api_tokens import create_token
from accounts.services.terminals import NewKey
from tests.signing import signed_headers

JSON = "application/json"
_number = count(1)


class Caller:
    """Somebody who calls `/api/v1/`: a person by a token, staff by a session, a terminal signed, or nobody."""

    def __init__(self, who: User | NewKey | None = None) -> None:
        self.client = Client(headers={"accept-language": "en"})
        self.terminal = who if isinstance(who, NewKey) else None
        self.token = ""
        if isinstance(who, User) and who.role in (Role.PLAYER, Role.CASHIER):
            self.token = create_token(user=who, name="a test").text
        elif isinstance(who, User):
            self.client.force_login(who)

    def get(self, path: str, **headers: str) -> Any:
        """The answer to a GET."""
        return self._send("GET", path, b"", headers)

    def post(self, path: str, body: Any = None, *, key: str | None = "", **headers: str) -> Any:
        """The answer to a POST; `key` None leaves the idempotency key out, an empty one is a new one."""
        if key is not None:
            headers["Idempotency-Key"] = key or f"key-{next(_number)}"
        return self._send("POST", path, b"" if body is None else json.dumps(body).encode(), headers)

    def put(self, path: str, body: Any) -> Any:
        """The answer to a PUT."""
        return self._send("PUT", path, json.dumps(body).encode(), {})

    def _send(self, method: str, path: str, body: bytes, headers: dict[str, str]) -> Any:
        path = f"/api/v1/{path}"
        if self.token:
            headers = headers | {"Authorization": f"Bearer {self.token}"}
        if self.terminal is not None:
            headers = signed_headers(self.terminal, method, path, body) | headers
        content_type = headers.pop("content_type", JSON)
        return self.client.generic(method, path, body, content_type=content_type, headers=headers)


def told(answer: Any) -> tuple[int, str]:
    """The status and the code of a refusal."""
    return answer.status_code, answer.json()["code"]
