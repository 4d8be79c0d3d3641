"""A subscriber on 127.0.0.1 that takes events as docs/events.md says, behind a line that can be told to be bad."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from threading import Lock
from time import sleep
from typing import Any

from tests.fakes.serving import JsonHandler, serving
from totalizator.core.outbox_sending import SIGNATURE_HEADER, TIME_HEADER, signature

DROPPED, LOST, BROKEN, REPEATED, LATE, HELD = "dropped", "lost", "broken", "repeated", "late", "held"
"""What the line does to a message: loses it, loses the answer to it, answers 500 itself, brings it twice, brings the
answer after a while, or brings the message only after the next one."""


@dataclass
class FakeReceiver:
    """What it applied, each event once by its number, and what the line is going to do to the next messages."""

    url: str = ""
    secret: str = ""
    applied: int = 0
    events: list[dict[str, Any]] = field(default_factory=list)
    weather: list[str] = field(default_factory=list)
    calls: int = 0
    refused: list[int] = field(default_factory=list)
    wrong_by: int = 0
    _held: list[bytes] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)

    @property
    def sequences(self) -> list[int]:
        return [event["sequence"] for event in self.events]

    def take(self, body: bytes) -> tuple[int, dict[str, Any]]:
        """Deal with one message that came: apply what is new, in order, or say where it stands."""
        message = json.loads(body)
        with self._lock:
            if message["message"] == "totals":
                return 200, self.totals(message["day"])
            if message["after"] > self.applied:
                self.refused.append(message["after"])
                return 409, {"after": self.applied}
            for event in message["events"]:
                if event["sequence"] > self.applied:
                    self.events.append(event)
                    self.applied = event["sequence"]
            self.applied = max(self.applied, message["through"])
            return 200, {"after": self.applied}

    def totals(self, day: str) -> dict[str, Any]:
        """Sum up a day by what was applied; days are Minsk's, three hours before UTC."""
        sums: dict[str, Counter[str]] = {}
        running = sha256()
        for event in self.events:
            if _day_of(event["at"]) == day:
                kind = sums.setdefault(event["kind"], Counter())
                kind.update(events=1, count=event["payload"].get("count", 0), amount=event["payload"].get("amount", 0))
                running.update(event["chain"].encode())
        if self.wrong_by:
            sums.setdefault("bets.registered", Counter(events=0, count=0))["amount"] += self.wrong_by
        return {"totals": {kind: dict(each) for kind, each in sums.items()}, "digest": f"sha256:{running.hexdigest()}"}

    def deal_with(self, body: bytes) -> tuple[int, dict[str, Any]] | None:
        """Bring a message over the line; None when the line brings no answer back."""
        self.calls += 1
        what = self.weather.pop(0) if self.weather else ""
        if what == DROPPED:
            return None
        if what == BROKEN:
            return 500, {"error": "out of order"}
        if what == HELD:
            self._held.append(body)
            return None
        answer = self.take(body)
        for old in self._held:
            self.take(old)
        self._held.clear()
        if what == REPEATED:
            answer = self.take(body)
        if what == LATE:
            sleep(0.3)
        return None if what == LOST else answer


def _day_of(at: str) -> str:
    """The day in Minsk of an instant in UTC."""
    return (datetime.fromisoformat(at) + timedelta(hours=3)).date().isoformat()


@contextmanager
def running() -> Iterator[FakeReceiver]:
    """Run one as a real HTTP server for the block."""
    receiver = FakeReceiver()

    class Handler(JsonHandler):
        def do_POST(self) -> None:  # noqa: N802
            body = self.body()
            wanted = signature(receiver.secret, self.headers[TIME_HEADER], body)
            if self.headers[SIGNATURE_HEADER] != wanted:
                return self.say(403, {"error": "wrong signature"})
            answer = receiver.deal_with(body)
            if answer is not None:
                self.say(*answer)
            return None

    with serving(Handler) as address:
        receiver.url = f"{address}/events"
        yield receiver
