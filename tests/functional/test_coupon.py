"""Filling in the coupon on the page of a pool: its price while it is marked, picks, earlier coupons (B7, C39, O5)."""

import re
from collections import Counter
from typing import Any

import pytest
from django.core.cache import caches

from pools.models import Bet, Pool
from pools.services.picking import PublishedShares, published_shares, weighted_selections
from tests.functional.browsing import text_of, visitor
from tests.making import bet_from_account, make_commission, make_player, make_pool, make_till
from tests.settling import sell, settle

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture(autouse=True)
def _fresh_cache() -> None:
    caches["process"].clear()


def quote(pool: Pool, **posted: Any) -> str:
    answer = visitor().post(f"/pools/{pool.code}/quote/", posted)
    assert answer.status_code == 200
    assert "<html" not in answer.content.decode()
    return text_of(answer).replace("&#x27;", "'")


def checked(answer: Any) -> list[tuple[str, str]]:
    """The marked boxes of a page: the name and the outcome of each."""
    return re.findall(r'name="(mark-\d+)" value="([^"]+)" checked', answer.content.decode())


def test_lines_and_price_grow_with_each_mark() -> None:
    pool = make_pool()
    assert quote(pool) == "Mark outcomes in all 3 conditions."
    one = "BYN 1.00 1 line × BYN 1.00 1 of 3 marked. Without a mark: 2, 3."
    assert quote(pool, **{"mark-1": "X"}) == one
    two = "BYN 2.00 2 lines × BYN 1.00 2 of 3 marked. Without a mark: 1."
    assert quote(pool, **{"mark-2": ["2", "1"], "mark-3": "1"}) == two
    whole = "BYN 6.00 6 lines × BYN 1.00 All marked. Nothing is paid yet."
    assert quote(pool, **{"mark-1": ["1", "X", "2"], "mark-2": ["2", "1"], "mark-3": "1"}) == whole
    assert Bet.objects.count() == 0


def test_c39_what_cannot_be_priced_says_so_in_place_of_the_price() -> None:
    pool = make_pool(terms={"max_lines": 5})
    all_of_them = {f"mark-{number}": ["1", "X", "2"] for number in (1, 2, 3)}
    assert quote(pool, **all_of_them) == "Selections: expected at most 5 lines."
    assert quote(pool, **{"mark-1": "9"}) == "Selections: expected outcomes of condition 1 in announced order, not '9'."


def test_a_stake_of_ones_own_is_parted_among_the_lines() -> None:
    pool = make_pool("totolot-position")
    marks = {"mark-1": "1", "mark-2": "X", "mark-3": ["1", "2"]}
    assert quote(pool, **marks) == "2 lines All marked. Nothing is paid yet."
    assert quote(pool, **marks, stake="12,50").startswith("BYN 12.50 2 lines × BYN 6.25 All")
    assert quote(pool, **marks, stake="12.51") == "Stake: expected a stake that divides evenly over 2 lines (D-10)."
    assert quote(pool, **marks, stake="much") == "Give an amount in BYN with at most two decimals, such as 12.50."


def test_a_quote_can_be_asked_for_without_a_form() -> None:
    pool = make_pool()
    assert "BYN 2.00 2 lines" in text_of(visitor().get(f"/pools/{pool.code}/quote/?mark-1=1&mark-1=X&mark-2=2"))
    assert visitor().post("/pools/NO-SUCH/quote/", {}).status_code == 404


def test_the_grid_asks_for_its_price_and_works_without_that() -> None:
    pool, player = make_pool(), make_player()
    page = visitor(player).get(f"/pools/{pool.code}/").content.decode()
    assert f'hx-post="/pools/{pool.code}/quote/" hx-trigger="change delay:150ms"' in page
    assert '<div id="price" role="status" aria-live="polite" aria-atomic="true">' in page
    assert f'<form method="post" action="/pools/{pool.code}/coupon/" class="coupon"' in page
    assert page.count('<input type="checkbox" name="mark-') == 9
    assert page.count("<label") == page.count("<label for=") + 9
    for number in (1, 2, 3):
        assert f'<fieldset aria-label="{number}. Match {number}">' in page


def test_b7_a_quick_pick_marks_a_line_prices_it_and_buys_nothing() -> None:
    pool, player = make_pool(), make_player(1_000)
    whole = visitor(player).get(f"/pools/{pool.code}/quick/")
    assert [name for name, _outcome in checked(whole)] == ["mark-1", "mark-2", "mark-3"]
    assert "BYN 1.00 1 line × BYN 1.00" in text_of(whole)
    part = visitor(player).get(f"/pools/{pool.code}/quick/", headers=HTMX)
    assert "<html" not in part.content.decode()
    assert len(checked(part)) == 3
    assert "HX-Request" in part["Vary"]
    assert Bet.objects.count() == 0


def test_a_weighted_pick_goes_by_the_latest_settled_pool_and_tells_so() -> None:
    keys = make_commission()
    earlier = make_pool(keys=keys)
    sell(earlier, ("1;1;1", 100), ("1;1;X", 100))
    settle(earlier, "1;1;1")
    pool = make_pool(keys=keys)
    shares = published_shares(pool)
    assert shares is not None
    assert (shares.pool_code, dict(shares.of_all)) == (earlier.code, {"1": 15, "X": 3, "2": 0})
    text = text_of(visitor().get(f"/pools/{pool.code}/weighted/"))
    assert f"Marked by chance, as the lines of pool {earlier.code} were shared: 1 83 %, X 17 %, 2 0 %." in text


def test_x1_while_a_pool_sells_its_own_bets_weigh_nothing() -> None:
    pool = make_pool()
    sell(pool, *[("1;1;1", 100)] * 21)
    assert published_shares(pool) is None
    answer = visitor().get(f"/pools/{pool.code}/weighted/")
    assert "No shares are published yet, so each outcome was as likely as the others." in text_of(answer)
    assert len(checked(answer)) == 3


def test_other_outcomes_lend_no_weights() -> None:
    keys = make_commission()
    earlier = make_pool(keys=keys, outcomes=("1", "2"))
    sell(earlier, ("1;1;1", 100))
    settle(earlier, "1;1;1")
    assert published_shares(make_pool(keys=keys)) is None


def test_a_weighted_line_is_drawn_by_the_shares() -> None:
    terms = make_pool().terms
    counts = [{"1": 3, "X": 1, "2": 0}, {"1": 0, "X": 0, "2": 7}, {"1": 0, "X": 0, "2": 0}]
    lines = [weighted_selections(terms, PublishedShares("T", counts)).split(";") for _ in range(800)]
    first = Counter(line[0] for line in lines)
    assert set(first) == {"1", "X"}
    assert 500 < first["1"] < 700  # 600 expected, more than eight standard deviations away
    assert {line[1] for line in lines} == {"2"}
    assert {line[2] for line in lines} == {"1", "X", "2"}


def test_an_earlier_coupon_is_offered_and_marked_again() -> None:
    keys, player = make_commission(), make_player(1_000)
    earlier, pool = make_pool(keys=keys), make_pool(keys=keys)
    bet = bet_from_account(earlier, player, "1;X;1+2", 200).bet
    client = visitor(player)
    page = client.get(f"/pools/{pool.code}/")
    assert f'href="/pools/{pool.code}/copy/{bet.ticket}/"' in page.content.decode()
    answer = client.get(f"/pools/{pool.code}/copy/{bet.ticket}/")
    assert checked(answer) == [("mark-1", "1"), ("mark-2", "X"), ("mark-3", "1"), ("mark-3", "2")]
    assert f"The coupon of ticket {bet.ticket} is marked. Nothing is bought until you pay." in text_of(answer)
    assert "BYN 2.00 2 lines" in text_of(answer)
    assert Bet.objects.count() == 1


def test_a_coupon_of_other_conditions_or_of_somebody_else_is_not_copied() -> None:
    keys, player = make_commission(), make_player(1_000)
    narrow, pool = make_pool(keys=keys, conditions=2), make_pool(keys=keys)
    bet = bet_from_account(narrow, player, "1;X", 100).bet
    client = visitor(player)
    assert "/copy/" not in client.get(f"/pools/{pool.code}/").content.decode()
    refused = client.get(f"/pools/{pool.code}/copy/{bet.ticket}/")
    assert (refused.status_code, "this pool has other conditions" in text_of(refused)) == (400, True)
    assert visitor(make_player()).get(f"/pools/{narrow.code}/copy/{bet.ticket}/").status_code == 404
    assert visitor(make_till().cashier).get(f"/pools/{narrow.code}/copy/{bet.ticket}/").status_code == 403


def test_who_is_not_logged_in_marks_and_prices_and_then_logs_in() -> None:
    pool = make_pool()
    page = text_of(visitor().get(f"/pools/{pool.code}/"))
    assert "Log in to bet" in page
    answer = visitor().post(f"/pools/{pool.code}/coupon/", {"mark-1": "1", "mark-3": ["1", "2"]})
    assert answer.status_code == 302
    assert answer["Location"] == f"/account/login/?next=/pools/{pool.code}/%3Fcoupon%3D1%253B%253B1%252B2"


def test_a_coupon_in_the_address_is_marked_and_what_is_no_coupon_marks_nothing() -> None:
    pool = make_pool()
    answer = visitor().get(f"/pools/{pool.code}/?coupon=1%3BX%3B1%2B2")
    assert checked(answer) == [("mark-1", "1"), ("mark-2", "X"), ("mark-3", "1"), ("mark-3", "2")]
    for odd in ("9;9;9", "1;X;2;1;1;1", "%00", ";", "+"):
        answer = visitor().get(f"/pools/{pool.code}/", {"coupon": odd})
        assert answer.status_code == 200


def test_a_closed_pool_shows_no_coupon_and_marks_none() -> None:
    keys = make_commission()
    pool = make_pool(keys=keys)
    settle(pool, "1;1;1")
    for address in ("", "quick/", "weighted/", "?coupon=1%3BX%3B2"):
        answer = visitor(make_player()).get(f"/pools/{pool.code}/{address}")
        assert answer.status_code == 200
        assert 'class="coupon"' not in answer.content.decode()
