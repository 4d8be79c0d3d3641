"""Where we call, and where we do not, whatever a name leads to; and a feed that is fetched (U1, U2)."""

import json
import socket
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from pools.models import FeedFormat, ResultEntry, ResultProposal
from pools.services.result_feeds import add_feed, propose_by_fetching, told_by
from tests.making import make_organizers, make_pool
from tests.refusals import refused
from totalizator.core.errors import Refusal
from totalizator.core.outbox_addresses import AddressRefused, resolve
from totalizator.core.outbox_sending import Answer, NotSent, fetch


@pytest.fixture
def pages() -> Iterator[tuple[str, dict[str, tuple[int, bytes]]]]:
    """A web server on 127.0.0.1, and what it answers by path."""
    answers: dict[str, tuple[int, bytes]] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = answers.get(self.path, (404, b""))
            self.send_response(status)
            if status == 302:
                self.send_header("Location", body.decode())
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://localhost:{server.server_port}", answers
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=5)


def names_lead_to(*numbers: str) -> Any:
    return lambda *_args, **_kwargs: [(0, 0, 0, "", (number, 443)) for number in numbers]


@pytest.mark.parametrize(
    "numbers", [("10.0.0.1",), ("93.184.216.34", "127.0.0.1"), ("::1",), ("169.254.169.254",), ("224.0.0.1",)]
)
def test_a_name_that_leads_to_our_own_networks_is_not_called(
    numbers: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", names_lead_to(*numbers))
    with pytest.raises(AddressRefused):
        resolve("https://events.example/in?x=1")
    with pytest.raises(NotSent):
        fetch("https://events.example/in?x=1")


def test_the_connection_goes_to_the_very_address_that_was_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", names_lead_to("93.184.216.34"))
    target = resolve("https://events.example/in?x=1")
    assert (target.url, target.host) == ("https://93.184.216.34:443/in?x=1", "events.example")


def test_no_redirect_is_followed_and_no_endless_answer_read(pages: Any, settings: Any) -> None:
    url, answers = pages
    answers |= {"/a": (302, f"{url}/b".encode()), "/b": (200, b"secret"), "/long": (200, b"x" * ((1 << 20) + 1))}
    with pytest.raises(NotSent):
        fetch(f"{url}/b")
    settings.OUTBOX_NETWORKS = ["127.0.0.0/8", "::1/128"]
    assert fetch(f"{url}/b").body == b"secret"
    assert fetch(f"{url}/a").status == 302
    with pytest.raises(NotSent):
        fetch(f"{url}/long")


def test_production_calls_by_https_alone(settings: Any) -> None:
    settings.PRODUCTION = True
    with pytest.raises(AddressRefused):
        resolve("http://93.184.216.34/")


@pytest.mark.django_db
def test_a_feed_is_fetched_kept_and_still_only_proposes(pages: Any, settings: Any) -> None:
    settings.OUTBOX_NETWORKS = ["127.0.0.0/8", "::1/128"]
    url, answers = pages
    pool = make_pool()
    feed = add_feed(
        name="agency", feed_format=FeedFormat.JSON, added_by=make_organizers()[0], url=f"{url}/{{pool}}.json"
    )
    away = refused(lambda: propose_by_fetching(feed=feed, code=pool.code, actor="test"))
    assert away.code == Refusal.PROVIDER_AWAY
    file = json.dumps({"pool": pool.code, "conditions": {"2": ["X"]}}).encode()
    answers[f"/{pool.code}.json"] = (200, file)
    proposal = propose_by_fetching(feed=feed, code=pool.code, actor="test")
    assert told_by(proposal) == {"conditions": {"2": ["X"]}, "first_started_at": None}
    kept = ResultProposal.objects.get()
    assert (bytes(kept.file), kept.source, kept.captured_by) == (file, f"{url}/{pool.code}.json", None)
    assert not ResultEntry.objects.exists()


def test_an_answer_that_is_no_json_or_nested_too_deep_says_nothing() -> None:
    for body in (b"", b"<html>", b"\xff", b"[" * 200_000, b'{"a":' * 200_000):
        assert Answer(409, body).document is None
