"""The what-if calculator: the engine's answers, before betting and after; bad input gets a message (X8)."""

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from pools.models import Pool, Settlement
from pools.services.what_if import recount
from tests.functional.browsing import text_of, visitor
from tests.functional.copying_commands import run_commands
from tests.making import make_pool
from tests.settling import sell, settle, statement_of
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db

LEVELS = [
    {"code": "all", "from": "1", "to": "1", "share": "3/5"},
    {"code": "but-one", "from": "3/4", "to": "3/4", "share": "2/5"},
]


def asked(pool: Pool, query: str = "") -> Any:
    return visitor().get(f"/pools/{pool.code}/what-if/{query}")


def test_before_any_bet_the_announced_levels_are_shown_with_what_a_line_would_win() -> None:
    pool = make_pool(conditions=4)
    text = text_of(asked(pool, "?turnover=100&won-1=2&won-2=7"))
    # 70.00 of 100.00; 42.00 over 2 lines, 28.00 over 7
    assert "all 4 60 % BYN 42.00 2 BYN 21.00" in text
    assert "but-one 3 40 % BYN 28.00 7 BYN 4.00" in text
    assert pool.terms_digest in text
    assert "not a forecast" in text


def test_d9_a_condition_left_out_moves_the_levels_and_one_is_reached_by_no_line() -> None:
    pool = make_pool(conditions=4, terms={"void_condition": "exclude"})
    text = text_of(asked(pool, "?void=2&turnover=100&won-1=2&won-2=7"))
    assert "Matches are counted over 3 conditions." in text
    assert "all 3 60 % BYN 42.00 2 BYN 21.00" in text
    assert "but-one no ticket can reach it 40 % BYN 28.00 0 —" in text
    assert "BYN 28.00 to the jackpot: nobody won on the level" in text


def test_d9_a_condition_that_always_matches_takes_low_numbers_away() -> None:
    halves = [
        {"code": "all", "from": "1", "to": "1", "share": "3/5"},
        {"code": "half", "from": "1/2", "to": "3/4", "share": "2/5"},
    ]
    pool = make_pool(conditions=4, terms={"void_condition": "all_match", "levels": halves})
    assert "half 2–3 40 %" in text_of(asked(pool, "?void=1&void=2"))
    assert "half 3 40 %" in text_of(asked(pool, "?void=1&void=2&void=3"))
    assert "Every stake is returned in full" in text_of(asked(pool, "?void=1&void=2&void=3&void=4"))


@pytest.mark.parametrize("settled", [False, True])
def test_when_nothing_is_left_to_match_all_is_returned(settled: bool) -> None:
    pool = make_pool(conditions=2, terms={"void_condition": "exclude"})
    sell(pool, ("1;X", 100))
    if settled:
        settle(pool, "1;X")
    answer = asked(pool, "?void=1&void=2")
    assert answer.status_code == 200
    assert "Every stake is returned in full (¶32)." in text_of(answer)


@pytest.mark.parametrize("query", ["?void=7", "?event=on"])
def test_all_is_returned(query: str) -> None:
    pool = make_pool(conditions=8)
    text = text_of(asked(pool, query + "&turnover=100"))
    assert "Every stake is returned in full (¶32)." in text
    assert "Stakes returned BYN 100.00" in text


def test_with_stakes_the_coefficient_is_told() -> None:
    pool = make_pool("totolot-position", conditions=4)
    text = text_of(asked(pool, "?turnover=100&won-1=9&won-2=24"))
    # 60.00; 36.00 over 9.00 and 24.00 over 24.00
    assert "all 4 60 % BYN 36.00 BYN 9.00 4" in text
    assert "but-one 3 40 % BYN 24.00 BYN 24.00 1" in text


def test_what_the_page_computes_the_engine_computes(tmp_path: Path) -> None:
    pool = make_pool(conditions=4, terms={"void_condition": "exclude"})
    page = asked(pool, "?void=2&turnover=99.99&won-1=3")
    found = re.search('<pre id="tally">(.*?)</pre>', page.content.decode(), re.DOTALL)
    assert found is not None
    (tmp_path / "what-if").mkdir()
    (tmp_path / "what-if" / "tally.json").write_text(unescape(found.group(1)), encoding="utf-8")
    (said,) = run_commands(page, tmp_path)
    assert json.loads(said)["levels"][0]["dividend"] == 1_400  # 69.993 is a fund of 70.00; a third of 60 %
    assert "all 3 60 % BYN 42.00 3 BYN 14.00" in text_of(page)


def test_after_settlement_all_bets_are_counted_anew_and_stand_beside_what_was_paid() -> None:
    pool = make_pool(conditions=4, terms={"void_condition": "exclude", "levels": LEVELS})
    sell(pool, ("1;X;2;1", 100), ("1;X;2;2", 100), ("1;2;2;1", 100), ("1;1+2;1;1", 200))
    settle(pool, "1;X;2;1")
    official = statement_of(pool)
    unchanged = text_of(asked(pool))
    assert [level["dividend"] for level in official["levels"]] == [210, 70]
    assert "all 4 60 % BYN 2.10 1 BYN 2.10 BYN 2.10" in unchanged
    changed = text_of(asked(pool, "?void=2"))
    # without condition 2: lines 1 and 3 have all three; 3.50 of 5.00, 2.10 over two lines
    assert "all 3 60 % BYN 2.10 2 BYN 1.05 BYN 2.10" in changed
    assert "but-one no ticket can reach it" in changed
    assert "Counted over all published bets" in changed
    assert statement_of(pool) == official
    again = recount(pool, Settlement.objects.get(pool=pool), void=["2"], event_void=False)
    assert (again.statement.levels[0].dividend, again.statement.balance) == (105, 0)


@pytest.mark.parametrize(
    "query",
    [
        "?void=99",
        "?turnover=-1",
        "?turnover=1e9",
        "?turnover=" + "9" * 30,
        "?won-1=-1",
        "?won-1=x",
        "?won-1=1000000001",
        "?void=%00",
        "?won-1=" + "9" * 400,
    ],
)
def test_bad_input_gets_a_message(query: str) -> None:
    answer = asked(make_pool(), query)
    assert answer.status_code == 400
    assert "errorlist" in answer.content.decode()


def test_it_only_reads_and_asks_little() -> None:
    pool = make_pool()
    sell(pool, ("1;X;2", 100))
    for state in ("open", "settled"):
        if state == "settled":
            settle(pool, "1;X;2")
        acts = JournalRecord.objects.count()
        with CaptureQueriesContext(
            connection,
        ) as captured:
            assert asked(pool, "?void=1").status_code == 200
        assert len(captured) <= 16
        written = [row["sql"] for row in captured if re.match("insert|update|delete", row["sql"] or "", re.IGNORECASE)]
        assert written == []
        assert JournalRecord.objects.count() == acts
