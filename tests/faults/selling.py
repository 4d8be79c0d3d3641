"""Players who bet over HTTP and never give up, and a visitor who looks on; both note every unclear answer."""

import http.client
import json
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

CSRF = "t" * 32
PROBLEM = "application/problem+json"


@dataclass
class Answers:
    """What came back: how often which status or none at all, and whatever was no clear answer."""

    counted: Counter[str] = field(default_factory=Counter)
    unclear: list[str] = field(default_factory=list)

    def note(self, status: int, headers: http.client.HTTPMessage, body: bytes, *, of_api: bool) -> None:
        """Count an answer; a refusal says so as a problem or a page, and "try again" says when."""
        self.counted[str(status)] += 1
        told = f"{status} {headers.get('Content-Type')} {headers.get('Retry-After')} {body[:300]!r}"
        kind_is_right = not of_api or status < 400 or headers.get_content_type() == PROBLEM
        says_when = status != 503 or headers.get("Retry-After") is not None
        if (status >= 500 and status != 503) or not kind_is_right or not says_when or b"Traceback" in body:
            self.unclear.append(told)


@dataclass
class StubbornPlayer:
    """A logged-in player; `tickets` has what each idempotency key was answered with, every time."""

    port: int
    pool: str
    session: str
    name: str
    log_in: Callable[[str], str] | None = None
    """Gives a new session for a name: a clock that jumps ends log-ins that seem idle, and people log in again."""
    tickets: dict[str, list[str]] = field(default_factory=dict)
    answers: Answers = field(default_factory=Answers)
    replayed: int = 0
    """Tickets given for a key that had been asked for before, without an answer that arrived."""

    @property
    def unclear(self) -> list[str]:
        """Every answer that was neither a ticket nor a clear refusal."""
        return self.answers.unclear

    def bet(self, key: str, *, until: float, selections: str = "1;X;2") -> None:
        """Ask until the bet stands; what gets no answer is asked again with the same key."""
        while time.monotonic() < until:
            ticket = self._ask(key, selections)
            if ticket is not None:
                self.tickets.setdefault(key, []).append(ticket)
                return
            time.sleep(0.1)
        raise AssertionError(f"stuck: no ticket for {key} in time; {self.answers.counted}")

    def _ask(self, key: str, selections: str) -> str | None:
        try:
            link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
            link.request(
                "POST",
                f"/api/v1/pools/{self.pool}/bets",
                body=json.dumps({"selections": selections, "stake": "1.00"}),
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
            self.answers.counted["no answer"] += (
                1  # whether the bet stands is not known, so the same key is asked again
            )
            return None
        self.answers.note(answer.status, answer.headers, body, of_api=True)
        if answer.status == 401 and self.log_in is not None:
            self.session = self.log_in(self.name)
        if answer.status not in (200, 201):
            return None
        self.replayed += answer.status == 200
        return str(json.loads(body)["ticket"])


@dataclass
class Visitor:
    """Looks at pages, one after the other, until the day is over."""

    port: int
    pool: str
    answers: Answers = field(default_factory=Answers)
    is_over: bool = False

    def look_around(self, chance: random.Random) -> None:
        """Ask for pages and for the API's documents of the pool."""
        pages = ("/", f"/pools/{self.pool}/", f"/api/v1/pools/{self.pool}", "/results/", "/status/", "/log/")
        while not self.is_over:
            address = chance.choice(pages)
            try:
                link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
                link.request("GET", address)
                answer = link.getresponse()
                self.answers.note(answer.status, answer.headers, answer.read(), of_api=address.startswith("/api/"))
                link.close()
            except (OSError, http.client.HTTPException):
                self.answers.counted["no answer"] += 1
            time.sleep(0.3)
