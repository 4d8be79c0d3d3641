"""Pages of pools that are played: for everybody, for a player's own coupons, for who tells how it stands (O2)."""

import pytest

from accounts.models import Role, User
from pools.models import FeedFormat, Pool, ProvisionalResult, ResultEntry
from pools.services.provisional import count_alive_lines
from pools.services.result_feeds import add_feed, propose_from_file
from pools.services.results import enter_result
from tests.functional.browsing import text_of, visitor
from tests.functional.calling import Caller
from tests.making import bet_from_account, make_player, make_pool, make_user
from tests.refusals import every_row
from tests.resulting import close_by_clock, make_result, members_of, seal
from tests.settling import sell
from totalizator.core.money import plain_byn

pytestmark = pytest.mark.django_db


def played(player: User, *, game: str = "sportloto-position", stake: int = 100) -> Pool:
    """A closed pool of three conditions with two coupons of the player's, and one of somebody else's."""
    pool = make_pool(game)
    bet_from_account(pool, player, "1+X;1;1", 2 * stake)
    bet_from_account(pool, player, "2;2;2", stake)
    sell(pool, ("1;1;1", stake))
    return close_by_clock(pool)


def tell(pool: Pool, staff: User, **marks: list[str]) -> None:
    sent = {f"condition-{name.removeprefix('c')}": outcomes for name, outcomes in marks.items()}
    answer = visitor(staff).post(f"/desk/pools/{pool.code}/provisional/", sent)
    assert answer.status_code == 302
    count_alive_lines()


def test_o2_what_is_told_is_seen_by_all_and_each_player_sees_the_own_lines() -> None:
    staff, player = make_user(Role.ORGANIZER), make_player(1_000)
    pool = played(player)
    everybody, mine = visitor(), visitor(player)
    here = f"/pools/{pool.code}/alive/"
    page = everybody.get(here)
    assert "Nothing is known yet: every line can still win." in text_of(page)
    assert 'hx-trigger="every 30s"' in page.content.decode()
    assert here in everybody.get(f"/pools/{pool.code}/").content.decode()
    assert "Pool" in text_of(mine.get("/my/alive/"))
    first, second = (bet.ticket for bet in player.bets.order_by("registered_at"))
    before = text_of(mine.get("/my/alive/now/"))
    assert f"{second} 1 1 1 alive" in before
    assert f"{first} 2 2 2 alive" in before

    tell(pool, staff, c1=["1"], c2=["1"])
    part = everybody.get(f"{here}now/")
    # Of 4.00 staked 2.80 is the fund: 1.68 for all right, 1.12 for all but one.
    assert "BYN 2.80 winning fund 2 / 3 known" in text_of(part)
    assert "all 3 2 BYN 0.84 0 —" in text_of(part)
    assert "but-one 2 3 BYN 0.37 2 BYN 0.56" in text_of(part)
    assert "<html" not in part.content.decode()
    now = text_of(mine.get("/my/alive/now/"))
    assert f"{first} 2 1 2 alive" in now
    assert f"{second} 1 0 0 can win no more" in now
    assert "A line would win about BYN 0.84 BYN 0.37" in now
    bet_page = text_of(mine.get(f"/my/bets/{first}/"))
    assert "2 of 3 known" in bet_page
    assert "Match 1 hit" in bet_page
    assert "Match 3 not known yet" in bet_page
    assert "Match 2 missed" in text_of(mine.get(f"/my/bets/{second}/"))
    other = text_of(visitor(make_player()).get("/my/alive/"))
    assert "None of your coupons is being played now." in other

    seal(pool, "1;1;1")
    for address in (here, f"{here}now/"):
        ended = everybody.get(address).content.decode()
        assert f'href="/pools/{pool.code}/result/"' in ended
        assert "hx-get" not in ended
    assert "None of your coupons is being played now." in text_of(mine.get("/my/alive/"))


def test_o2_by_stakes_the_page_shows_coefficients() -> None:
    staff, player = make_user(Role.ORGANIZER), make_player(10_000)
    pool = played(player, game="totolot-position", stake=1_000)
    tell(pool, staff, c1=["1"], c2=["1"], c3=["1"])
    # Of 40.00 staked 24.00 is the fund: 14.40 over 20.00 of stakes, 9.60 over 10.00.
    part = text_of(visitor().get(f"/pools/{pool.code}/alive/now/"))
    assert "all 3 BYN 20.00 0.720000 BYN 20.00 0.720000" in part
    assert "but-one 2 BYN 10.00 0.960000 BYN 10.00 0.960000" in part


def test_o2_what_cannot_be_told_is_said_at_its_field_and_tells_nothing() -> None:
    staff, player = make_user(Role.ORGANIZER), make_player(1_000)
    pool = played(player)
    client, here = visitor(staff), f"/desk/pools/{pool.code}/provisional/"
    client.get(here)
    before = every_row()
    for sent, field, words in (
        ({}, "__all__", "Enter how at least one condition stands."),
        ({"condition-1": ["5"]}, "condition-1", "Select a valid choice."),
        ({"condition-1": ["void", "1"]}, "condition-1", "What did not take place has no right outcome."),
    ):
        answer = client.post(here, sent)
        assert (answer.status_code, words in str(answer.context["form"].errors[field])) == (400, True), sent
    assert every_row() == before
    tell(pool, staff, c1=["1"])
    taken_back = client.post(here, {"condition-2": ["X"]})
    assert "it cannot be taken back" in str(taken_back.context["form"].errors["condition-1"])
    assert ProvisionalResult.objects.count() == 1
    seal(pool, "1;1;1")
    late = client.post(here, {"condition-1": ["1"], "condition-2": ["1"]})
    assert (late.status_code, ProvisionalResult.objects.count()) == (400, 1)


def test_u2_what_a_feed_says_is_told_by_a_button_and_no_members_entry_is_shown() -> None:
    staff, player = make_user(Role.ORGANIZER), make_player(1_000)
    pool = played(player)
    enter_result(code=pool.code, member=members_of(pool)[0], result=make_result(pool, "2;2;2"))
    assert ResultEntry.objects.count() == 1
    feed = add_feed(name="The wire", feed_format=FeedFormat.CSV, added_by=staff)
    text = f"pool;condition;outcomes\n{pool.code};1;X\n".encode()
    proposal = propose_from_file(feed=feed, code=pool.code, name="wire.csv", file=text, brought_by=staff)
    client, publish = visitor(staff), f"/desk/pools/{pool.code}/provisional/{proposal.pk}/publish/"
    assert publish in client.get(f"/desk/pools/{pool.code}/provisional/").content.decode()
    client.get(publish)
    assert not ProvisionalResult.objects.exists()
    assert "Nothing is known yet" in text_of(visitor().get(f"/pools/{pool.code}/alive/"))
    assert "Everybody is told" in text_of(client.post(publish, follow=True))
    shown = text_of(visitor().get(f"/pools/{pool.code}/alive/"))
    assert "1 Match 1 1 X ✓ right 2" in shown
    assert shown.count("not known yet") == 2
    assert client.post(f"/desk/pools/{pool.code}/provisional/{10**15}/publish/").status_code == 404
    other = played(make_player(1_000))
    assert visitor(staff).post(f"/desk/pools/{other.code}/provisional/{proposal.pk}/publish/").status_code == 404


def test_o2_a_pool_on_sale_is_not_being_played() -> None:
    pool = make_pool()
    page = visitor().get(f"/pools/{pool.code}/alive/")
    assert "Bets are still taken." in text_of(page)
    assert "hx-get" not in page.content.decode()
    assert visitor().get("/pools/T-NONE/alive/").status_code == 404


def test_o2_anybody_reads_the_same_over_the_api_and_it_is_never_called_a_result() -> None:
    staff, player = make_user(Role.ORGANIZER), make_player(1_000)
    pool = played(player)
    here = f"pools/{pool.code}/alive"
    before = Caller().get(here).json()
    assert (before["provisional"], before["conditions"], before["told_at"], before["levels"]) == (True, {}, None, [])
    tell(pool, staff, c1=["1"])
    answer = Caller().get(here)
    told = answer.json()
    assert (told["state"], told["conditions"], told["told_by"]) == ("closed", {"1": ["1"]}, "the organizer's desk")
    page = visitor().get(f"/pools/{pool.code}/alive/").context["levels"]
    assert [(level["code"], level["lines_alive"], level["lines_now"]) for level in told["levels"]] == [
        (level.code, level.lines_alive, level.lines_now) for level in page
    ]
    assert [level["rate_alive"] for level in told["levels"]] == [
        None if level.rate_alive is None else plain_byn(int(level.rate_alive)) for level in page
    ]
    assert Caller().get(here, **{"If-None-Match": answer["ETag"]}).status_code == 304
    seal(pool, "1;1;1")
    after = Caller().get(here).json()
    assert (after["provisional"], after["levels"], after["state"]) == (False, [], "resulted")
    assert Caller().get("pools/NONE/alive").status_code == 404
