"""What is told of a result while it is played, and the lines of a pool that can still win by it (O2, U2)."""

import json
from functools import partial
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from accounts.models import Role
from pools.models import AliveCount, FeedFormat, Pool, ProvisionalResult, ResultEntry, ResultProposal
from pools.queries.alive_tally import count_alive
from pools.queries.provisional import known_so_far
from pools.services import provisional
from pools.services.provisional import OWN_FEED, count_alive_lines, enter_provisional, publish_proposal
from pools.services.result_feeds import add_feed, propose_from_file
from pools.services.results import enter_result
from pools.services.settling import settle_pool
from tests.loaded_bets import load_bets
from tests.making import make_player, make_pool, make_user
from tests.refusals import every_row, refused
from tests.resulting import close_by_clock, make_result, members_of, seal
from tests.settling import sell, statement_of
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db


def closed(*bets: tuple[str, int], **shape: Any) -> Pool:
    pool = make_pool(**shape)
    sell(pool, *bets)
    return close_by_clock(pool)


def tell(pool: Pool, **conditions: str | list[str]) -> ProvisionalResult:
    """Tell how conditions stand: `c1=["1"]`, and let the bets be counted."""
    told = {code.removeprefix("c"): outcomes for code, outcomes in conditions.items()}
    row = enter_provisional(code=pool.code, conditions=told, entered_by=make_user(Role.ORGANIZER))
    count_alive_lines()
    return row


def levels(pool: Pool, which: str = "alive") -> dict[str, tuple[int, int | None]]:
    """Level → its lines and its dividend, as they were counted last."""
    counted = AliveCount.objects.filter(provisional__pool=pool).order_by("-pk")[0]
    statement = json.loads(counted.document_text)[which]
    return {level["code"]: (level["lines"], level["dividend"]) for level in statement["levels"]}


def test_o2_lines_die_as_conditions_become_known_and_at_the_end_it_is_the_settlement() -> None:
    pool = closed(("1;1;1", 100), ("1+X;1;1", 200), ("2;2;2", 100), ("1;1;2", 100))
    # 5.00 staked, 3.50 to be won: 2.10 for all three, 1.40 for two of them.
    tell(pool, c1=["1"])
    assert levels(pool) == {"all": (3, 70), "but-one": (5, 28)}
    assert levels(pool, "so_far") == {"all": (0, None), "but-one": (0, None)}
    tell(pool, c2=["1"])
    assert levels(pool) == {"all": (3, 70), "but-one": (4, 35)}
    assert levels(pool, "so_far") == {"all": (0, None), "but-one": (3, 46)}
    tell(pool, c3=["1"])
    at_the_end = levels(pool)
    assert at_the_end == levels(pool, "so_far") == {"all": (2, 105), "but-one": (2, 70)}
    seal(pool, "1;1;1")
    settle_pool(code=pool.code, actor="test")
    settled = {level["code"]: (level["lines"], level["dividend"]) for level in statement_of(pool)["levels"]}
    assert at_the_end == settled


def test_o2_what_is_told_later_prevails_and_the_same_is_told_once() -> None:
    pool = closed(("1;1;1", 100))
    first = tell(pool, c1=["1"], c2=["1"])
    assert tell(pool, c1=["1"], c2=["1"]) == first
    tell(pool, c1=["X"])
    assert known_so_far(pool).told == {"1": ["X"], "2": ["1"]}
    assert levels(pool) == {"all": (0, None), "but-one": (1, 28)}
    again = tell(pool, c1=["1"], c2=["1"])  # the score went back
    assert (again.proposal, known_so_far(pool).told) == (first.proposal, {"1": ["1"], "2": ["1"]})
    assert ProvisionalResult.objects.count() == 3
    assert JournalRecord.objects.filter(act="publish_provisional_result").count() == 3


def test_o2_by_stakes_and_with_a_condition_that_did_not_take_place() -> None:
    pool = closed(("1;1;1", 1_000), ("1;2;2", 3_000), game="totolot-position", terms={"void_condition": "all_match"})
    tell(pool, c2="void")
    document = json.loads(AliveCount.objects.get().document_text)
    assert [(level["code"], level["stakes"]) for level in document["alive"]["levels"]] == [
        ("all", 4_000),
        ("but-one", 4_000),
    ]
    tell(pool, c1=["1"])
    tell(pool, c3=["1"])
    document = json.loads(AliveCount.objects.order_by("-pk")[0].document_text)
    assert [(level["stakes"], level["coefficient"]) for level in document["alive"]["levels"]] == [
        (1_000, "36/25"),
        (3_000, "8/25"),
    ]


def test_o2_when_everything_goes_back_no_line_is_alive() -> None:
    pool = closed(("1;1;1", 100))  # a void condition returns all stakes by these terms
    tell(pool, c2="void")
    document = json.loads(AliveCount.objects.get().document_text)["alive"]
    assert (document["turnover"], document["refunds"], document["fund"]) == (100, 100, 0)
    assert levels(pool) == {"all": (0, None), "but-one": (0, None)}


def test_o2_is_told_by_staff_of_a_closed_pool_without_a_result_and_stays() -> None:
    staff, pool = make_user(Role.ORGANIZER), make_pool()
    enter = partial(enter_provisional, code=pool.code, conditions={"1": ["1"]})
    assert refused(partial(enter, entered_by=staff)).code == Refusal.WRONG_STATE  # it is on sale
    for nobody in (make_player(), make_user(Role.CASHIER), members_of(pool)[0]):
        before = every_row()
        assert refused(partial(enter, entered_by=nobody)).code == Refusal.NOT_ALLOWED
        assert every_row() == before
    sell(pool, ("1;1;1", 100))
    close_by_clock(pool)
    before = every_row()
    wrong: tuple[dict[str, str | list[str]], ...] = ({}, {"9": ["1"]}, {"1": ["5"]}, {"1": []})
    for conditions in wrong:
        refusal = refused(partial(enter_provisional, code=pool.code, conditions=conditions, entered_by=staff))
        assert refusal.code == Refusal.BAD_VALUE, conditions
    assert every_row() == before
    told = tell(pool, c1=["1"])
    for sql in ("UPDATE pools_provisionalresult SET pool_id = 0", "DELETE FROM pools_alivecount"):
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(sql)
    seal(pool, "1;1;1")
    assert refused(partial(publish_proposal, proposal=told.proposal, published_by=staff)).code == Refusal.WRONG_STATE


def test_u2_a_feeds_proposal_is_told_only_when_somebody_publishes_it() -> None:
    staff, pool = make_user(Role.ORGANIZER), closed(("1;1;1", 100))
    feed = add_feed(name="The wire", feed_format=FeedFormat.CSV, added_by=staff)
    text = f"pool;condition;outcomes\n{pool.code};3;2\n".encode()
    proposal = propose_from_file(feed=feed, code=pool.code, name="wire.csv", file=text, brought_by=staff)
    assert known_so_far(pool).told == {}
    publish_proposal(proposal=proposal, published_by=staff)
    assert known_so_far(pool).told == {"3": ["2"]}


def test_o2_what_a_member_entered_is_never_told() -> None:
    pool = closed(("1;1;1", 100))
    enter_result(code=pool.code, member=members_of(pool)[0], result=make_result(pool, "2;2;2"))
    assert ResultEntry.objects.count() == 1
    tell(pool, c1=["1"])
    assert (known_so_far(pool).told, ResultProposal.objects.get().feed.name) == ({"1": ["1"]}, OWN_FEED)


def test_o2_of_many_bets_the_count_at_the_end_is_the_settlement() -> None:
    pool = make_pool(conditions=6)
    load_bets(pool, 3_000)
    close_by_clock(pool)
    ends = dict(zip("123456", "1X2112", strict=True))
    tell(pool, **{f"c{code}": [outcome] for code, outcome in ends.items()})
    told = levels(pool)
    seal(pool, ";".join(ends.values()))
    settle_pool(code=pool.code, actor="test")
    assert told == {level["code"]: (level["lines"], level["dividend"]) for level in statement_of(pool)["levels"]}


def test_o2_one_pool_that_cannot_be_counted_stops_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    bad, good = closed(("1;1;1", 100)), closed(("1;1;1", 100))
    staff = make_user(Role.ORGANIZER)
    for pool in (bad, good):
        enter_provisional(code=pool.code, conditions={"1": ["1"]}, entered_by=staff)

    def fails(pool: Pool, *args: Any, **options: Any) -> Any:
        if pool == bad:
            raise RuntimeError("a test")
        return count_alive(pool, *args, **options)

    monkeypatch.setattr(provisional, "count_alive", fails)
    assert count_alive_lines() == 1
    assert levels(good) == {"all": (1, 42), "but-one": (1, 28)}
    monkeypatch.setattr(provisional, "count_alive", count_alive)
    assert (count_alive_lines(), count_alive_lines()) == (1, 0)


def test_o2_a_late_bet_is_not_alive() -> None:
    pool = closed(("1;1;1", 100))
    staff = make_user(Role.ORGANIZER)
    feed = add_feed(name="The wire", feed_format=FeedFormat.JSON, added_by=staff)
    file = {"pool": pool.code, "conditions": {"1": ["1"]}, "first_started_at": "2020-01-01T00:00:00Z"}
    proposal = propose_from_file(
        feed=feed, code=pool.code, name="wire.json", file=json.dumps(file).encode(), brought_by=staff
    )
    publish_proposal(proposal=proposal, published_by=staff)
    count_alive_lines()
    assert levels(pool) == {"all": (0, None), "but-one": (0, None)}
