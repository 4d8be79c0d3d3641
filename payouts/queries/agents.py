"""What agents sold of a pool, and which pools' commissions are due (¶35.1)."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.db import connection
from django.db.models import QuerySet, Sum

from accounts.ledger.kinds import AccountKind
from accounts.models import Agent, Entry, LedgerAccount
from pools.models import Pool, SettlementState

# A stake that is returned earns nothing; a bet returned as late has one payable of its whole stake.
_SOLD = """
SELECT p.agent_id, sum(b.stake), COALESCE(sum(r.amount), 0)
FROM pools_bet b
JOIN accounts_till t ON t.id = b.till_id AND t.ledger_account_id = b.paid_from_id
JOIN accounts_bettingpoint p ON p.id = t.point_id
LEFT JOIN payouts_payable r ON r.pool_id = b.pool_id AND r.ticket = b.ticket AND r.kind = 'refund'
    AND r.state <> 'revoked'
WHERE b.pool_id = %s AND p.agent_id IS NOT NULL
GROUP BY p.agent_id ORDER BY p.agent_id
"""


@dataclass(frozen=True, slots=True)
class SoldByAgent:
    """One agent's sales for cash in one pool, in kopecks."""

    agent_id: int
    stakes: int
    refunds: int


def sold_by_agents(pool: Pool) -> list[SoldByAgent]:
    """Return what each agent's tills took in stakes, and how much of that is returned; the pool must be booked."""
    with connection.cursor() as cursor:
        cursor.execute(_SOLD, [pool.pk])
        return [SoldByAgent(agent, int(stakes), int(refunds)) for agent, stakes, refunds in cursor.fetchall()]


def owed_to(agents: Collection[Agent]) -> Mapping[str, int]:
    """Return what each of these agents is owed by the ledger, in kopecks, by the number of its contract."""
    owners = [agent.contract_number for agent in agents]
    accounts = LedgerAccount.objects.filter(kind=AccountKind.AGENT_DUE, owner__in=owners)
    owed: dict[str, int] = {}
    for side, sign in (("credit", 1), ("debit", -1)):
        sums = Entry.objects.filter(**{f"{side}__in": accounts}).order_by().values(f"{side}__owner")
        for row in sums.annotate(total=Sum("amount")):
            owner = row[f"{side}__owner"]
            owed[owner] = owed.get(owner, 0) + sign * int(row["total"])
    return owed


def pools_due_for_agents() -> QuerySet[Pool]:
    """Pools that are settled officially and booked, whose agents' commissions are not posted."""
    settled = Pool.objects.filter(settlement__state=SettlementState.OFFICIAL, booking__isnull=False)
    return settled.filter(commissions_posted__isnull=True).order_by("closed_at", "pk")
