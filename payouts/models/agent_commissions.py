"""What contracted agents are owed for selling the bets of a pool (¶35.1)."""

from django.db import models

from accounts.models import Agent
from pools.models import Pool


class AgentCommission(models.Model):
    """One agent's commission of one settled pool, in kopecks. Append-only."""

    pk = models.CompositePrimaryKey("pool_id", "agent_id")
    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="agent_commissions", db_index=False)
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="commissions")
    stakes = models.BigIntegerField(help_text="Taken at its points, less what is returned of them.")
    share = models.CharField(max_length=20, help_text="As the contract says: `3/50`.")
    amount = models.BigIntegerField(help_text="Rounded down.")


class CommissionsPosted(models.Model):
    """That the agents' commissions of a pool are posted, all of them. Append-only."""

    pool = models.OneToOneField(Pool, on_delete=models.PROTECT, primary_key=True, related_name="commissions_posted")
    agents = models.PositiveIntegerField()
    posted_at = models.DateTimeField()
