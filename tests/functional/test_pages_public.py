"""What anyone sees: pools in plain words, results, where the money is, a ticket checked by its code."""

import io
import json
import re
import subprocess
import sys
import zipfile
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.cache import caches

from accounts.models import Role
from payouts.services.booking import book_payables
from pools.models import Settlement
from pools.services.cancelling import approve_cancellation, propose_cancellation
from pools.services.closing import close_pool
from pools.services.settling import settle_pool
from pools.views.engine_archive import packed_engine
from tests.functional.browsing import english, text_of, visitor
from tests.making import (
    bet_in_cash,
    make_commission,
    make_organizers,
    make_player,
    make_pool,
    make_till,
    make_user,
)
from tests.resulting import close_by_clock, seal
from tests.settling import sell, settle, verify
from totalizator.core import clock
from totalizator.core.localtime import local_text

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _fresh_cache() -> None:
    caches["process"].clear()


def test_the_first_page_shows_open_pools_with_fund_and_closing_and_the_jackpots() -> None:
    pool = make_pool()
    sell(pool, ("1;X;2", 100), ("1;X;1+2", 200))
    text = text_of(visitor().get("/"))
    assert "Pool 3 conditions BYN 2.10 winning fund" in text
    assert "Minsk time" in text
    assert "Jackpots BYN 0.00 Sportloto BYN 0.00 Totolot" in text


def test_the_pool_page_tells_the_terms_and_the_live_figures() -> None:
    pool = make_pool()
    sell(pool, ("1;X;1+2", 200))
    text = text_of(visitor().get(f"/pools/{pool.code}/"))
    for told in (
        "BYN 1.40 winning fund BYN 2.00 staked 1 bet 2 lines",
        "BYN 1.00 for each line (¶5)",
        "70 % of the money staked",
        "all 3 of 3 60 %",
        "but-one 2 of 3 40 %",
        "Nobody won on a level: its fund goes to the jackpot.",
        "The whole pool is returned: every stake goes back in full (¶32).",
        "the result is sealed by 2 of 3 signatures",
        pool.terms_digest,
        pool.terms.rules_version,
    ):
        assert told in text


def test_stakes_that_went_back_make_no_fund() -> None:
    returned, cancelled = make_pool(), make_pool()
    for pool in (returned, cancelled):
        sell(pool, ("1;X;2", 100), ("1;X;1", 100))
        assert "BYN 1.40 winning fund BYN 2.00 staked" in text_of(visitor().get(f"/pools/{pool.code}/"))
    settle(returned, "1;X;2", event_void=True)
    one, other = make_organizers()
    propose_cancellation(code=cancelled.code, reason="Rain.", document="Letter 7", proposed_by=one)
    approve_cancellation(code=cancelled.code, approved_by=other)
    for pool in (returned, cancelled):
        assert "BYN 0.00 winning fund BYN 2.00 staked" in text_of(visitor().get(f"/pools/{pool.code}/"))


def test_a_pool_closed_early_tells_when_it_closed() -> None:
    pool = make_pool()
    with english():
        shown = local_text(pool.closes_at)
    assert f"{shown} Minsk time closing" in text_of(visitor().get(f"/pools/{pool.code}/"))
    organizer, _other = make_organizers()
    close_pool(code=pool.code, actor=organizer.actor, early_by=organizer)
    pool.refresh_from_db()
    assert pool.closed_at is not None
    assert pool.closed_at < pool.closes_at
    with english():
        shown = local_text(pool.closed_at)
    closed = text_of(visitor().get(f"/pools/{pool.code}/"))
    assert f"{shown} Minsk time closed" in closed
    assert "Minsk time closing" not in closed


def test_d9_the_page_warns_what_fewer_conditions_can_reach() -> None:
    pool = make_pool(terms={"void_condition": "exclude"})
    text = text_of(visitor().get(f"/pools/{pool.code}/"))
    assert "some levels cannot be reached any more" in text
    assert "2 2 not reachable 1 1 not reachable" in text


def test_c11_a_level_between_two_numbers_of_matches_is_called_unreachable() -> None:
    level = {"code": "but-one", "from": "6667/10000", "to": "9999/10000", "share": "2/5"}
    pool = make_pool(terms={"levels": [{"code": "all", "from": "1", "to": "1", "share": "3/5"}, level]})
    text = text_of(visitor().get(f"/pools/{pool.code}/"))
    assert "but-one no ticket can reach it" in text
    assert "because their bounds lie between two numbers of matches: but-one." in text


def test_the_terms_file_is_byte_for_byte_what_was_digested() -> None:
    pool = make_pool()
    assert visitor().get(f"/pools/{pool.code}/terms.json").content == pool.terms_text.encode()


def test_the_result_page_shows_row_levels_and_signers() -> None:
    pool = make_pool()
    sell(pool, ("1;X;2", 100), ("1;X;1", 100), ("1;X;X", 100))
    assert visitor().get(f"/pools/{pool.code}/result/").status_code == 404
    settle(pool, "1;X;2")
    text = text_of(visitor().get(f"/pools/{pool.code}/result/"))
    assert "all 1 BYN 1.00 BYN 1.26 BYN 1.26 BYN 1.26 BYN 0.00" in text
    assert "but-one 2 BYN 2.00 BYN 0.84 BYN 0.42 BYN 0.84 BYN 0.00" in text
    members = [row.member.username for row in pool.members.order_by("member_id")[:2]]
    assert all(member in text for member in members)


def test_the_right_outcomes_are_marked_by_a_sign_among_a_pools_conditions_once_they_are_sealed() -> None:
    pool = make_pool()
    sell(pool, ("1;X;2", 100))
    page = f"/pools/{pool.code}/"
    assert "the right outcome" not in text_of(visitor().get(page))
    settle(pool, "1+2;void;2")
    for who in (visitor(), visitor(make_user(Role.ORGANIZER)), visitor(make_player())):
        text = text_of(who.get(page))
        assert "1 Match 1 1 ✓ right X 2 ✓ right 2 Match 2 did not take place 1 X 2 3 Match 3 1 X 2 ✓ right" in text
    texts = [text_of(visitor().get(address)) for address in (page, f"{page}result/")]
    assert [level.code for level in pool.terms.levels for text in texts if level.code not in text] == []


def test_an_empty_levels_way_is_told_in_words() -> None:
    pool = make_pool()
    sell(pool, ("2;2;1", 100))
    settle(pool, "1;X;2")
    text = text_of(visitor().get(f"/pools/{pool.code}/result/"))
    assert "BYN 0.42 to the jackpot: nobody won on the level" in text


def test_the_money_certificate_adds_up() -> None:
    pool = make_pool()
    sell(pool, ("1;X;2", 100), ("1;X;1", 100), ("2;2;1", 100))
    before = text_of(visitor().get(f"/pools/{pool.code}/money/"))
    assert "all the money staked, BYN 3.00, is in its pot" in before
    settle(pool, "1;X;2")
    text = text_of(visitor().get(f"/pools/{pool.code}/money/"))
    assert (
        "Staked BYN 3.00 + From the jackpot BYN 0.00 + Added by the organizer BYN 0.00 ="
        " Stakes returned BYN 0.00 + Takeout BYN 0.90 + Winnings BYN 2.10 + To the jackpot BYN 0.00" in text
    )
    assert "BYN 3.00 = BYN 3.00. Left in the pot: BYN 0.00. It adds up to the kopeck" in text
    assert f"python3 -m totalizator.engine verify {pool.code} --keys keys.json" in text


def test_a_stranger_verifies_a_pool_by_doing_what_the_page_says(tmp_path: Path) -> None:
    pool = make_pool(keys=make_commission())
    sell(pool, ("1;X;2", 100), ("1;X;1", 100))
    close_by_clock(pool)
    clock.move_clock(timedelta(hours=2))
    seal(pool, "1;X;2", started_at=pool.closes_at + timedelta(hours=1))
    settle_pool(code=pool.code, actor="test")
    page = visitor().get(f"/pools/{pool.code}/money/").content.decode()
    found = re.search("<pre>(.*?)</pre>", page, re.DOTALL)
    assert found is not None
    verdicts = []
    for line in found.group(1).splitlines():
        program, *words = line.split()
        if program == "curl":
            assert words[0] == "-o"
            answer = visitor().get(words[2].removeprefix("http://testserver"))
            (tmp_path / words[1]).write_bytes(answer.getvalue() if answer.streaming else answer.content)
        else:
            assert program == "python3"
            done = subprocess.run(
                [sys.executable, "-S", *words], cwd=tmp_path, env={}, capture_output=True, text=True, check=True
            )
            verdicts += [done.stdout] if "totalizator.engine" in words else []
    assert verdicts[0] == "OK\n"
    assert verdicts[1].startswith("OK\n")
    assert "signatures not checked" not in verdicts[1]


def test_the_engine_is_the_same_bytes_each_time() -> None:
    first = visitor().get("/engine.zip").content
    packed_engine.cache_clear()
    assert visitor().get("/engine.zip").content == first
    names = zipfile.ZipFile(io.BytesIO(first)).namelist()
    assert names[0] == "totalizator/__init__.py"
    assert all(name.startswith("totalizator/engine/") for name in names[1:])


def test_the_bundle_and_the_keys_verify_as_the_page_says(tmp_path: Path) -> None:
    pool = make_pool(keys=make_commission())
    sell(pool, ("1;X;2", 100), ("1;X;1", 100))
    assert visitor().get(f"/pools/{pool.code}/bundle.zip").status_code == 404
    settle(pool, "1;X;2")
    answer = visitor().get(f"/pools/{pool.code}/bundle.zip")
    assert answer["Content-Disposition"] == f'attachment; filename="{pool.code}.zip"'
    zipfile.ZipFile(io.BytesIO(answer.getvalue())).extractall(tmp_path)
    keys = tmp_path / "keys.json"
    keys.write_bytes(visitor().get("/keys.json").content)
    verdict = verify(tmp_path / pool.code, keys)
    assert (verdict.returncode, verdict.stdout.split()[:1]) == (0, ["OK"])
    statement = visitor().get(f"/api/v1/pools/{pool.code}/statement").json()
    assert statement == json.loads(Settlement.objects.get(pool=pool).statement_text)
    result = visitor().get(f"/api/v1/pools/{pool.code}/result").json()
    assert len(result["signatures"]) == 2


def test_d13_anyone_checks_a_ticket_by_number_and_code() -> None:
    pool = make_pool()
    slip = bet_in_cash(pool, make_till(), "1;X;2", 100)
    sell(pool, ("2;2;1", 100))
    form = {"ticket": slip.bet.ticket, "check_code": slip.check_code}
    assert "In play" in text_of(visitor().post("/check/", form))
    settle(pool, "1;X;2")
    book_payables(code=pool.code)
    assert "Won; not payable yet: BYN 0.84" in text_of(visitor().post("/check/", form))


def test_an_unknown_number_and_a_wrong_code_get_one_answer() -> None:
    pool = make_pool()
    slip = bet_in_cash(pool, make_till(), "1;X;2", 100)
    said = []
    for form in (
        {"ticket": slip.bet.ticket, "check_code": "00000000000000"},
        {"ticket": f"{pool.code}-0000000000", "check_code": slip.check_code},
        {"ticket": "no such pool", "check_code": "x"},
    ):
        answer = visitor().post("/check/", form)
        said.append((answer.status_code, text_of(answer).partition("There is no ticket")[2][:60]))
    assert len(set(said)) == 1
    assert said[0][1]


def test_guessing_codes_is_slowed_down_whatever_the_client_says_of_itself() -> None:
    form = {"ticket": "T-0000000000", "check_code": "0"}
    statuses = [
        visitor().post("/check/", form, headers={"X-Forwarded-For": f"10.0.0.{number}"}).status_code
        for number in range(22)
    ]
    assert statuses[:20] == [400] * 20
    assert statuses[20:] == [429] * 2


def test_rules_are_shown_by_version() -> None:
    pool = make_pool()
    for path in ("/rules/", f"/rules/{pool.terms.rules_version}/"):
        assert "The acceptance conditions." in text_of(visitor().get(path))
    assert visitor().get("/rules/sha256:none/").status_code == 404


@pytest.mark.parametrize(
    ("language", "words"), [("ru", "Пулы, в которых"), ("be", "Пулы, у якіх"), ("en", "Pools open")]
)
def test_the_language_is_switched(language: str, words: str) -> None:
    client = visitor(language="en")
    assert client.post("/i18n/setlang/", {"language": language, "next": "/"}).status_code == 302
    assert words in client.get("/").content.decode()


def test_russian_is_what_a_visitor_without_a_wish_gets() -> None:
    from django.test import Client

    assert '<html lang="ru">' in Client().get("/").content.decode()
