"""Pools whose bets and winnings were taken out of the database into a filed archive, without losing a proof."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from accounts.models import Person
from pools.models.pools import Pool
from totalizator.core.filed_files import private_storage


class PoolArchive(models.Model):
    """The archive that a pool's rows went into. Append-only: only with this row does the database let them go."""

    pool = models.OneToOneField(Pool, on_delete=models.PROTECT, primary_key=True, related_name="archive")
    file = models.FileField(storage=private_storage, max_length=200)
    digest = models.CharField(max_length=71, help_text="`sha256:` + hex, of the file.")
    size = models.BigIntegerField(help_text="Bytes.")
    bets = models.BigIntegerField()
    turnover = models.BigIntegerField(help_text="All stakes, in kopecks.")
    winnings = models.BigIntegerField(help_text="Rows of winnings of the settlement.")
    won = models.BigIntegerField(help_text="Their sum, in kopecks.")
    corrected = models.BigIntegerField(help_text="Rows of winnings of its correction; 0 without one.")
    distribution = models.JSONField(help_text="How the bets were spread: `distribution_of`.")
    figures = models.JSONField(help_text="`turnover`, `lines` and `bets` of the bets that were not cancelled before.")
    first_fact_at = models.DateTimeField(help_text="Before it nothing of the pool is in a report.")
    last_fact_at = models.DateTimeField(help_text="After it neither.")
    archived_at = models.DateTimeField()
    archived_by = models.CharField(max_length=80)

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(digest="") & Q(size__gt=0), name="pools_archive_is_there")]


class ArchivedPlay(models.Model):
    """The tickets of one player, or of a person known at desks, in one archived pool. Append-only."""

    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="+")
    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    person = models.ForeignKey(Person, on_delete=models.PROTECT, null=True, related_name="+")
    tickets = ArrayField(models.CharField(max_length=40))
