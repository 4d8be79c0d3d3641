"""Typed coupons, files of coupons, quick picks, caps (B1, B6, B7)."""

from datetime import date
from functools import partial

import pytest

from accounts.ledger.balances import balance
from accounts.models import Person
from pools.models import Bet
from pools.services.coupon_files import check_file, sell_file
from pools.services.sources import from_till
from pools.services.typed_coupons import random_selections, read_typed
from tests.carding import bet_by_card, bought
from tests.making import account_of, bet_from_account, bet_in_cash, make_player, make_pool, make_till
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.models import LegalNumber
from totalizator.engine.coupon import read_selections

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("typed", "selections"),
    [
        ("1X2", "1;X;2"),
        ("1x2", "1;X;2"),
        ("1Х2", "1;X;2"),  # a Cyrillic Ha
        (" 1 X 2 ", "1;X;2"),
        ("(21)X2", "1+2;X;2"),
        ("1;X;2+1", "1;X;1+2"),
        ("1;X", "1;X"),
        ("197", "1;9;7"),
    ],
)
def test_typed_coupons_become_selections(typed: str, selections: str) -> None:
    assert read_typed(make_pool().terms, typed) == selections


def test_a_missing_bracket_is_refused() -> None:
    with pytest.raises(DomainError) as caught:
        read_typed(make_pool().terms, "1(X2")
    assert caught.value.code is Refusal.BAD_SELECTION


def test_a_quick_pick_is_one_line() -> None:
    terms = make_pool().terms
    assert read_selections(terms, random_selections(terms)).lines == 1


def test_b7_a_file_with_three_bad_lines_sells_nothing() -> None:
    pool, till = make_pool(), make_till()
    rows = ["1X2"] * 1_000
    rows[9], rows[499], rows[999] = "1X", "1X9", "1(X2"
    checked = check_file(pool_code=pool.code, text="\n".join(rows))
    assert [fault.number for fault in checked.faults] == [10, 500, 1_000]
    assert till.cashier is not None
    with pytest.raises(DomainError):
        sell_file(pool_code=pool.code, checked=checked, source=from_till(till.cashier), idempotency_key="F")
    assert not Bet.objects.exists()
    assert balance(till.ledger_account) == 0


def test_b7_a_right_file_is_sold_whole_and_once() -> None:
    pool, till = make_pool(), make_till()
    assert till.cashier is not None
    checked = check_file(pool_code=pool.code, text="1X2\n\n(1X)11\r\n111\n")
    assert checked.total == 400
    for _ in range(2):
        placed = sell_file(pool_code=pool.code, checked=checked, source=from_till(till.cashier), idempotency_key="F")
        assert [bet.bet.lines for bet in placed] == [1, 2, 1]
    assert Bet.objects.count() == 3
    assert balance(till.ledger_account) == 400


def test_b7_a_file_refused_half_way_sells_nothing() -> None:
    pool, player = make_pool(), make_player(250)
    from pools.services.sources import from_game_account

    checked = check_file(pool_code=pool.code, text="1X2\n111\n222")
    with pytest.raises(DomainError) as caught:
        sell_file(pool_code=pool.code, checked=checked, source=from_game_account(player), idempotency_key="F")
    assert caught.value.code is Refusal.INSUFFICIENT_FUNDS
    assert not Bet.objects.exists()
    assert balance(account_of(player).ledger_account) == 250


def cap(name: str, kopecks: int) -> None:
    LegalNumber.objects.create(name=name, valid_from=date(2020, 1, 1), value=str(kopecks), source="test")


def test_b6_a_coupon_over_its_cap_is_refused_alike_at_a_till_and_from_an_account() -> None:
    cap("coupon_cap", 200)
    pool, till, player = make_pool(), make_till(), make_player(1_000)
    bet_in_cash(pool, till, "1+X;1;1", 200)
    for refuse in (
        partial(bet_in_cash, pool, till, "1+X+2;1;1", 300),
        partial(bet_from_account, pool, player, "1+X+2;1;1", 300),
    ):
        with pytest.raises(DomainError) as caught:
            refuse()
        assert (caught.value.code, caught.value.details["cap"]) == (Refusal.BAD_STAKE, 200)
    assert Bet.objects.count() == 1
    assert balance(account_of(player).ledger_account) == 1_000


def test_b6_a_player_over_the_cap_of_a_pool_is_refused_in_that_pool_only() -> None:
    cap("player_pool_cap", 200)
    pool, other, player = make_pool(), make_pool(), make_player(1_000)
    bet_from_account(pool, player, "1;1;1", 100)
    bet_from_account(pool, player, "1;1;1", 100)
    with pytest.raises(DomainError):
        bet_from_account(pool, player, "1;1;1", 100)
    bet_from_account(other, player, "1;1;1", 100)
    assert balance(account_of(player).ledger_account) == 700


def test_b6_a_players_cap_counts_cards_and_desks_too() -> None:
    cap("player_pool_cap", 300)
    pool, till, player = make_pool(), make_till(), make_player(1_000)
    (card,) = bought(till)
    person = Person.objects.get(player=player)
    bet_from_account(pool, player, "1;1;1", 100)
    bet_by_card(pool, card, "1;1;1", 100, asked_by=player)
    bet_in_cash(pool, till, "1;1;1", 100, person=person)
    for refuse in (
        partial(bet_from_account, pool, player, "1;1;1", 100),
        partial(bet_by_card, pool, card, "1;1;1", 100, asked_by=player),
        partial(bet_in_cash, pool, till, "1;1;1", 100, person=person),
    ):
        with pytest.raises(DomainError) as caught:
            refuse()
        assert caught.value.details == {"cap": 300, "amount": 400}
    assert (Bet.objects.count(), card.money, balance(till.ledger_account)) == (3, 900, 1_100)


def test_b6_a_point_over_its_cap_is_refused() -> None:
    cap("point_pool_cap", 150)
    pool, till = make_pool(), make_till()
    bet_in_cash(pool, till, "1;1;1", 100)
    with pytest.raises(DomainError):
        bet_in_cash(pool, till, "1;1;1", 100)
    bet_in_cash(pool, make_till(), "1;1;1", 100)
    assert balance(till.ledger_account) == 100
