"""How it works: what the page reckons with is what the engine says, to the kopeck (O1)."""

import re

import pytest

from pools.services.worked_examples import position_example, system_lines, variant_example
from tests.functional.browsing import text_of, visitor
from tests.making import make_pool
from tests.settling import sell, settle


def test_every_kopeck_of_an_example_goes_somewhere_and_each_winning_is_what_its_level_pays() -> None:
    position = position_example()
    assert [(coupon.lines, coupon.winning_lines, coupon.won) for coupon in position.coupons] == [
        (1, 1, 93), (2, 1, 93), (1, 0, 0), (1, 0, 0), (1, 0, 0), (4, 1, 93),
    ]  # fmt: skip
    shared = position.statement
    assert (shared.turnover, shared.fund, shared.takeout, shared.winnings, shared.jackpot_out) == (
        1_000,
        700,
        300,
        279,
        421,
    )
    assert [(level.fund, level.lines, level.remainder) for level in shared.levels] == [(420, 0, 0), (280, 3, 1)]
    variant = variant_example()
    assert [coupon.won for coupon in variant.coupons] == [0, 1_028, 771, 0]
    assert (variant.statement.fund, variant.statement.winnings, variant.statement.jackpot_out) == (1_800, 1_799, 1)
    for example in (position, variant):
        assert sum(coupon.won for coupon in example.coupons) == example.statement.winnings
        assert sum(coupon.stake for coupon in example.coupons) == example.statement.turnover
        assert example.statement.balance == 0
    assert system_lines() == (("1", "1 X", "1 X 2"), 6)


@pytest.mark.django_db
def test_the_page_shows_the_examples_and_leads_on() -> None:
    text = text_of(visitor().get("/how/"))
    for told in (
        "[1] × [1 X] × [1 X 2] = 6 lines = BYN 6.00",
        "1+X;2;1+2 4 BYN 4.00 1 BYN 0.93",
        "10 lines make BYN 10.00.",
        "70 % of it, BYN 7.00, is the winning fund; the rest, BYN 3.00, is the organizer's.",
        "3 of 3 BYN 4.20 0 — BYN 0.00 BYN 4.20",
        "2 of 3 BYN 2.80 3 BYN 0.93 BYN 2.79 BYN 0.01",
        "BYN 10.00 = BYN 3.00 + BYN 2.79 + BYN 4.21",
        "BYN 18.00 : BYN 7.00 = 2.57",
        "X BYN 4.00 BYN 10.28",
        "BYN 30.00 = BYN 12.00 + BYN 17.99 + BYN 0.01",
    ):
        assert told in text.replace("&#x27;", "'"), told
    page = visitor().get("/how/").content.decode()
    assert page.count('role="img"') == 2  # where the money goes, twice
    ids = set(re.findall(r'id="([^"]+)"', page))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= ids
    for link in ("/check/", "/unclaimed/", "/engine.zip", "/results/", "/log/", "/status/", "/rules/"):
        assert f'href="{link}"' in page
    pool = make_pool()
    sell(pool, ("1;X;2", 100))
    assert f'href="/pools/{pool.code}/what-if/"' in visitor().get("/how/").content.decode()
    settle(pool, "1;X;2")
    assert f"python3 -m totalizator.engine verify {pool.code} --keys keys.json" in text_of(visitor().get("/how/"))


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["ru", "be", "en"])
def test_it_is_told_in_each_language_and_is_small(language: str) -> None:
    answer = visitor(language=language).get("/how/")
    assert answer.status_code == 200
    assert {"ru": "10,00 BYN = 3,00 BYN", "be": "10,00 BYN = 3,00 BYN", "en": "BYN 10.00 = BYN 3.00"}[
        language
    ] in text_of(answer)
    assert len(answer.content) < 40_000
