"""Limits on one's own play: lowered at once, raised in a day, binding the person in every channel (P1, X15)."""

from datetime import date, datetime, timedelta
from functools import partial

import pytest
from django.db import transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from accounts.models import LimitKind, LimitPeriod, LimitRaise, Person, PlayLimit, User
from accounts.services.limits import (
    ask_to_remove_limit,
    confirm_raise,
    set_limit,
)
from accounts.services.persons import person_at_desk, person_of
from pools.models import Bet, Pool
from pools.queries.played import lost_since, staked_since
from pools.services.betting import PlacedBet, place_bet
from pools.services.cancelling import approve_cancellation, propose_cancellation
from pools.services.sources import from_till
from tests.making import (
    account_of,
    admit,
    bet_from_account,
    keep_register_fresh,
    make_organizers,
    make_player,
    make_pool,
    make_till,
    put_on_account,
)
from tests.refusals import refused
from tests.settling import settle
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal

pytestmark = pytest.mark.django_db
DAY, WEEK, MONTH = LimitPeriod.DAY, LimitPeriod.WEEK, LimitPeriod.MONTH
DEPOSIT, STAKE, LOSS = LimitKind.DEPOSIT, LimitKind.STAKE, LimitKind.LOSS
NUMBER, BORN = "3310590A001PB5", date(1990, 5, 31)


def long_pool() -> Pool:
    """A pool that takes any stake for a season."""
    return make_pool("totolot-position", lasts=timedelta(days=120))


def bet(pool: Pool, player: User, stake: int) -> PlacedBet:
    return bet_from_account(pool, player, "1;1;1", stake)


def over(pool: Pool, player: User, stake: int) -> DomainError:
    """Bet, expect a refusal that changed nothing, and return it."""
    return refused(partial(bet, pool, player, stake))


def limit(player: User, kind: LimitKind, period: LimitPeriod, amount: int) -> PlayLimit | LimitRaise:
    return set_limit(person=person_of(player), kind=kind, period=period, amount=amount, actor=player.actor)


def pay_in(player: User, amount: int) -> None:
    put_on_account(account_of(player), amount, reference=f"{clock.now()}")


@pytest.mark.parametrize("kind", [STAKE, LOSS])
def test_a_limit_is_used_up_to_the_kopeck_and_not_beyond(kind: LimitKind) -> None:
    pool, player = long_pool(), make_player(100_000)
    limit(player, kind, DAY, 1_000)
    bet(pool, player, 600)
    refusal = over(pool, player, 401)
    assert refusal.code == Refusal.LIMIT_REACHED
    assert refusal.details == {"limit": 1_000, "available": 400, "period": "day"}
    bet(pool, player, 400)
    assert over(pool, player, 100).details["available"] == 0


@pytest.mark.parametrize(("period", "length"), [(DAY, 24), (WEEK, 7 * 24), (MONTH, 30 * 24)])
def test_windows_roll(period: LimitPeriod, length: int) -> None:
    pool, player = long_pool(), make_player(100_000)
    limit(player, STAKE, period, 1_000)
    bet(pool, player, 1_000)
    clock.move_clock(timedelta(hours=length, minutes=-1))
    keep_register_fresh()
    assert over(pool, player, 100).code == Refusal.LIMIT_REACHED
    clock.move_clock(timedelta(minutes=1))
    bet(pool, player, 1_000)


def test_the_lowest_of_several_limits_applies() -> None:
    pool, player = long_pool(), make_player(100_000)
    limit(player, STAKE, MONTH, 5_000)
    limit(player, STAKE, DAY, 3_000)
    limit(player, LOSS, WEEK, 2_000)
    assert over(pool, player, 2_001).details == {"limit": 2_000, "available": 2_000, "period": "week"}
    bet(pool, player, 2_000)


def test_a_lower_limit_holds_at_once_and_a_higher_one_after_a_day_and_a_second_yes() -> None:
    pool, player = long_pool(), make_player(100_000)
    person = person_of(player)
    limit(player, STAKE, DAY, 1_000)
    limit(player, STAKE, DAY, 500)
    assert over(pool, player, 501).code == Refusal.LIMIT_REACHED
    waiting = limit(player, STAKE, DAY, 2_000)
    assert isinstance(waiting, LimitRaise)
    assert waiting.ready_at - waiting.asked_at == timedelta(hours=24)
    confirm = partial(confirm_raise, person=person, kind=STAKE, period=DAY, actor=player.actor)
    clock.move_clock(timedelta(hours=23, minutes=59))
    early = refused(confirm)
    assert (early.code, early.details["ready_at"]) == (Refusal.WRONG_STATE, waiting.ready_at)
    clock.move_clock(timedelta(minutes=1))
    assert over(pool, player, 501).code == Refusal.LIMIT_REACHED  # ready, but nobody said yes again
    assert confirm() == PlayLimit.objects.get()
    bet(pool, player, 2_000)
    assert refused(confirm).code == Refusal.NOT_FOUND


def test_a_limit_is_removed_after_a_day_and_a_second_yes() -> None:
    pool, player = long_pool(), make_player(100_000)
    person = person_of(player)
    remove = partial(ask_to_remove_limit, person=person, kind=STAKE, period=DAY, actor=player.actor)
    assert refused(remove).code == Refusal.NOT_FOUND
    limit(player, STAKE, DAY, 500)
    remove()
    clock.move_clock(timedelta(hours=24))
    assert over(pool, player, 501).code == Refusal.LIMIT_REACHED
    assert confirm_raise(person=person, kind=STAKE, period=DAY, actor=player.actor) is None
    bet(pool, player, 50_000)


def test_lowering_forgets_a_raise_that_waits() -> None:
    player = make_player()
    limit(player, STAKE, DAY, 1_000)
    limit(player, STAKE, DAY, 2_000)
    limit(player, STAKE, DAY, 900)
    assert not LimitRaise.objects.exists()
    refusal = refused(partial(limit, player, STAKE, DAY, -1))
    assert (refusal.code, refusal.field) == (Refusal.BAD_VALUE, "amount")


def test_a_limit_on_deposits_counts_what_was_credited() -> None:
    player = make_player()
    limit(player, DEPOSIT, DAY, 10_000)
    limit(player, DEPOSIT, WEEK, 15_000)
    pay_in(player, 10_000)
    assert refused(partial(pay_in, player, 1)).details["available"] == 0
    clock.move_clock(timedelta(hours=24))
    assert refused(partial(pay_in, player, 5_001)).details == {"limit": 15_000, "available": 5_000, "period": "week"}
    pay_in(player, 5_000)


def test_a_limit_on_deposits_does_not_stop_bets() -> None:
    pool, player = long_pool(), make_player(100_000)
    limit(player, DEPOSIT, DAY, 0)
    bet(pool, player, 100_000)


def test_a_loss_is_a_stake_that_did_not_come_back() -> None:
    """One of two bets wins more than both cost: what the other lost stays lost, and no more than that."""
    pool, player = make_pool("totolot-variant", lasts=timedelta(hours=1)), make_player(100_000)
    person, before = person_of(player), clock.now()
    limit(player, LOSS, WEEK, 3_000)
    bet_from_account(pool, player, "1", 1_000)
    bet_from_account(pool, player, "X", 2_000)
    assert (staked_since(person, before), lost_since(person, before)) == ([3_000], [3_000])
    settle(pool, "1")
    assert (staked_since(person, before), lost_since(person, before)) == ([3_000], [2_000])
    other = long_pool()
    assert over(other, player, 1_001).details["available"] == 1_000
    bet(other, player, 1_000)


@pytest.mark.parametrize("how", ["void", "late", "cancelled"])
def test_a_returned_stake_is_not_lost(how: str) -> None:
    pool, player = make_pool("totolot-variant", lasts=timedelta(hours=1)), make_player(100_000)
    before = clock.now()
    bet_from_account(pool, player, "X", 1_000)
    if how == "cancelled":
        maker, checker = make_organizers()
        propose_cancellation(code=pool.code, reason="Rain.", document="Telegram 1", proposed_by=maker)
        approve_cancellation(code=pool.code, approved_by=checker)
    else:
        settle(pool, "1", event_void=how == "void", started_at=pool.opens_at if how == "late" else None)
    assert lost_since(person_of(player), before) == [0]
    assert staked_since(person_of(player), before) == [1_000]


def test_x15_the_limit_of_an_account_binds_at_the_desk_too() -> None:
    pool, player, till = long_pool(), make_player(100_000, may_bet=False), make_till()
    admit(player, identity_number=NUMBER, birth_date=BORN)
    limit(player, STAKE, DAY, 1_000)
    bet(pool, player, 700)
    person = person_at_desk(identity_number=NUMBER.lower(), birth_date=BORN)
    assert person == person_of(player)
    assert refused(partial(at_desk, pool, till.cashier, person, 301)).code == Refusal.LIMIT_REACHED
    placed = at_desk(pool, till.cashier, person, 300)
    assert (placed.bet.person, placed.bet.player) == (person, None)
    assert over(pool, player, 100).details["available"] == 0
    at_desk(pool, till.cashier, None, 50_000)  # who is not known is not limited


def test_x15_who_was_known_at_a_desk_first_keeps_the_lower_limits_when_opening_an_account() -> None:
    pool, till = long_pool(), make_till()
    person = person_at_desk(identity_number=NUMBER, birth_date=BORN)
    set_limit(person=person, kind=STAKE, period=DAY, amount=1_000, actor="test")
    set_limit(person=person, kind=STAKE, period=WEEK, amount=9_000, actor="test")
    at_desk(pool, till.cashier, person, 900)
    player = make_player(100_000, may_bet=False)
    limit(player, STAKE, WEEK, 8_000)
    limit(player, DEPOSIT, DAY, 7_000)
    admit(player, identity_number=NUMBER, birth_date=BORN)
    assert person_of(player) == person
    kept = {(row.kind, row.period): row.amount for row in PlayLimit.objects.filter(person=person)}
    assert kept == {("stake", "day"): 1_000, ("stake", "week"): 8_000, ("deposit", "day"): 7_000}
    assert Person.objects.filter(number_digest__isnull=True, player__isnull=True).count() == 1
    assert over(pool, player, 101).details["available"] == 100
    bet(pool, player, 100)


def at_desk(pool: Pool, cashier: User | None, person: Person | None, stake: int) -> PlacedBet:
    assert cashier is not None
    return place_bet(
        pool_code=pool.code,
        selections="1;1;1",
        stake=stake,
        source=from_till(cashier, person),
        idempotency_key=f"desk-{Bet.objects.count()}-{stake}",
    )


# A step: hours that pass, and then a stake of so many roubles or a limit on a period.
STEPS = st.lists(
    st.tuples(
        st.integers(0, 40),
        st.one_of(st.integers(1, 60), st.tuples(st.sampled_from(list(LimitPeriod)), st.integers(0, 100))),
    ),
    min_size=4,
    max_size=14,
)


def bet_or_refusal(pool: Pool, player: User, stake: int) -> Bet | DomainError:
    try:
        return bet(pool, player, stake).bet
    except DomainError as refusal:
        return refusal


def used(accepted: list[Bet], since: datetime) -> int:
    return sum(bet.stake for bet in accepted if bet.registered_at > since)


@settings(max_examples=25)
@given(steps=STEPS)
def test_no_window_ever_exceeds_its_limit_and_nothing_less_is_refused(
    steps: list[tuple[int, int | tuple[LimitPeriod, int]]],
) -> None:
    """Against an oracle of its own: a list of what was accepted, summed anew for every window."""
    with transaction.atomic():
        pool, player = long_pool(), make_player(10_000_000)
        limits: dict[LimitPeriod, int] = {}
        accepted: list[Bet] = []
        for hours, act in steps:
            clock.move_clock(timedelta(hours=hours))
            keep_register_fresh()
            if isinstance(act, int):
                stake, earliest = act * 100, clock.now()
                placed = bet_or_refusal(pool, player, stake)
                if isinstance(placed, Bet):
                    accepted.append(placed)
                    assert all(used(accepted, placed.registered_at - p.length) <= most for p, most in limits.items())
                else:
                    assert placed.code == Refusal.LIMIT_REACHED
                    assert any(used(accepted, earliest - p.length) + stake > most for p, most in limits.items())
            else:
                period, roubles = act
                if isinstance(limit(player, STAKE, period, roubles * 100), PlayLimit):
                    limits[period] = roubles * 100
        transaction.set_rollback(True)


def test_who_has_no_game_account_has_no_limits_to_set() -> None:
    till = make_till()
    assert till.cashier is not None
    with pytest.raises(DomainError) as caught:
        person_of(till.cashier)
    assert caught.value.code == Refusal.NOT_ALLOWED
