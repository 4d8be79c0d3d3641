"""Pools of one game in any order of acts, with processes that die at any of them: money is never lost or doubled."""

from contextlib import suppress
from unittest.mock import patch

import pytest
from django.db import transaction
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from accounts.ledger.balances import trial_balance
from accounts.ledger.kinds import AccountKind
from accounts.ledger.proofs import broken_invariants
from pools import tasks
from pools.models import Pool, PoolState, Settlement, SettlementState
from pools.services.calculating import calculate_settlement
from pools.services.settling import settle_pool
from tests.making import bet_in_cash, make_pool, make_till
from tests.resulting import close_by_clock, seal
from tests.settling import jackpot_of, pot_of, winnings_of
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db

GAME = "sportloto-variant"
PRICE = 333
MOST_POOLS = 3
DEADLY = (
    "pools.services.calculating.insert_winnings",
    "pools.services.calculating.write_journal",
    "pools.services.settling.confirm_settlement",
    "pools.services.confirming.settle",
    "pools.services.making_official.post_settlement",
    "pools.services.making_official.write_journal",
)
pool_numbers = st.integers(0, MOST_POOLS - 1)


class Killed(BaseException):
    """The process ended here."""


class Settling(RuleBasedStateMachine):
    """Up to three pools that share one jackpot; every other one draws it."""

    def __init__(self) -> None:
        super().__init__()
        self.atomic = transaction.atomic()
        self.atomic.__enter__()
        self.pools: list[Pool] = []
        self.staked = 0

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.atomic.__exit__(None, None, None)

    def pool(self, number: int) -> Pool:
        pool = self.pools[number % len(self.pools)]
        pool.refresh_from_db()
        return pool

    @precondition(lambda self: len(self.pools) < MOST_POOLS)
    @rule(bets=st.lists(st.sampled_from(["1", "X", "1+X", "2"]), max_size=4))
    def announce_and_sell(self, bets: list[str]) -> None:
        jackpot = {"level": "all", "share": "2/3"} if len(self.pools) % 2 else None
        pool = make_pool(GAME, terms={"jackpot": jackpot, "price": {"line": PRICE}})
        till = make_till()
        for selections in bets:
            stake = PRICE * (selections.count("+") + 1)
            bet_in_cash(pool, till, selections, stake)
            self.staked += stake
        self.pools.append(pool)

    @precondition(lambda self: self.pools)
    @rule(number=pool_numbers, right=st.sampled_from(["1", "X", "2", "1+X", "void"]))
    def close_and_seal(self, number: int, right: str) -> None:
        pool = self.pool(number)
        if pool.state in (PoolState.ANNOUNCED, PoolState.OPEN):
            close_by_clock(pool)
            seal(pool, right)

    @precondition(lambda self: self.pools)
    @rule(number=pool_numbers, point=st.sampled_from(DEADLY))
    def die_while_settling(self, number: int, point: str) -> None:
        with suppress(Killed, DomainError), patch(point, side_effect=Killed):
            settle_pool(code=self.pool(number).code, actor="test")

    @precondition(lambda self: self.pools)
    @rule(number=pool_numbers)
    def calculate(self, number: int) -> None:
        with suppress(DomainError):
            calculate_settlement(code=self.pool(number).code, actor="test")

    @precondition(lambda self: self.pools)
    @rule(number=pool_numbers)
    def settle(self, number: int) -> None:
        pool = self.pool(number)
        if pool.state == PoolState.RESULTED:
            settle_pool(code=pool.code, actor="test")
            assert self.pool(number).state == PoolState.SETTLED
        else:
            with pytest.raises(DomainError) as refusal:
                settle_pool(code=pool.code, actor="test")
            assert refusal.value.code == Refusal.WRONG_STATE

    @rule()
    def run_the_job(self) -> None:
        tasks.settle_due_pools()
        assert not Pool.objects.filter(state=PoolState.RESULTED).exists()

    @invariant()
    def a_settled_pool_is_settled_once_and_its_pot_is_empty(self) -> None:
        for number in range(len(self.pools)):
            pool = self.pool(number)
            acts = JournalRecord.objects.filter(act="settle_pool", subject=f"pool:{pool.code}").count()
            official = Settlement.objects.filter(pool=pool, state=SettlementState.OFFICIAL).exists()
            assert (acts == 1) == official == (pool.state == PoolState.SETTLED)
            assert pot_of(pool) >= 0
            if official:
                assert pot_of(pool) == 0

    @invariant()
    def every_kopeck_is_somewhere(self) -> None:
        balances = trial_balance()
        assert sum(balances.values()) == 0
        assert balances.get(AccountKind.TILL, 0) == self.staked
        assert jackpot_of(GAME) >= 0
        official = Settlement.objects.filter(state=SettlementState.OFFICIAL).select_related("pool")
        due = sum(sum(winnings_of(settlement.pool).values()) for settlement in official)
        assert -balances.get(AccountKind.WINNINGS_DUE, 0) == due
        assert broken_invariants() == []


def test_settling_in_any_order_with_deaths_on_the_way() -> None:
    run_state_machine_as_test(
        Settling,
        settings=settings(
            max_examples=12, stateful_step_count=12, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
