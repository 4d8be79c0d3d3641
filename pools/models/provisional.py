"""What is told to everybody of a result while it is played: provisional, and never the protocol (O2)."""

from django.conf import settings
from django.db import models

from pools.models.pools import Pool
from pools.models.result_feeds import ResultProposal


class ProvisionalResult(models.Model):
    """That what a feed said was told to everybody, and by whom. Append-only.

    Later rows prevail, condition by condition. A member's entry never comes here: it is secret until two agree.
    """

    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="provisional_results", db_index=False)
    proposal = models.ForeignKey(ResultProposal, on_delete=models.PROTECT, related_name="told")
    published_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    published_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["pool", "id"], name="pools_provisional_of_pool")]

    def __str__(self) -> str:
        return f"provisional result {self.pk}"


class AliveCount(models.Model):
    """All bets of a pool, counted once by what was told so far. Append-only."""

    provisional = models.OneToOneField(
        ProvisionalResult, on_delete=models.PROTECT, primary_key=True, related_name="counted"
    )
    document_text = models.TextField(
        help_text="Canonical JSON of two statements: `so_far`, as if all that is open were missed; `alive`, as if "
        "every line reached each level that it still can."
    )
    counted_at = models.DateTimeField()
