import django.contrib.postgres.indexes
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from totalizator.core.append_only import append_only


class Migration(migrations.Migration):
    dependencies = [
        ("pools", "0011_public_log"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ToldBets",
            fields=[
                ("id", models.SmallIntegerField(default=1, primary_key=True, serialize=False)),
                ("until", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("id", 1)), name="pools_told_bets_one_row"),
                ],
            },
        ),
        migrations.AddIndex(
            model_name="bet",
            index=django.contrib.postgres.indexes.BrinIndex(
                autosummarize=True, fields=["registered_at"], name="pools_bet_by_time"
            ),
        ),
        migrations.AddField(
            model_name="incident",
            name="job",
            field=models.CharField(
                blank=True, default="", help_text="What started it by itself, and can end it.", max_length=60
            ),
            preserve_default=False,
        ),
        migrations.AlterField(
            model_name="incident",
            name="started_by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.RemoveConstraint(model_name="incident", name="pools_incident_ended_by_somebody"),
        migrations.AddConstraint(
            model_name="incident",
            constraint=models.CheckConstraint(
                condition=models.Q(("ended_at", None), ("ended_by", None), ("state", "open"))
                | models.Q(
                    ("ended_at__isnull", False),
                    ("state", "ended"),
                    models.Q(("ended_by__isnull", False), models.Q(("job", ""), _negated=True), _connector="OR"),
                ),
                name="pools_incident_ended_by_somebody",
            ),
        ),
        migrations.AddConstraint(
            model_name="incident",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("job", ""), ("started_by__isnull", False)),
                    models.Q(("started_by__isnull", True), models.Q(("job", ""), _negated=True)),
                    _connector="OR",
                ),
                name="pools_incident_started_by_somebody",
            ),
        ),
        migrations.AddConstraint(
            model_name="incident",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state", "open"), models.Q(("job", ""), _negated=True)),
                fields=("job",),
                name="pools_one_pause_of_a_job",
            ),
        ),
        migrations.CreateModel(
            name="ResultFeed",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=60, unique=True)),
                (
                    "url",
                    models.CharField(
                        blank=True,
                        help_text="With `{pool}` for the pool's code; empty: files are brought by hand.",
                        max_length=500,
                    ),
                ),
                ("format", models.CharField(choices=[("json", "JSON"), ("csv", "table (CSV)")], max_length=4)),
                ("enabled", models.BooleanField(default=True)),
                ("added_at", models.DateTimeField()),
                (
                    "added_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ResultProposal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("source", models.CharField(help_text="The address, or the file's name.", max_length=500)),
                ("captured_at", models.DateTimeField(help_text="By the database's clock.")),
                ("digest", models.CharField(help_text="Of the file.", max_length=71)),
                ("file", models.BinaryField(help_text="As it came.")),
                (
                    "result_text",
                    models.TextField(help_text="Canonical JSON: what of `conditions` and `first_started_at` it tells."),
                ),
                (
                    "captured_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "feed",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="proposals", to="pools.resultfeed"
                    ),
                ),
                (
                    "pool",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="result_proposals", to="pools.pool"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("pool", "feed", "digest"), name="pools_proposal_once"),
                    models.CheckConstraint(
                        condition=models.Q(("digest", ""), _negated=True), name="pools_proposal_has_evidence"
                    ),
                ],
            },
        ),
        append_only("pools_resultproposal"),
    ]
