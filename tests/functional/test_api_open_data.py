"""Open data: complete back to the first pool, as the schema says, licensed, and cached (X14)."""

import csv
from datetime import date
from io import StringIO
from itertools import pairwise
from typing import Any

import pytest

from accounts.models import User
from payouts.queries import jackpot_balance
from payouts.services.insider_wins import publish_insider_wins
from payouts.services.jackpot import add_to_jackpot
from pools.api.open_data import DATASETS
from pools.models import Pool
from pools.services.cancelling import approve_cancellation, propose_cancellation
from pools.services.drafting import draft_pool
from pools.services.settling import settle_pool
from tests.desks import keeper
from tests.functional.calling import Caller, told
from tests.functional.test_api_reading import valid
from tests.making import make_commission, make_organizers, make_pool, make_rules, make_terms
from tests.paying import go_to
from tests.reporting import today
from tests.resulting import close_by_clock, seal
from tests.settling import sell, settle
from totalizator.core import clock
from totalizator.core.api.open_data import LICENCE, SCHEMA
from totalizator.core.money import plain_byn
from totalizator.engine.canonical import canonical_json, digest
from totalizator.engine.deadlines import start_of_legal_day

pytestmark = pytest.mark.django_db


def history() -> tuple[Pool, Pool, Pool, User]:
    """A settled, a cancelled and an open pool, and a draft that is nobody's business."""
    settled = make_pool()
    sell(settled, ("1;X;2", 100), ("1;1;1+2", 200), ("1+X+2;1;1", 300))
    settle(settled, "1;X;2")
    one, other = make_organizers()
    cancelled = make_pool(is_open=False)
    propose_cancellation(code=cancelled.code, reason="rain", document="17", proposed_by=one)
    approve_cancellation(code=cancelled.code, approved_by=other)
    opened = make_pool()
    terms = make_terms(
        opens_at=opened.closes_at,
        closes_at=opened.closes_at.replace(year=opened.closes_at.year + 1),
        rules_version=make_rules(one),
        keys=make_commission(),
    )
    draft_pool(document=terms, prepared_by=one)
    return settled, cancelled, opened, one


def table(path: str) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(Caller().get(path).content.decode())))


def test_the_history_has_every_pool_in_every_state_and_all_that_was_published_of_it() -> None:
    settled, cancelled, opened, _one = history()
    page = valid("open-data/pools", Caller().get("open-data/pools?page_size=2"))
    assert [pool["code"] for pool in page["pools"]] == [settled.code, cancelled.code]
    rest = Caller().get(page["next"].rpartition("/api/v1/")[2]).json()
    assert ([pool["code"] for pool in rest["pools"]], rest["next"]) == ([opened.code], None)
    whole = page["pools"][0]
    for part in ("commitment", "result", "statement"):
        assert whole[part] == Caller().get(f"pools/{settled.code}/{part}").json()
    assert (page["pools"][1]["state"], page["pools"][1]["cancelled_at"] is None) == ("cancelled", False)
    assert {rest["pools"][0][part] for part in ("commitment", "result", "statement", "closed_at")} == {None}


def test_the_tables_are_the_same_history_to_the_kopeck() -> None:
    settled, cancelled, opened, _one = history()
    rows = table("open-data/pools.csv")
    statement = Caller().get(f"pools/{settled.code}/statement").json()
    assert [row["code"] for row in rows] == [settled.code, cancelled.code, opened.code]
    assert (rows[0]["bets"], rows[0]["lines"], rows[0]["turnover"]) == ("3", "6", "6.00")
    for key in ("fund", "takeout", "winnings", "refunds", "jackpot_out"):
        assert rows[0][key] == plain_byn(statement[key])
    assert (rows[2]["fund"], rows[2]["merkle_root"]) == ("", "")
    levels = table("open-data/levels.csv")
    assert [(row["pool"], row["level"], row["lines"], row["dividend"]) for row in levels] == [
        (settled.code, level["code"], str(level["lines"]), plain_byn(level["dividend"]) if level["dividend"] else "")
        for level in statement["levels"]
    ]


def test_the_spread_of_few_bets_is_shown_only_once_they_are_public() -> None:
    pool = make_pool()
    sell(pool, ("1;X;1+2", 200))
    path = f"open-data/pools/{pool.code}/distribution"
    close_by_clock(pool)
    assert told(Caller().get(path)) == (404, "not_found")
    seal(pool, "1;X;2")
    assert told(Caller().get(path)) == (404, "not_found")
    settle_pool(code=pool.code, actor="test")
    assert Caller().get(path).status_code == 200


def test_bets_are_spread_over_outcomes_line_by_line_and_shown_once_nothing_is_sold(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pool = make_pool()
    sell(pool, ("1;X;2", 100), ("1;1;1+2", 200), ("1+X+2;1;1", 300))
    path = f"open-data/pools/{pool.code}/distribution"
    assert told(Caller().get(path)) == (404, "not_found")
    close_by_clock(pool)
    assert told(Caller().get(path)) == (404, "not_found")  # of three bets the spread would tell how somebody bet
    monkeypatch.setattr("pools.snapshots.pool_history.FEWEST_TO_SHOW", 3)
    spread = valid("open-data/pools/{code}/distribution", Caller().get(path))
    counted = {
        each["condition"]: [(o["code"], o["bets"], o["lines"]) for o in each["outcomes"]]
        for each in spread["conditions"]
    }
    assert counted == {
        "1": [("1", 3, 4), ("X", 1, 1), ("2", 1, 1)],
        "2": [("1", 2, 5), ("X", 1, 1), ("2", 0, 0)],
        "3": [("1", 2, 4), ("X", 0, 0), ("2", 2, 2)],
    }


def test_a_jackpots_moves_keep_their_numbers_and_end_at_its_balance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("payouts.api.open_data.MOST_MOVES", 2)
    for number in range(3):
        assert add_to_jackpot(game="totolot", amount=100, document=f"paper {number}", actor=keeper())
        pool = make_pool("totolot-position")
        sell(pool, ("1;X;2", 100))
        settle(pool, "2;1;1")
    moves: list[dict[str, Any]] = []
    more = True
    while more:
        page = valid("open-data/jackpots/{game}", Caller().get(f"open-data/jackpots/totolot?after={len(moves)}"))
        moves += page["moves"]
        more = page["more"]
    assert [move["number"] for move in moves] == list(range(1, len(moves) + 1))
    assert moves[0]["opening"] == "0.00"
    assert all(before["closing"] == after["opening"] for before, after in pairwise(moves))
    assert moves[-1]["closing"] == plain_byn(jackpot_balance("totolot"))
    assert [row["closing"] for row in table("open-data/jackpots/totolot.csv")] == [move["closing"] for move in moves]
    assert told(Caller().get("open-data/jackpots/chess")) == (404, "not_found")


def test_every_answer_names_its_licence_and_schema_and_is_sent_once() -> None:
    settled, _cancelled, _opened, _one = history()
    year = publish_insider_wins(today().year - 1, actor="test").year
    places = {"{code}": settled.code, "{game}": "totolot", "{year}": str(year)}
    asked = 0
    for path in DATASETS:
        for place, name in places.items():
            path = path.replace(place, name)
        answer = Caller().get(path)
        assert answer.status_code == 200, path
        again = Caller().get(path, **{"If-None-Match": answer["ETag"]})
        assert again.status_code == 304, path
        if path.startswith("open-data"):
            for each in (answer, again):
                assert each["Link"] == f'<{LICENCE}>; rel="license"'
                assert each["Totalizator-Schema"] == SCHEMA
            if not path.endswith(".csv"):
                assert (answer.json()["schema"], answer.json()["licence"]) == (SCHEMA, LICENCE)
            asked += 1
    assert asked == 7
    assert valid("open-data", Caller().get("open-data"))["datasets"] == list(DATASETS)
    assert clock.now() >= settled.closes_at


def test_x11_insiders_wins_of_a_year_are_public_once_the_year_is_over() -> None:
    assert told(Caller().get("open-data/insider-wins/2026")) == (404, "not_found")
    assert told(Caller().get("open-data/insider-wins/99999999999999999999")) == (404, "not_found")
    pool = make_pool("sportloto-variant")
    sell(pool, ("1", 100), ("X", 100))
    settle(pool, "1")
    year = today().year
    assert told(Caller().get(f"open-data/insider-wins/{year}")) == (404, "not_found")
    go_to(start_of_legal_day(date(year + 1, 1, 2)))
    published = publish_insider_wins(year, actor="test")
    page = valid("open-data/insider-wins/{year}", Caller().get(f"open-data/insider-wins/{year}"))
    assert canonical_json(page["document"]) == published.document_text.encode()
    assert page["digest"] == digest(canonical_json(page["document"]))
    groups = {group["who"]: (group["bets"], group["wins"]) for group in page["document"]["groups"]}
    assert groups == {"cashier": (2, 1), "point": (2, 1), "agent": (0, 0), "insider": (0, 0)}
