"""The page that a ticket's QR leads to: with the check code all of it, without only what is public (X2, X7)."""

import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from payouts.services.booking import book_payables
from pools.models import Bet, Pool
from pools.services.betting import PlacedBet
from pools.services.printed_tickets import qr_text
from pools.services.settling import settle_pool
from tests.functional.browsing import text_of, visitor
from tests.functional.copying_commands import run_commands
from tests.making import bet_in_cash, make_pool, make_till
from tests.resulting import close_by_clock, seal
from tests.settling import sell, settle
from totalizator.core import clock
from totalizator.engine.merkle import leaf_hash, node_hash

pytestmark = pytest.mark.django_db


def page_of(placed: PlacedBet, code: str | None = None, **more: str) -> Any:
    form = {"check_code": placed.check_code if code is None else code, **more}
    return visitor().post(f"/t/{placed.bet.ticket}/", form)


def sold() -> tuple[Pool, PlacedBet]:
    pool = make_pool()
    placed = bet_in_cash(pool, make_till(), "1;X;1+2", 200)
    sell(pool, ("1;X;2", 100), ("1;X;1", 100), ("2;2;1", 100), ("X;X;X", 100))
    return pool, placed


def hashes(page: Any, part: int) -> list[str]:
    """The hashes of one folded table, in reading order."""
    tables = re.findall(r'<table class="stack hashes"[^>]*>(.*?)</table>', page.content.decode(), re.DOTALL)
    return re.findall(r"[0-9a-f]{64}", tables[part])


def test_without_the_code_nothing_of_a_bet_is_told_before_settlement() -> None:
    pool, placed = sold()
    known, unknown = placed.bet.ticket, f"{pool.code}-0000000000"
    pages = [visitor().get(f"/t/{ticket}/") for ticket in (known, unknown)]
    said = [text_of(page).replace(ticket, "N") for page, ticket in zip(pages, (known, unknown), strict=True)]
    assert said[0] == said[1]
    assert "nobody but its holder sees a bet" in said[0]
    assert "BYN" not in said[0]
    close_by_clock(pool)
    seal(pool, "1;X;2")
    assert "BYN" not in text_of(visitor().get(f"/t/{known}/"))


def test_what_is_no_ticket_of_any_pool_is_not_there() -> None:
    for odd in ("NONE-0000000000", "x", "a" * 80, "a" * 300):
        assert visitor().get(f"/t/{odd}/").status_code == 404, odd
        assert visitor().post(f"/t/{odd}/", {"check_code": "1"}).status_code == 404, odd


def test_a_wrong_code_tells_nothing_and_is_slowed_down_together_with_the_api() -> None:
    pool, placed = sold()
    body = {"ticket": placed.bet.ticket, "check_code": "0" * 14}
    for _ in range(5):
        assert visitor().post("/api/v1/tickets/receipt", body, content_type="application/json").status_code == 400
    answers = [page_of(placed, "0" * 14) for _ in range(6)]
    assert [answer.status_code for answer in answers] == [400] * 5 + [429]
    assert all("BYN" not in text_of(answer) for answer in answers)
    assert page_of(placed).status_code == 429
    clock.move_clock(timedelta(minutes=2))
    assert page_of(placed).status_code == 200
    assert Bet.objects.filter(pool=pool).count() == 5


@pytest.mark.parametrize("code", ["", "\x00", "x" * 41, "é"])
def test_bad_codes_get_a_message(code: str) -> None:
    _pool, placed = sold()
    answer = page_of(placed, code)
    assert answer.status_code == 400
    assert "errorlist" in answer.content.decode()


def test_x2_before_closing_the_receipt_is_the_operators_promise(tmp_path: Path) -> None:
    _pool, placed = sold()
    page = page_of(placed)
    text = text_of(page)
    assert "In play" in text
    assert "Lines 2 Stake BYN 2.00" in text
    assert "bets are not fixed yet" in text
    assert "no-store" in page["Cache-Control"]
    receipt = page_of(placed, receipt="1")
    name = f"receipt-{placed.bet.ticket}.json"
    assert receipt["Content-Disposition"] == f'attachment; filename="{name}"'
    (tmp_path / name).write_bytes(receipt.content)
    said = run_commands(page, tmp_path)
    assert said == [f"OK\nticket {placed.bet.ticket} of pool {placed.bet.pool.code}: not yet in a commitment\n"]


def test_x2_after_settlement_the_page_climbs_from_the_bet_to_the_signed_head(tmp_path: Path) -> None:
    pool, placed = sold()
    settle(pool, "1;X;2")
    book_payables(code=pool.code)
    page = page_of(placed)
    text = text_of(page)
    assert "Won; not payable yet: BYN 2.10" in text  # 1.26 of 2.52 and 0.84 of 1.68
    assert "of 5" in text
    receipt = json.loads(page_of(placed, receipt="1").content)
    leaf, *climbed = hashes(page, 0)
    assert leaf == leaf_hash(receipt["bet"].encode()).hex()
    assert [climbed[place] for place in range(0, len(climbed), 2)] == receipt["path"]
    assert climbed[-1] == receipt["root"] == receipt["commitment"]["merkle_root"]
    node = bytes.fromhex(leaf)
    for sibling, both in zip(climbed[::2], climbed[1::2], strict=True):
        other = bytes.fromhex(sibling)
        assert bytes.fromhex(both) in (node_hash(node, other), node_hash(other, node))
        node = bytes.fromhex(both)
    assert hashes(page, 1)[-1] == receipt["log"]["head"]["root"]
    (tmp_path / f"receipt-{placed.bet.ticket}.json").write_bytes(page_of(placed, receipt="1").content)
    (said,) = run_commands(page, tmp_path)
    assert said.startswith(f"OK\nticket {placed.bet.ticket} is bet {receipt['index'] + 1} of the 5 of pool {pool.code}")
    assert "signatures not checked" not in said


def test_after_settlement_what_is_published_of_a_bet_is_shown_to_all() -> None:
    pool, placed = sold()
    settle(pool, "1;X;2")
    text = text_of(visitor().get(f"/t/{placed.bet.ticket}/"))
    assert "all 1 BYN" in text
    assert placed.check_code not in text
    loser = next(bet for bet in Bet.objects.filter(pool=pool) if not pool.winnings.filter(ticket=bet.ticket).exists())
    assert "No line of this bet is on a winning level." in text_of(visitor().get(f"/t/{loser.ticket}/"))
    unknown = text_of(visitor().get(f"/t/{pool.code}-0000000000/"))
    assert "There is no such ticket among the published bets" in unknown


def test_x7_every_late_bet_is_listed_winning_or_losing_with_the_start() -> None:
    pool = make_pool()
    early = sell(pool, ("1;X;2", 100))
    started_at = clock.now() + timedelta(minutes=10)
    clock.move_clock(timedelta(minutes=20))
    late = sell(pool, ("1;X;2", 100), ("2;2;1", 300 // 3))
    assert visitor().get(f"/pools/{pool.code}/late/").status_code == 404
    close_by_clock(pool)
    seal(pool, "1;X;2", started_at=started_at)
    settle_pool(code=pool.code, actor="test")
    page = visitor().get(f"/pools/{pool.code}/late/")
    text = text_of(page)
    assert "2 late bets" in text
    assert all(ticket in text for ticket in late)
    assert early[0] not in text
    assert started_at.strftime("%Y-%m-%dT%H:%M:%S") in text
    for bet in Bet.objects.filter(ticket__in=late):
        assert bet.registered_at.strftime("%Y-%m-%dT%H:%M:%S.%fZ") in text
    assert "The federation" in text
    assert "sha256:" in text
    assert "won or lost" in text_of(visitor().get(f"/t/{late[1]}/"))
    assert "2 late bets" in text_of(visitor().get(f"/pools/{pool.code}/late/?page=x"))


def test_pages_ask_few_questions_however_many_bets(django_assert_max_num_queries: Any) -> None:
    pool, placed = sold()
    sell(pool, *[("1;X;2", 100)] * 20)
    settle(pool, "1;X;2")
    book_payables(code=pool.code)
    with django_assert_max_num_queries(35):
        assert page_of(placed).status_code == 200
    for path in (f"/t/{placed.bet.ticket}/", f"/pools/{pool.code}/late/", f"/pools/{pool.code}/money/"):
        with django_assert_max_num_queries(20):
            assert visitor().get(path).status_code == 200


def judged(placed: PlacedBet, text: str) -> str:
    page = visitor().post(f"/t/{placed.bet.ticket}/", {"text": text})
    assert page.status_code == 200
    return text_of(page)


def test_x2_anyone_checks_the_operators_signature_on_a_ticket() -> None:
    _pool, placed = sold()
    held = qr_text(placed.bet, "")
    said = judged(placed, held)
    assert "signed by the operator, and booked as printed" in said
    assert "BYN 2.00" in said
    assert placed.check_code not in said
    dearer = held.replace("&200&", "&300&")
    assert "not signed by this operator" in judged(placed, dearer)
    assert "not the text of a ticket" in judged(placed, "x")
    other = qr_text(Bet.objects.exclude(ticket=placed.bet.ticket).latest("registered_at"), "")
    assert "another ticket" in judged(placed, other)
    assert visitor().post(f"/t/{placed.bet.ticket}/", {"text": ""}).status_code == 400


def test_x2_a_ticket_that_is_signed_and_not_booked_convicts_the_operator() -> None:
    _pool, placed = sold()
    bet = placed.bet
    bet.ticket = f"{bet.ticket[:-1]}{'0' if bet.ticket[-1] != '0' else '1'}"
    assert "SIGNED BY THE OPERATOR AND NOT BOOKED" in judged(placed, qr_text(bet, ""))
    bet = Bet.objects.get(pool=bet.pool, stake=200)
    bet.stake = 400
    placed = PlacedBet(bet, placed.check_code, replayed=False)
    assert "SIGNED BY THE OPERATOR AND BOOKED OTHERWISE" in judged(placed, qr_text(bet, ""))
