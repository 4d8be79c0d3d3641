"""Proposals that whoever made them has taken back: nobody can approve them any more (R1, N4)."""

from django.conf import settings
from django.db import models

from accounts.models.dated_numbers import NumberProposal
from accounts.models.roles import RoleProposal


class WithdrawnNumber(models.Model):
    """A proposed value of a dated number that was taken back. Append-only."""

    proposal = models.OneToOneField(
        NumberProposal, on_delete=models.PROTECT, primary_key=True, related_name="withdrawn"
    )
    withdrawn_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    withdrawn_at = models.DateTimeField()


class WithdrawnRole(models.Model):
    """A proposed role that was taken back. Append-only."""

    proposal = models.OneToOneField(RoleProposal, on_delete=models.PROTECT, primary_key=True, related_name="withdrawn")
    withdrawn_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    withdrawn_at = models.DateTimeField()
