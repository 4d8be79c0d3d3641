"""The organizer's desk: drafting each game, announcing by another, closing early, cancelling, rules, jackpots."""

import html
import json
import re
from datetime import UTC, datetime
from typing import Any

import pytest

from accounts.models import Role
from payouts.queries import jackpot_balance
from pools.models import Game, Pool, PoolState, RulesText
from tests.functional.browsing import text_of, visitor
from tests.making import make_commission, make_organizers, make_pool, make_rules, make_user
from tests.settling import sell

pytestmark = pytest.mark.django_db


TOTOLOT = {"game": "totolot-position", "fund": "3/5", "line_price": "", "least": "1", "most": "100"}


def round_form(keys: list[str], **changes: Any) -> dict[str, Any]:
    form = {
        "game": "sportloto-position",
        "code": "R-1",
        "name": "Тур; Тур; Round",
        "opens_at_0": "2027-06-01T09:00",
        "opens_at_1": "Europe/Minsk",
        "closes_at_0": "2027-06-01T21:00",
        "closes_at_1": "Europe/Moscow",
        "match_lines": "Динамо – БАТЭ; Дынама – БАТЭ; Dinamo – BATE\nНеман – Гомель\nСлавия – Ислочь",
        "outcomes": "1 X 2",
        "line_price": "1,50",
        "least": "",
        "most": "",
        "fund": "7/10",
        "levels": "3 1/2\n2 1/2",
        "empty_level": "jackpot",
        "void_condition": "exclude",
        "max_lines": "1000",
        "members": keys,
        "need": "2",
    }
    return {**form, **changes}


def test_c31_a_round_becomes_a_draft_with_exact_instants() -> None:
    maker, _checker = make_organizers()
    version = make_rules(maker)
    keys = [key.key_id for key in make_commission()]
    answer = visitor(maker).post("/desk/draft/matches/", round_form(keys))
    assert (answer.status_code, answer["Location"]) == (302, "/desk/pools/R-1/")
    pool = Pool.objects.get(code="R-1")
    assert pool.closes_at == datetime(2027, 6, 1, 18, 0, tzinfo=UTC)
    document = json.loads(pool.terms_text)
    assert document["conditions"][0]["name"] == {
        "ru": "Динамо – БАТЭ",
        "be": "Дынама – БАТЭ",
        "en": "Dinamo – BATE",
    }
    assert document["conditions"][1]["name"]["en"] == "Неман – Гомель"
    assert document["price"] == {"line": 150}
    assert document["levels"][1] == {"code": "2", "from": "2/3", "to": "2/3", "share": "1/2"}
    assert document["rules_version"] == version


@pytest.mark.parametrize(
    ("game", "changes"),
    [
        ("sportloto-variant", {"match_lines": "Динамо – БАТЭ", "levels": "1 1", "void_condition": "refund"}),
        ("totolot-variant", {"match_lines": "Динамо – БАТЭ", "levels": "1 1", "void_condition": "refund"}),
        ("totolot-position", {"levels": "3 1/2\n1-2 1/2", "empty_level": "other_levels"}),
    ],
)
def test_each_game_is_drafted_from_fields(game: str, changes: dict[str, str]) -> None:
    maker, _checker = make_organizers()
    make_rules(maker)
    keys = [key.key_id for key in make_commission()]
    money = {} if game.startswith("sportloto") else {"fund": "3/5", "least": "1", "most": "1000", "line_price": ""}
    answer = visitor(maker).post("/desk/draft/matches/", round_form(keys, game=game, **{**money, **changes}))
    assert answer.status_code == 302
    assert Pool.objects.get().game == game


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
    ("changes", "said"),
    [
        ({"fund": "1/2"}, "Winning fund: expected at least 7/10 (¶4)."),
        ({"levels": "3 1/2\n2 1/4"}, "shares that add up to 1"),
        ({"levels": "three 1/2"}, "“three 1/2”: expected such as 13 1/4 or 8-10 1/4."),
        ({"line_price": ""}, "This game needs it."),
        ({"line_price": "1.505"}, "Give an amount in BYN with at most two decimals"),
        (
            {"closes_at_0": "2027-06-01T08:00", "closes_at_1": "Europe/Minsk"},
            "Closes at: expected later than opens_at.",
        ),
        ({"closes_at_0": "2027-03-28T02:30", "closes_at_1": "Europe/Berlin"}, "does not exist in Europe/Berlin"),
        ({"empty_level": "other_levels"}, "expected jackpot (¶11.4)."),
        ({"match_lines": " "}, "This field is required."),
        ({"outcomes": "1 1"}, "Outcomes of each condition: expected each once, not '1' twice."),
        ({"need": "4"}, "Signatures needed: expected not more than there are members."),
        (TOTOLOT | {"least": "0"}, "Least stake, BYN (Totolot): expected a whole number from 1, not 0."),
        (TOTOLOT | {"most": "0,50"}, "Greatest stake, BYN (Totolot): expected a whole number from 100, not 50."),
        ({"name": ";;"}, "A name needs a letter or a digit"),
    ],
)
def test_a_fault_in_the_fields_is_named_beside_its_field(changes: dict[str, str], said: str) -> None:
    maker, _checker = make_organizers()
    make_rules(maker)
    keys = [key.key_id for key in make_commission()]
    answer = visitor(maker).post("/desk/draft/matches/", round_form(keys, **changes))
    assert answer.status_code == 400
    assert said in text_of(answer).replace("&#x27;", "'")
    assert not Pool.objects.exists()


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
