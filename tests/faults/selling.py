"""Players who bet over HTTP and never give up: what gets no answer is asked again with the same key."""

import http.client
import json
import time
from dataclasses import dataclass, field

CSRF = "t" * 32


@dataclass
class StubbornPlayer:
    """A logged-in player; `tickets` has what each idempotency key was answered with, every time."""

    port: int
    pool: str
    session: str
    name: str
    tickets: dict[str, list[str]] = field(default_factory=dict)
    unclear: list[str] = field(default_factory=list)

    def bet(self, key: str, *, until: float) -> None:
        """Ask until the bet stands; note every answer that was neither a ticket nor a clear refusal."""
        while time.monotonic() < until:
            ticket = self._ask(key)
            if ticket is not None:
                self.tickets.setdefault(key, []).append(ticket)
                return
            time.sleep(0.1)
        raise AssertionError(f"no ticket for {key} in time")

    def _ask(self, key: str) -> str | None:
        try:
            link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
            link.request(
                "POST",
                f"/api/v1/pools/{self.pool}/bets",
                body=json.dumps({"selections": "1;X;2", "stake": "1.00"}),
                headers={
                    "Content-Type": "application/json",
                    "Idempotency-Key": key,
                    "Cookie": f"sessionid={self.session}; csrftoken={CSRF}",
                    "X-CSRFToken": CSRF,
                },
            )
            answer = link.getresponse()
            body = answer.read()
            link.close()
        except (OSError, http.client.HTTPException):
            return None  # the connection broke: whether the bet stands is not known, so the same key is asked again
        if answer.status in (200, 201):
            return str(json.loads(body)["ticket"])
        if answer.status != 503:
            self.unclear.append(f"{answer.status} {body[:300]!r}")
        return None
