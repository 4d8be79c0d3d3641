"""The first page: pools are found, and it says what a pool costs, holds and closes; what came of the last ones (O1)."""

import re
from datetime import timedelta

import pytest
from django.core.cache import caches
from django.db import connection
from django.test.utils import CaptureQueriesContext

from payouts.services.jackpot import add_to_jackpot
from payouts.views.home import NEWEST_RESULTS, POOLS_A_PAGE
from pools.models import Pool
from pools.queries.finding import pools_named
from pools.services.cancelling import approve_cancellation, propose_cancellation
from pools.services.drafting import announce_pool, draft_pool
from tests.functional.browsing import text_of, visitor
from tests.making import make_commission, make_organizers, make_player, make_pool, make_rules, make_terms
from tests.many_pools import copy_open, copy_settled
from tests.resulting import close_by_clock
from tests.settling import sell, settle
from totalizator.core import clock

pytestmark = pytest.mark.django_db
MOST_QUERIES = 15


@pytest.fixture(autouse=True)
def _fresh_cache() -> None:
    caches["process"].clear()


def shown(path: str) -> list[str]:
    """The codes of the pools that have a card on the page, in their order."""
    cards = re.findall(r'<li class="card pool.*?</li>', visitor().get(path).content.decode(), re.DOTALL)
    return [re.findall(r'href="/pools/([^/]+)/"', card)[0] for card in cards]


def named(code: str, name: str, *matches: str, hours: int) -> Pool:
    """A pool of this name on these matches that takes bets for so many hours."""
    maker, checker = make_organizers()
    opens_at = (clock.now() + timedelta(minutes=1)).replace(microsecond=0)
    document = make_terms(
        opens_at=opens_at,
        closes_at=opens_at + timedelta(hours=hours),
        rules_version=make_rules(maker),
        keys=make_commission(),
        conditions=len(matches),
        code=code,
    )
    document["pool"]["name"] = {"ru": name, "en": code}
    for condition, match in zip(document["conditions"], matches, strict=True):
        condition["name"] = {"ru": match, "en": match}
    draft_pool(document=document, prepared_by=maker)
    pool = announce_pool(code=code, announced_by=checker)
    clock.move_clock(timedelta(minutes=1, seconds=1))
    return pool


def test_a_card_says_what_the_pool_holds_costs_and_draws_and_when_it_closes() -> None:
    add_to_jackpot(game="sportloto", amount=123_456, document="Order 1", actor=make_organizers()[0])
    pool = make_pool("sportloto-variant", terms={"jackpot": {"level": "all", "share": "1"}})
    sell(pool, ("1", 100), ("2", 100))
    free = make_pool("totolot-variant")
    answer = visitor().get("/")
    text = text_of(answer)
    assert (
        "Sportloto-Variant draws the jackpot Pool 1 condition BYN 1.40 winning fund + BYN 1,234.56 in the jackpot now"
        " a line costs BYN 1.00 closing" in text
    )
    assert "your own stake, from BYN 1.00" in text
    assert f'data-until="{pool.closes_at.isoformat()}"' in answer.content.decode()
    assert free.code in shown("/")
    assert "Jackpots BYN 1,234.56 Sportloto Jackpot: Sportloto" in text  # its chart follows
    assert answer.content.decode().count('role="img"') == 1
    assert "Only persons of at least 21 years may take part." in text


def test_pools_are_found_by_number_name_and_team_and_the_address_keeps_what_was_asked() -> None:
    cup = named("CUP-1", "Кубок", "Динамо – БАТЭ", "Орша – Лида", hours=20)
    league = named("LEA-2", "Лига", "Неман – Гомель", "Шахтёр – Ислочь", hours=120)
    totolot = make_pool("totolot-variant", opens_in=timedelta(minutes=1), lasts=timedelta(days=9))
    coming = make_pool(is_open=False, opens_in=timedelta(hours=2))
    closed = make_pool(opens_in=timedelta(minutes=1), lasts=timedelta(minutes=5))
    close_by_clock(closed)
    assert shown("/") == [cup.code, league.code, totolot.code]  # what closes first is first
    assert [shown(f"/?q={words}") for words in ("cup", "КУБОК", "ислочь", "lea-2", "БАТЭ", "нет такого")] == [
        [cup.code], [cup.code], [league.code], [league.code], [cup.code], [],
    ]  # fmt: skip
    assert shown("/?game=totolot-variant") == [totolot.code]
    assert shown("/?soon=on") == [cup.code]
    assert shown("/?soon=on&game=totolot-variant") == []
    assert shown("/?state=coming") == [coming.code]
    waiting = visitor().get("/?state=waiting").content.decode()
    assert f"/pools/{closed.code}/" in waiting
    assert f"/pools/{cup.code}/" not in waiting
    kept = visitor().get("/?q=cup&game=sportloto-position&soon=on&state=").content.decode()
    assert 'value="cup"' in kept
    assert '<option value="sportloto-position" selected>' in kept
    assert re.search(r'name="soon"[^>]* checked', kept)
    assert "No such pool is found." in text_of(visitor().get("/?q=nowhere"))
    for words in ("%", "_", "'", '"', "\\", ",", "[", ".*", "$.pool", "x" * 60):
        assert shown(f"/?q={words}") == [], words
    refused = visitor().get("/?game=chess&q=" + "x" * 61)
    assert refused.status_code == 400
    assert refused.content.decode().count('class="errorlist"') == 2


def test_what_is_searched_are_names_and_not_the_words_of_the_terms() -> None:
    make_pool()
    everything = Pool.objects.all()
    assert [pools_named(everything, words).count() for words in ("Match 2", "Матч 3", "refund", "conditions")] == [
        1, 1, 0, 0,
    ]  # fmt: skip


def test_the_newest_results_tell_the_best_dividend_and_what_was_returned() -> None:
    keys = make_commission()
    won, lost, returned, cancelled = (make_pool(keys=keys, opens_in=timedelta(minutes=1)) for _ in range(4))
    for pool in (won, lost, returned):
        sell(pool, ("1;X;2", 100), ("1;X;1", 100))
    one, other = make_organizers()
    propose_cancellation(code=cancelled.code, reason="Rain.", document="Letter 7", proposed_by=one)
    approve_cancellation(code=cancelled.code, approved_by=other)
    settle(won, "1;X;2")
    settle(lost, "2;1;X")
    settle(returned, "1;X;2", event_void=True)
    page = visitor().get("/")
    rows = {
        code: " ".join(re.sub(r"<[^>]+>", " ", row).replace("\u00a0", " ").split())
        for row in re.findall(r'<tr role="row">\s*<td.*?</tr>', page.content.decode(), re.DOTALL)
        for code in re.findall(r'<span class="code">([^<]+)</span>', row)
    }
    assert "1 X 2 BYN 0.84 level all: 1 winning line BYN 2.00" in rows[won.code]
    assert "2 1 X nobody won BYN 2.00" in rows[lost.code]
    assert "stakes returned BYN 2.00" in rows[returned.code]
    assert rows[cancelled.code].endswith("cancelled —")
    for code in rows:
        assert f'href="/pools/{code}/result/"' in page.content.decode()
        assert visitor().get(f"/pools/{code}/result/").status_code == 200


def test_a_thousand_pools_cost_no_more_questions_than_one() -> None:
    keys = make_commission()
    pool = make_pool(keys=keys)
    sell(pool, ("1;X;2", 100))
    settle(pool, "1;X;2")
    copy_settled(pool, 30)
    sold = make_pool(keys=keys)
    sell(sold, ("1;X;2", 100))
    copy_open(sold, 60)
    client = visitor(make_player())
    client.get("/")
    for path in ("/", "/?q=match", "/?page=2&q=match", "/?state=waiting"):
        caches["process"].clear()
        with CaptureQueriesContext(connection) as asked:
            answer = visitor().get(path)
        assert answer.status_code == 200
        assert len(asked) <= MOST_QUERIES + 5, path  # cold: live figures and the jackpots' charts, kept for a while
        with CaptureQueriesContext(connection) as asked:
            client.get(path)
        assert len(asked) <= MOST_QUERIES, path
    assert len(shown("/")) == POOLS_A_PAGE
    assert 'href="?q=match&amp;page=3"' in client.get("/?q=match&page=2").content.decode()
    assert visitor().get("/").content.decode().count('class="row"') == NEWEST_RESULTS
    assert len(client.get("/").content) < 60_000


def test_what_waits_for_its_result_after_a_day_is_still_there() -> None:
    pool = make_pool(opens_in=timedelta(minutes=1), lasts=timedelta(hours=1))
    sell(pool, ("1;X;2", 100))
    clock.move_clock(timedelta(days=1))
    assert "Closed, waiting for the result Pool Game Closed Winning fund Pool Game" not in text_of(visitor().get("/"))
    assert f"/pools/{pool.code}/" in visitor().get("/").content.decode()
    assert shown("/") == []
