"""What others' software got wrong about dividends, levels and the jackpot, settled on real rows (cases C01-C20)."""

import pytest
from django.db import DatabaseError, transaction

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.models import Transfer
from pools.models import Pool, PoolState, Settlement, Winning
from pools.services.drafting import redraft_pool
from pools.tasks import settle_due_pools
from tests.making import bet_from_account, make_player, make_pool
from tests.resulting import close_by_clock, seal
from tests.settling import jackpot_of, moved, owed, pot_of, sell, settle, winnings_of
from totalizator.core.errors import DomainError, Refusal
from totalizator.engine.canonical import parse_json

pytestmark = pytest.mark.django_db

LEVELS_60_40 = [
    {"code": "100", "from": "1", "to": "1", "share": "3/5"},
    {"code": "80", "from": "4/5", "to": "4/5", "share": "2/5"},
]
ALL_FIRST = "1;1;1;1;1"


def variant_pool(price: int, fund: str = "1", **terms: object) -> Pool:
    return make_pool("sportloto-variant", terms={"price": {"line": price}, "fund": fund, **terms})


def pool_of_c15() -> Pool:
    """A pot of 1,000.00: four bets with four of five right, six with none."""
    pool = make_pool(conditions=5, terms={"price": {"line": 10_000}, "fund": "1", "levels": LEVELS_60_40})
    sell(pool, *[("1;1;1;1;2", 10_000)] * 4, *[("2;2;2;2;2", 10_000)] * 6)
    return pool


def test_c01_an_indivisible_fund_leaves_a_kopeck_to_the_jackpot() -> None:
    pool = variant_pool(price=1_000)
    winners = sell(pool, *[("1", 1_000)] * 3)
    sell(pool, *[("X", 1_000)] * 7)
    settle(pool, "1")
    assert winnings_of(pool) == {(ticket, "all"): 3_333 for ticket in winners}
    assert moved(pool, TransferKind.JACKPOT_REMAINDER) == 1
    assert (owed(AccountKind.WINNINGS_DUE, pool), jackpot_of(pool.game), pot_of(pool)) == (9_999, 1, 0)


def test_c02_three_equal_winners_never_get_more_than_the_fund() -> None:
    pool = variant_pool(price=2_000)
    winners = sell(pool, *[("1", 2_000)] * 3)
    sell(pool, *[("2", 2_000)] * 7)
    settle(pool, "1")
    assert winnings_of(pool) == {(ticket, "all"): 6_666 for ticket in winners}
    assert moved(pool, TransferKind.JACKPOT_REMAINDER) == 2
    assert (owed(AccountKind.WINNINGS_DUE, pool), jackpot_of(pool.game), pot_of(pool)) == (19_998, 2, 0)


def test_c07_everybody_won_and_the_fund_is_below_the_stakes() -> None:
    pool = variant_pool(price=10_000, fund="4/5")
    winners = sell(pool, *[("1", 10_000)] * 10)
    settle(pool, "1")
    assert winnings_of(pool) == {(ticket, "all"): 8_000 for ticket in winners}
    assert owed(AccountKind.TAKEOUT, pool) == 20_000
    assert moved(pool, TransferKind.TOP_UP) == 0


def test_c07_a_minimum_winning_is_topped_up_by_the_organizer() -> None:
    pool = variant_pool(price=10_000, fund="4/5", min_dividend={"amount": 10_000, "below": "top_up"})
    winners = sell(pool, *[("1", 10_000)] * 10)
    statement = settle(pool, "1")
    assert winnings_of(pool) == {(ticket, "all"): 10_000 for ticket in winners}
    assert (statement["winnings"], statement["added"]) == (100_000, 20_000)
    assert moved(pool, TransferKind.TOP_UP) == 20_000
    assert moved(pool, TransferKind.JACKPOT_REMAINDER) == 0
    assert (owed(AccountKind.TAKEOUT, pool), pot_of(pool)) == (20_000, 0)


def test_d1_what_a_maximum_winning_cuts_off_goes_to_the_jackpot() -> None:
    pool = variant_pool(price=10_000, max_dividend={"amount": 30_000, "above": "jackpot"})
    winners = sell(pool, ("1", 10_000), ("1", 10_000))
    sell(pool, *[("X", 10_000)] * 8)
    settle(pool, "1")
    assert winnings_of(pool) == {(ticket, "all"): 30_000 for ticket in winners}
    assert moved(pool, TransferKind.JACKPOT_CAP) == 40_000
    assert (jackpot_of(pool.game), pot_of(pool)) == (40_000, 0)


def test_c09_one_player_with_fifteen_winning_tickets_wins_fifteen_times() -> None:
    pool, player = variant_pool(price=100), make_player(1_500)
    tickets = [bet_from_account(pool, player, "1", 100).bet.ticket for _ in range(15)]
    sell(pool, *[("X", 100)] * 15)
    settle(pool, "1")
    assert winnings_of(pool) == {(ticket, "all"): 200 for ticket in tickets}
    assert owed(AccountKind.WINNINGS_DUE, pool) == 3_000


def test_c13_dead_heat_shared_by_lines() -> None:
    pool = variant_pool(price=10_000, fund="9/10")
    winners = sell(pool, *[("1", 10_000)] * 4, ("X", 10_000))
    sell(pool, *[("2", 10_000)] * 5)
    settle(pool, "1+X")
    assert winnings_of(pool) == {(ticket, "all"): 18_000 for ticket in winners}
    assert owed(AccountKind.TAKEOUT, pool) == 10_000


def test_c13_dead_heat_shared_by_stakes() -> None:
    pool = make_pool("totolot-variant")
    winners = sell(pool, ("1", 10_000), ("1", 30_000), ("X", 10_000))
    sell(pool, ("2", 50_000))
    statement = settle(pool, "1+X")
    assert statement["levels"][0]["coefficient"] == "6/5"
    assert winnings_of(pool) == dict(zip([(t, "all") for t in winners], [12_000, 36_000, 12_000], strict=True))


def test_c15_an_empty_level_goes_to_the_jackpot() -> None:
    pool = pool_of_c15()
    settle(pool, ALL_FIRST)
    assert sorted(winnings_of(pool).values()) == [10_000] * 4
    assert {level for _ticket, level in winnings_of(pool)} == {"80"}
    assert moved(pool, TransferKind.JACKPOT_NO_WINNER) == 60_000
    assert (jackpot_of(pool.game), pot_of(pool)) == (60_000, 0)


def test_c16_nobody_won_at_all() -> None:
    pool = make_pool(conditions=5, terms={"price": {"line": 10_000}, "fund": "1", "levels": LEVELS_60_40})
    sell(pool, *[("2;2;2;2;2", 10_000)] * 10)
    settle(pool, ALL_FIRST)
    assert winnings_of(pool) == {}
    assert (jackpot_of(pool.game), pot_of(pool), pool.state) == (100_000, 0, PoolState.SETTLED)


def test_c17_the_settlement_task_run_twice_settles_once() -> None:
    pool = pool_of_c15()
    close_by_clock(pool)
    seal(pool, ALL_FIRST)
    settle_due_pools()
    first = list(Transfer.objects.filter(book=pool.pk).values_list("key", flat=True))
    settle_due_pools()
    assert pool.protocols.count() == 1
    assert jackpot_of(pool.game) == 60_000
    assert list(Transfer.objects.filter(book=pool.pk).values_list("key", flat=True)) == first
    assert Winning.objects.filter(pool=pool).count() == 4


def test_c19_the_level_table_cannot_change_after_bets_were_taken() -> None:
    pool = pool_of_c15()
    document = parse_json(pool.terms_text.encode(), where="terms.json")
    for level in document["levels"]:
        level["share"] = "1/2"
    with pytest.raises(DomainError) as refusal:
        redraft_pool(code=pool.code, document=document, prepared_by=pool.prepared_by)
    assert refusal.value.code == Refusal.WRONG_STATE
    with pytest.raises(DatabaseError, match="its terms cannot change"), transaction.atomic():
        Pool.objects.filter(pk=pool.pk).update(terms_text=pool.terms_text.replace("3/5", "1/2"))
    statement = settle(pool, ALL_FIRST)
    assert [level["fund"] for level in statement["levels"]] == [60_000, 40_000]


def pool_of_c20(void_condition: str) -> tuple[Pool, str]:
    """Ten conditions, winning from 90 % on; a ticket with 8 of the 9 right, and a system coupon with a double in the
    condition that will be void."""
    level = {"code": "90", "from": "9/10", "to": "1", "share": "1"}
    pool = make_pool(conditions=10, terms={"levels": [level], "void_condition": void_condition, "fund": "1"})
    (ticket,) = sell(pool, ("1;1;1;1;1;1;1;1;2;1", 100))
    return pool, ticket


TENTH_VOID = "1;1;1;1;1;1;1;1;1;void"


def test_c20_a_void_condition_counts_as_matched() -> None:
    pool, ticket = pool_of_c20("all_match")
    statement = settle(pool, TENTH_VOID)
    assert winnings_of(pool) == {(ticket, "90"): 100}
    assert statement["void"] == ["10"]


def test_c20_a_void_condition_shrinks_the_base() -> None:
    pool, _ticket = pool_of_c20("exclude")
    settle(pool, TENTH_VOID)
    assert winnings_of(pool) == {}
    assert jackpot_of(pool.game) == 100


def test_c20_a_void_condition_returns_the_pool() -> None:
    pool, _ticket = pool_of_c20("refund")
    statement = settle(pool, TENTH_VOID)
    assert (statement["refunds"], statement["takeout"], statement["winnings"]) == (100, 0, 0)
    assert winnings_of(pool) == {}
    assert (owed(AccountKind.REFUNDS_DUE, pool), jackpot_of(pool.game), pot_of(pool)) == (100, 0, 0)


@pytest.mark.parametrize(("void_condition", "lines"), [("all_match", 2), ("exclude", 2)])
def test_i8_a_double_in_a_void_condition_doubles_the_lines(void_condition: str, lines: int) -> None:
    level = {"code": "90", "from": "9/10", "to": "1", "share": "1"}
    pool = make_pool(conditions=10, terms={"levels": [level], "void_condition": void_condition, "fund": "1"})
    system, single = sell(pool, ("1;1;1;1;1;1;1;1;1;1+X", 200), ("1;1;1;1;1;1;1;1;1;2", 100))
    settle(pool, TENTH_VOID)
    assert winnings_of(pool) == {(system, "90"): 200, (single, "90"): 100}
    assert Winning.objects.get(pool=pool, ticket=system).lines == lines


def test_what_a_settlement_was_computed_to_be_cannot_change() -> None:
    pool = pool_of_c15()
    settle(pool, ALL_FIRST)
    settlement = Settlement.objects.filter(pool=pool)
    for change in ({"statement_text": "{}"}, {"state": "calculated"}, {"payable_until": None}):
        with pytest.raises(DatabaseError, match="only become disputed or"), transaction.atomic():
            settlement.update(**change)
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        Winning.objects.filter(pool=pool).update(amount=1)
