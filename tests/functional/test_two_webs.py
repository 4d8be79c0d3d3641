"""Two web servers on one database, with nothing else in common but the keys: each serves what the other began."""

import http.client
import json
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

import pytest
from django.conf import settings

from deploy.local.prerequisites import free_port
from tests.functional.broker_servers import ROOT, running
from tests.functional.test_broker import database_url
from tests.making import make_player, make_pool

PASSWORD = "correct horse battery staple"
KEY = {"Idempotency-Key": "one-bet"}


@contextmanager
def web(metrics: Path, processes: int) -> Iterator[int]:
    """Run a web server, with nothing on its disk; yield its port."""
    port = free_port()
    server = ["--interface", "wsgi", "--host", "127.0.0.1", "--port", str(port), "--workers", str(processes)]
    command = [sys.executable, "-m", "granian", *server, "--blocking-threads", "2", "totalizator.wsgi:application"]
    with tempfile.TemporaryDirectory() as place:
        variables = {
            "DATABASE_URL": database_url(), "DATABASE_OWNER_URL": database_url(),
            "DJANGO_SETTINGS_MODULE": "tests.settings", "PROMETHEUS_MULTIPROC_DIR": str(metrics),
            "SECRET_KEY": settings.SECRET_KEY, "PYTHONPATH": str(ROOT),
        }  # fmt: skip
        with running(command, Path(place), variables, port):
            yield port


@dataclass
class Browser:
    """One person's browser; to which server it speaks is said each time."""

    cookies: dict[str, str] = field(default_factory=dict)

    def ask(
        self,
        port: int,
        path: str,
        form: Mapping[str, str] | None = None,
        *,
        body: str = "",
        told: Mapping[str, str] = {},
    ) -> tuple[int, str]:
        """Ask, and keep the cookies; return the status and the body."""
        link = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        sent = {**told, "Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        if form is not None:
            body, sent["Content-Type"] = urlencode(form), "application/x-www-form-urlencoded"
        link.request("POST" if body else "GET", path, body=body or None, headers=sent)
        answer = link.getresponse()
        for name, value in answer.getheaders():
            if name.lower() == "set-cookie":
                cookie, _, rest = value.partition(";")
                key, _, content = cookie.partition("=")
                self.cookies[key] = content
                if "max-age=0" in rest.lower():
                    del self.cookies[key]
        text = answer.read().decode()
        link.close()
        return answer.status, text

    def log_in(self, port: int, name: str, password: str) -> tuple[int, str]:
        """Send the log-in form, which another server showed."""
        form = {"login": name, "password": password, "csrfmiddlewaretoken": self.cookies["csrftoken"]}
        return self.ask(port, "/account/login/", form)

    def bet(self, port: int, pool: str) -> tuple[int, str]:
        """Send the one bet."""
        body = json.dumps({"selections": "1;X;2", "stake": "1.00"})
        told = {**KEY, "Content-Type": "application/json", "X-CSRFToken": self.cookies["csrftoken"]}
        status, text = self.ask(port, f"/api/v1/pools/{pool}/bets", body=body, told=told)
        return status, json.loads(text).get("ticket", text)


@pytest.mark.django_db(transaction=True)
def test_each_serves_what_the_other_began(tmp_path: Path) -> None:
    player, pool = make_player(1_000), make_pool()
    player.set_password(PASSWORD)
    player.save()
    with ExitStack() as servers:
        one, other = (servers.enter_context(web(tmp_path / "metrics", processes)) for processes in (2, 1))
        browser = Browser()
        assert browser.ask(one, "/account/login/")[0] == 200
        status, text = browser.log_in(other, player.username, PASSWORD)
        assert status == 302, text
        assert [browser.ask(port, "/my/")[0] for port in (one, other)] == [200, 200]
        answers = [browser.bet(port, pool.code) for port in (one, other, one)]
        assert [status for status, _ticket in answers] == [201, 200, 200]
        assert len({ticket for _status, ticket in answers}) == 1
        guess = Browser()
        guess.ask(one, "/account/login/")
        assert {guess.log_in(port, player.username, "wrong")[0] for port in (one, other, one, other, one)} == {200}
        assert [guess.log_in(port, player.username, PASSWORD)[0] for port in (one, other)] == [200, 200]
        browser.ask(other, "/account/logout/", {"csrfmiddlewaretoken": browser.cookies["csrftoken"]})
        assert [browser.ask(port, "/my/")[0] for port in (one, other)] == [302, 302]
        counted = [browser.ask(port, "/metrics")[1] for port in (one, other)]
    # Processes of one machine add up: whichever is asked has seen all that all of them counted.
    for text in counted:
        assert number(text, r'totalizator_bets_accepted_total\{channel="account"\}') == 1
        assert number(text, r'totalizator_requests_total\{method="POST",status="20[01]",view="api:bets"\}') >= 1


def number(text: str, sample: str) -> float:
    """Return the value of a sample, the sum of several."""
    return sum(float(value) for value in re.findall(rf"^{sample} (\S+)$", text, re.MULTILINE))
