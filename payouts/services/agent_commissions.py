"""Agents' commissions: an expense of the organizer's for each settlement, never a part of a fund (¶35.1)."""

from django.utils.translation import gettext_lazy as _

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import Movement, NewTransfer, ledger_account, post_many
from accounts.models import Agent
from payouts.models import AgentCommission, CommissionsPosted
from payouts.queries.agents import SoldByAgent, sold_by_agents
from pools.locks import lock_pool
from pools.models import Pool, Settlement, SettlementState
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


def post_agent_commissions(*, code: str, actor: str = "task:post_agent_commissions") -> CommissionsPosted:
    """Post what each agent has earned of a pool, rounded down to the kopeck; called again it finds it done.

    A commission is the contract's part of the stakes taken in cash at the agent's tills, less what is returned of them.

    :raises DomainError: NOT_FOUND; WRONG_STATE before the settlement is official and its payables are drawn up.
    """
    with one_transaction():
        pool = lock_pool(code)
        standing = CommissionsPosted.objects.filter(pool=pool).first()
        if standing is not None:
            return standing
        official = Settlement.objects.filter(pool=pool, state=SettlementState.OFFICIAL).exists()
        if not official or not hasattr(pool, "booking"):
            raise DomainError(
                Refusal.WRONG_STATE, _("Nothing is owed before the settlement is official."), state=pool.state
            )
        at = clock.now()
        commissions = [_earned(pool, sold) for sold in sold_by_agents(pool)]
        AgentCommission.objects.bulk_create(commissions)
        post_many(
            [
                NewTransfer(
                    book=pool.pk,
                    key=f"agent-commission:{earned.agent_id}",
                    kind=TransferKind.AGENT_COMMISSION,
                    occurred_at=at,
                    cause=f"agent:{earned.agent_id}",
                    movements=[
                        Movement(
                            ledger_account(AccountKind.ORGANIZER),
                            ledger_account(AccountKind.AGENT_DUE, earned.agent.contract_number),
                            earned.amount,
                        )
                    ],
                )
                for earned in commissions
                if earned.amount
            ]
        )
        write_journal(
            at=at,
            actor=actor,
            act="post_agent_commissions",
            subject=f"pool:{code}",
            after={"agents": len(commissions), "sum": sum(earned.amount for earned in commissions)},
        )
        return CommissionsPosted.objects.create(pool=pool, agents=len(commissions), posted_at=at)


def _earned(pool: Pool, sold: SoldByAgent) -> AgentCommission:
    agent = Agent.objects.get(pk=sold.agent_id)
    stakes, share = sold.stakes - sold.refunds, agent.share
    amount = stakes * share.numerator // share.denominator
    return AgentCommission(pool=pool, agent=agent, stakes=stakes, share=agent.commission, amount=amount)
