"""Whose points the organizer does not run: contracted agents (¶35.1)."""

from fractions import Fraction

from django.db import models
from django.db.models import F, Q


class Agent(models.Model):
    """An agent with one contract. Its commission is an expense of the organizer's, never a part of a fund."""

    name = models.CharField(max_length=200)
    contract_number = models.CharField(max_length=36, unique=True)
    valid_from = models.DateField(help_text="First day in Europe/Minsk.")
    valid_until = models.DateField(help_text="Last day.")
    commission = models.CharField(max_length=20, help_text="Of the stakes less refunds, exactly: `3/50`.")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(valid_from__lte=F("valid_until")), name="accounts_agent_contract_lasts")
        ]

    def __str__(self) -> str:
        return f"{self.contract_number} {self.name}"

    @property
    def share(self) -> Fraction:
        """The commission as a part of what was staked."""
        return Fraction(self.commission)
