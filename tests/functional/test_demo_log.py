"""The demonstration proves the log and receipts by what its own site gives anybody to download (X2, X6)."""

from datetime import timedelta

import pytest
from django.core.management import CommandError
from pytest_django.live_server_helper import LiveServer

from payouts.management.demo import log_proving
from payouts.management.demo.log_proving import verify_log
from payouts.management.demo.sales import Slip
from pools.models import Pool
from pools.services.settling import settle_pool
from tests.making import bet_in_cash, make_pool, make_till
from tests.resulting import close_by_clock, seal
from totalizator.core import clock

pytestmark = pytest.mark.django_db(transaction=True)


def sold_and_settled() -> tuple[Pool, Slip]:
    pool = make_pool()
    placed = bet_in_cash(pool, make_till(), "1;1;1", 100)
    close_by_clock(pool)
    clock.move_clock(timedelta(hours=2))
    seal(pool, "1;1;1", started_at=pool.closes_at + timedelta(hours=1))
    settle_pool(code=pool.code, actor="test")
    return pool, Slip(1, placed.bet.ticket, placed.check_code)


def test_what_the_site_gives_to_download_verifies(live_server: LiveServer) -> None:
    pool, slip = sold_and_settled()
    right = {"log": "OK", "receipts": "OK", "receipts_of": pool.code}
    assert verify_log([pool.code], [slip], live_server.url) == right
    assert verify_log([pool.code], [slip], None) == right
    wrong = Slip(1, slip.ticket, "0" * 14)
    with pytest.raises(CommandError, match="refused tickets/receipt: 400"):
        verify_log([pool.code], [wrong], live_server.url)


def test_a_download_with_one_letter_changed_is_not_ok(monkeypatch: pytest.MonkeyPatch, live_server: LiveServer) -> None:
    pool, slip = sold_and_settled()
    asked = log_proving._asked

    def altered(site: str, method: str, path: str, body: object = None) -> bytes:
        return asked(site, method, path, body).replace(b'"kind":"commitment"', b'"kind":"correction"')

    monkeypatch.setattr(log_proving, "_asked", altered)
    told = verify_log([pool.code], [slip], live_server.url)
    assert told["log"].startswith("log.jsonl, line 4, root: ")
    assert told["receipts"] == (f"{pool.code}: receipt.json, log.entry, kind: 'correction', expected 'commitment'")
