"""A row a job: how often it ran, and when it last did."""

from django.db import models


class JobRun(models.Model):
    """What came of a job's runs, by the true clock of the database."""

    name = models.CharField(primary_key=True, max_length=120, help_text="`pools.tasks.close_due_pools`.")
    runs = models.BigIntegerField()
    failures = models.BigIntegerField()
    succeeded_at = models.DateTimeField(null=True)
    failed_at = models.DateTimeField(null=True)
    took = models.DurationField(help_text="The last run.")
