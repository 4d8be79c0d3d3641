"""Contracted agents: their contracts, their points, and what they earn (¶35.1)."""

from datetime import timedelta
from functools import partial

import pytest

from accounts.ledger.balances import balance
from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import ledger_account
from accounts.models import PointKind
from accounts.services.agents import extend_contract, register_agent
from accounts.services.points import register_point
from payouts.models import AgentCommission, CommissionsPosted
from payouts.services.agent_commissions import post_agent_commissions
from payouts.tasks import book_due_payables, post_due_agent_commissions
from tests.desks import (
    FIRST,
    LAST,
    begin_shift,
    end_shift,
    keeper,
    make_agent,
)
from tests.making import bet_from_account, bet_in_cash, make_player, make_pool, make_till
from tests.paying import broken
from tests.refusals import refused
from tests.settling import moved, settle
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.engine.deadlines import end_of_legal_day

pytestmark = pytest.mark.django_db


def test_an_agent_earns_its_part_of_what_it_sold_less_what_is_returned() -> None:
    pool, agent = make_pool("totolot-variant"), make_agent("3/50")
    tills = [make_till(kind=PointKind.AGENT, agent=agent) for _ in range(2)]
    other = make_till(kind=PointKind.AGENT, agent=make_agent("1/10"))
    bet_in_cash(pool, tills[0], "1", 1_111)
    bet_in_cash(pool, make_till(), "X", 5_000)
    bet_from_account(pool, make_player(9_000), "1", 9_000)
    clock.move_clock(timedelta(minutes=10))
    started_at = clock.now().replace(microsecond=0)
    clock.move_clock(timedelta(minutes=1))
    bet_in_cash(pool, tills[1], "1", 777)  # after the start: returned (D-16)
    bet_in_cash(pool, other, "2", 300)
    settle(pool, "1", started_at=started_at)
    assert refused(lambda: post_agent_commissions(code=pool.code)).code == Refusal.WRONG_STATE
    book_due_payables()
    for _again in range(2):
        post_due_agent_commissions()
    earned = AgentCommission.objects.order_by("agent_id").values_list("agent", "stakes", "share", "amount")
    assert list(earned) == [(agent.pk, 1_111, "3/50", 66), (other.point.agent_id, 0, "1/10", 0)]  # 66.66 rounded down
    assert balance(ledger_account(AccountKind.AGENT_DUE, agent.contract_number)) == 66
    assert balance(ledger_account(AccountKind.ORGANIZER)) == -66
    assert moved(pool, TransferKind.AGENT_COMMISSION) == 66
    assert CommissionsPosted.objects.get().agents == 2
    assert broken() == []


def test_an_agents_shift_needs_its_contract_in_force() -> None:
    agent = make_agent(valid_until=clock.today())
    till = make_till(kind=PointKind.AGENT, agent=agent)
    end_shift(till)
    clock.move_clock(timedelta(days=1))
    assert refused(lambda: begin_shift(till)).code == Refusal.NO_AGREEMENT
    staff = keeper()
    for until, document, field in ((agent.valid_until, "Annex 1", "valid_until"), (LAST, " ", "document")):
        extend = partial(extend_contract, agent=agent, valid_until=until, document=document, by=staff)
        assert refused(extend).field == field
    extend_contract(agent=agent, valid_until=LAST, document="Annex 1", by=staff)
    assert begin_shift(till).number == 2


@pytest.mark.parametrize("commission", ["6%", "-1/10", "11/10", "1/0", "1/123456789012345678901"])
def test_a_commission_is_an_exact_part(commission: str) -> None:
    staff = keeper()
    refusal = refused(
        lambda: register_agent(
            name="A", contract_number="1", valid_from=FIRST, valid_until=LAST, commission=commission, by=staff
        )
    )
    assert (refusal.code, refusal.field) == (Refusal.BAD_VALUE, "commission")


def test_an_agents_point_and_only_that_has_an_agent() -> None:
    for kind, agent in ((PointKind.AGENT, None), (PointKind.OWN, make_agent())):
        refusal = refused(
            lambda kind=kind, agent=agent: register_point(code="X", name="X", kind=kind, agent=agent, by=keeper())  # type: ignore[misc]
        )
        assert (refusal.code, refusal.field) == (Refusal.BAD_VALUE, "agent")


def test_an_agents_point_sells_no_longer_than_the_contract_runs_though_its_shift_is_open() -> None:
    agent = make_agent(valid_until=clock.today())
    pool, till = make_pool(), make_till(kind=PointKind.AGENT, agent=agent)
    bet_in_cash(pool, till, "1;1;1", 100)
    clock.move_clock(end_of_legal_day(clock.today()) - clock.now())
    refusal = refused(partial(bet_in_cash, pool, till, "1;1;1", 100))
    assert (refusal.code, pool.bets.count()) == (Refusal.NO_AGREEMENT, 1)
    until = clock.today() + timedelta(days=30)
    extend_contract(agent=agent, valid_until=until, document="Annex 1", by=keeper())
    bet_in_cash(pool, till, "1;1;1", 100)
