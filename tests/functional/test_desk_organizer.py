"""The organizer's desk: drafting each game, announcing by another, closing early, cancelling, rules, jackpots."""

import html
import json
import re
from datetime import UTC, datetime

import pytest

from accounts.models import Role
from payouts.queries import jackpot_balance
from pools.models import Game, Pool, PoolState, RulesText
from tests.functional.browsing import text_of, visitor
from tests.making import make_commission, make_organizers, make_pool, make_rules, make_user
from tests.settling import sell

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("game", Game.values)
def test_each_games_example_is_a_lawful_draft_and_is_announced_by_another(game: str) -> None:
    maker, checker = make_organizers()
    make_rules(maker)
    make_commission()
    page = visitor(maker).get(f"/desk/draft/?game={game}").content.decode()
    found = re.search(r"<textarea[^>]*>(.*?)</textarea>", page, re.DOTALL)
    assert found
    document = json.loads(html.unescape(found.group(1)))
    answer = visitor(maker).post("/desk/draft/", {"document": json.dumps(document)})
    assert answer.status_code == 302
    code = document["pool"]["code"]
    mine = visitor(maker).post(f"/desk/pools/{code}/announce/")
    assert mine.status_code == 403
    assert "A pool is announced by another person" in text_of(mine)
    assert visitor(checker).post(f"/desk/pools/{code}/announce/").status_code == 302
    assert Pool.objects.get(code=code).state == PoolState.ANNOUNCED


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ("{", "terms.json, line 1: expected JSON ("),
        ("[]", "A terms document is one JSON object."),
        ("{}", "terms.json, format: expected this key."),
        ('{"format": 1.5}', "a whole number"),
    ],
)
def test_a_broken_document_says_what_was_expected(document: str, said: str) -> None:
    answer = visitor(make_user(Role.ORGANIZER)).post("/desk/draft/", {"document": document})
    assert (answer.status_code, said in text_of(answer)) == (400, True)


def test_a_draft_is_changed_and_announced_terms_are_not() -> None:
    pool = make_pool(is_open=False)
    organizer = visitor(pool.prepared_by)
    assert organizer.get(f"/desk/pools/{pool.code}/draft/").status_code == 302
    document = json.loads(pool.terms_text)
    document["pool"]["code"] = "D-2"
    organizer.post("/desk/draft/", {"document": json.dumps(document)})
    document["max_lines"] = 5
    assert organizer.post("/desk/pools/D-2/draft/", {"document": json.dumps(document)}).status_code == 302
    assert Pool.objects.get(code="D-2").terms.max_lines == 5


def test_the_preview_is_the_page_that_players_see() -> None:
    pool = make_pool()
    preview = text_of(visitor(pool.prepared_by).get(f"/desk/pools/{pool.code}/"))
    public = text_of(visitor().get(f"/pools/{pool.code}/"))
    terms = public[public.index(" Terms Bets are taken") : public.index(" Commission the result")]
    assert terms in preview


def test_g1_closing_early_asks_first_and_is_journalled() -> None:
    pool = make_pool()
    organizer = pool.announced_by
    client = visitor(organizer)
    assert "Close this pool now?" in text_of(client.get(f"/desk/pools/{pool.code}/close/"))
    pool.refresh_from_db()
    assert pool.closed_at is None
    assert client.post(f"/desk/pools/{pool.code}/close/").status_code == 302
    pool.refresh_from_db()
    assert pool.state == PoolState.CLOSED
    journal = text_of(client.get(f"/desk/pools/{pool.code}/journal/"))
    assert f"user:{organizer and organizer.pk} The pool is closed close_pool" in journal
    again = client.post(f"/desk/pools/{pool.code}/close/")
    assert again.status_code == 409


def test_cancelling_takes_two_people() -> None:
    pool = make_pool()
    sell(pool, ("1;X;2", 100))
    first, second = visitor(pool.prepared_by), visitor(pool.announced_by)
    form = {"reason": "The cup is off.", "document": "Letter 7"}
    assert first.post(f"/desk/pools/{pool.code}/cancel/", {"reason": "", "document": ""}).status_code == 400
    assert first.post(f"/desk/pools/{pool.code}/cancel/", form).status_code == 302
    assert "Another person must approve it." in text_of(first.get(f"/desk/pools/{pool.code}/"))
    own = first.post(f"/desk/pools/{pool.code}/cancel/approve/", {"number": "1"})
    assert own.status_code == 403
    pool.refresh_from_db()
    assert pool.state in (PoolState.OPEN, PoolState.ANNOUNCED)
    assert second.post(f"/desk/pools/{pool.code}/cancel/approve/", {"number": "1"}).status_code == 302
    pool.refresh_from_db()
    assert pool.state == PoolState.CANCELLED
    assert "The pool is cancelled The cup is off. (Letter 7)" in text_of(visitor().get(f"/pools/{pool.code}/result/"))


def test_a3_rules_are_published_and_their_filing_noted_once() -> None:
    client = visitor(make_user(Role.ORGANIZER))
    form = {"text": "Version two.", "valid_from_0": "2027-01-01T00:00", "valid_from_1": "Europe/Minsk"}
    assert client.post("/desk/rules/", form).status_code == 302
    rules = RulesText.objects.get()
    assert rules.valid_from == datetime(2026, 12, 31, 21, 0, tzinfo=UTC)
    filing = {"version": rules.version, "filing": "No 5 of 02.01.2027"}
    assert client.post("/desk/rules/filing/", filing).status_code == 302
    assert "No 5 of 02.01.2027" in text_of(visitor().get(f"/rules/{rules.version}/"))
    assert client.post("/desk/rules/filing/", filing).status_code == 409


def test_j1_the_jackpot_page_shows_history_and_takes_money_once_a_document() -> None:
    client = visitor(make_user(Role.ORGANIZER))
    form = {"game": "totolot", "amount": "1 000,50", "document": "Order 3"}
    for _ in range(2):
        assert client.post("/desk/jackpots/", form).status_code == 302
    assert (jackpot_balance("totolot"), jackpot_balance("sportloto")) == (100_050, 0)
    text = text_of(client.get("/desk/jackpots/"))
    assert "BYN 0.00 organizer's money (¶17.6, ¶38.3): BYN 1,000.50 BYN 1,000.50" in text.replace("&#x27;", "'")
    for broken in ({"amount": "0"}, {"amount": "x"}, {"document": ""}, {"game": "chess"}):
        assert client.post("/desk/jackpots/", {**form, "document": "Order 4", **broken}).status_code == 400
    assert jackpot_balance("totolot") == 100_050


def test_pools_are_listed_by_state() -> None:
    pool = make_pool()
    client = visitor(pool.prepared_by)
    assert pool.code in text_of(client.get("/desk/pools/"))
    assert pool.code in text_of(client.get(f"/desk/pools/?state={pool.state}"))
    assert pool.code not in text_of(client.get("/desk/pools/?state=settled"))
