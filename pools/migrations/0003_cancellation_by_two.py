"""Let one person propose a cancellation and another approve it; one key in force for each commission member."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from totalizator.core.append_only import append_only


class Migration(migrations.Migration):
    dependencies = [
        ("pools", "0002_frozen_rows"),
        ("core", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="CancellationProposal",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "pool_id", "number", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("number", models.PositiveSmallIntegerField(help_text="From 1.")),
                ("reason", models.TextField()),
                ("document", models.CharField(help_text="The paper that says so.", max_length=200)),
                ("proposed_at", models.DateTimeField()),
                (
                    "pool",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="cancellation_proposals",
                        to="pools.pool",
                    ),
                ),
                (
                    "proposed_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        append_only("pools_cancellationproposal"),
        migrations.AlterField(
            model_name="commissionkey",
            name="wrapped_private",
            field=models.TextField(help_text="PKCS #8 PEM, encrypted with the passphrase stretched by scrypt."),
        ),
        migrations.AddConstraint(
            model_name="commissionkey",
            constraint=models.UniqueConstraint(
                condition=models.Q(revoked_at__isnull=True), fields=("member",), name="pools_one_key_in_force"
            ),
        ),
    ]
