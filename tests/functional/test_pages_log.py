"""The pages of the public log and of the two computations: for witnesses, and for everyone (X6, X13)."""

import json
from pathlib import Path
from typing import Any

import pytest

from payouts.queries import find_ticket
from pools.models import LogHead, Pool, Settlement, SettlementState
from pools.services.public_log import append_to_log
from pools.services.settling import settle_pool
from tests.functional.browsing import text_of, visitor
from tests.functional.calling import Caller
from tests.functional.copying_commands import run_commands
from tests.functional.test_api_reading import valid
from tests.making import bet_in_cash, make_pool, make_till
from tests.resulting import close_by_clock, seal
from tests.settling import pot_of, sell, settle
from totalizator.core import clock
from totalizator.core.errors import DomainError
from totalizator.core.signing import operator_sign
from totalizator.engine.canonical import canonical_json
from totalizator.engine.log import head_payload
from totalizator.engine.statement import Statement, statement_document

pytestmark = pytest.mark.django_db


def grow(lines: int) -> None:
    for number in range(lines):
        append_to_log(kind="journal", subject=f"journal:{number}", document=b"%d" % number, at=clock.now())


def shown_to(head: str) -> Any:
    return visitor().post("/log/", {"head": head})


def forged(of: int, **changes: object) -> str:
    """A head of another history, which the operator has signed all the same."""
    document = json.loads(LogHead.objects.get(size=of).document_text)
    document = {key: value for key, value in document.items() if key != "signatures"} | {"root": "ab" * 32} | changes
    return canonical_json({**document, "signatures": [operator_sign(head_payload(document))]}).decode()


def test_an_empty_log_says_so() -> None:
    assert "Nothing is written yet." in text_of(visitor().get("/log/"))
    assert visitor().post("/log/", {"head": "x"}).status_code == 200


def test_x6_the_page_shows_head_lines_and_commands_that_work(tmp_path: Path) -> None:
    pool = make_pool()
    sell(pool, ("1;X;2", 100))
    settle(pool, "1;X;2")
    page = visitor().get("/log/")
    text, newest = text_of(page), LogHead.objects.order_by("-size")[0]
    assert f"Root {newest.root}" in text
    for told in ("commitment to the bets of a pool", "protocol of a result", "official settlement", pool.code):
        assert told in text
    (said,) = run_commands(page, tmp_path)
    assert said.startswith("OK\n")


def test_lines_come_in_pages_with_few_queries(django_assert_max_num_queries: Any) -> None:
    grow(60)
    with django_assert_max_num_queries(8):
        assert "journal:59" in text_of(visitor().get("/log/"))
    second = text_of(visitor().get("/log/?page=2"))
    assert "journal:9" in second
    assert "journal:59" not in second
    for odd in ("x", "0", "-1", "99999999999999999999"):
        assert visitor().get(f"/log/?page={odd}").status_code == 200, odd


def test_x6_growth_between_two_heads_is_proved_by_the_engine() -> None:
    grow(9)
    text = text_of(visitor().get("/log/?first=4&second=7"))
    assert "OK 4 lines grew to 7" in text
    assert LogHead.objects.get(size=4).root in text
    assert "OK 4 lines grew to 9" in text_of(visitor().get("/log/?first=4"))


@pytest.mark.parametrize("query", ["first=0", "first=x", "first=5&second=4", "first=1&second=10", "first=" + "9" * 40])
def test_bad_sizes_get_a_message(query: str) -> None:
    grow(9)
    answer = visitor().get(f"/log/?{query}")
    assert answer.status_code == 400
    assert "errorlist" in answer.content.decode()


def test_x6_a_kept_head_is_consistent_and_a_second_history_is_a_split_view() -> None:
    grow(9)
    good = shown_to(LogHead.objects.get(size=4).document_text)
    assert "consistent The log of 4 lines that you saw is how the log of 9 lines begins." in text_of(good)
    bad = text_of(shown_to(forged(4)))
    assert "SPLIT VIEW Two histories of 4 lines were shown. Both heads are signed by the operator" in bad
    assert "ab" * 32 in bad
    assert LogHead.objects.get(size=4).root in bad
    assert "LINES ARE MISSING" in text_of(shown_to(forged(9, size=10)))
    assert "a head of another log" in text_of(shown_to(forged(4, log="Other")))
    assert LogHead.objects.count() == 9


def test_x6_what_a_ticket_carries_is_compared_too() -> None:
    grow(9)
    root = LogHead.objects.get(size=4).root
    assert "consistent" in text_of(shown_to(f"4 {root[:32]} 2026-12-01T06:00:00Z"))
    assert "SPLIT VIEW" in text_of(shown_to(f"4 {'0' * 32} 2026-12-01T06:00:00Z"))
    assert "LINES ARE MISSING" in text_of(shown_to(f"10 {root[:32]}"))


def test_a_head_that_the_operator_did_not_sign_proves_nothing() -> None:
    grow(3)
    document = json.loads(LogHead.objects.get(size=2).document_text)
    for changed in (document | {"root": "cd" * 32}, document | {"signatures": []}):
        assert "not signed by this operator" in text_of(shown_to(json.dumps(changed)))


@pytest.mark.parametrize(
    "text", ["x", "{", "{}", "[1]", "1" * 500, "0 " + "0" * 32, '{"format":1}', "é\u2028", "[" * 3_000]
)
def test_what_is_no_head_is_called_so(text: str) -> None:
    grow(2)
    answer = shown_to(text)
    assert (answer.status_code, "not a head" in text_of(answer)) == (200, True)


@pytest.mark.parametrize("text", ["", "\x00", "x" * 4_001])
def test_bad_heads_get_a_message(text: str) -> None:
    grow(1)
    answer = shown_to(text)
    assert answer.status_code == 400
    assert "errorlist" in answer.content.decode()


def resulted() -> Pool:
    pool = make_pool()
    sell(pool, ("1;X;2", 100), ("1;X;1", 100))
    close_by_clock(pool)
    return seal(pool, "1;X;2")


def plant(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the database count one kopeck of the fund to another level."""

    def planted(statement: Statement) -> Any:
        document: Any = statement_document(statement)
        document["levels"][0]["fund"] += 1
        return document

    monkeypatch.setattr("pools.services.calculating.statement_document", planted)


def test_x13_agreement_is_public() -> None:
    pool, waiting = resulted(), resulted()
    settle_pool(code=pool.code, actor="test")
    text = text_of(visitor().get("/status/"))
    assert "No settlement differs." in text
    assert f"{pool.code} both computations agree" in text
    assert f"{waiting.code} the first computation is under way" in text
    shown = valid("status", Caller().get("status"))
    assert shown["agree"] is True
    standings = {row["pool"]: row["standing"] for row in shown["pools"]}
    assert standings == {pool.code: "agree", waiting.code: "first"}
    assert shown["log_head"] == json.loads(LogHead.objects.order_by("-size")[0].document_text)


def test_x13_a_planted_difference_stands_in_red_and_nothing_is_paid(monkeypatch: pytest.MonkeyPatch) -> None:
    other, pool = resulted(), make_pool()
    placed = bet_in_cash(pool, make_till(), "1;X;2", 100)
    close_by_clock(pool)
    seal(pool, "1;X;2")
    settle_pool(code=other.code, actor="test")
    plant(monkeypatch)
    with pytest.raises(DomainError):
        settle_pool(code=pool.code, actor="test")
    page = visitor().get("/status/")
    text = text_of(page)
    assert "1 settlement differs. Nothing of it is paid." in text
    assert '<tr class="bad" role="row">' in page.content.decode()
    assert text.index(pool.code) < text.index(other.code)
    assert "the computations differ: nothing is paid statement.json, levels[0].fund" in text
    shown = valid("status", Caller().get("status"))
    assert shown["agree"] is False
    assert (shown["pools"][0]["pool"], shown["pools"][0]["place"]) == (pool.code, "statement.json, levels[0].fund")
    assert Settlement.objects.get(pool=pool).state == SettlementState.DISPUTED
    assert pot_of(pool) == 100
    ticket = visitor().post(f"/t/{placed.bet.ticket}/", {"check_code": placed.check_code})
    assert "In play" in text_of(ticket)
    assert find_ticket(placed.bet.ticket, placed.check_code) == placed.bet


def test_the_status_asks_the_same_however_many_pools(django_assert_max_num_queries: Any) -> None:
    for _ in range(4):
        settle_pool(code=resulted().code, actor="test")
    with django_assert_max_num_queries(6):
        assert visitor().get("/status/").status_code == 200
