"""What is told of a result while it is played, and the bets counted by it: rows that stay as they were written (O2)."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from totalizator.core.append_only import append_only


class Migration(migrations.Migration):
    dependencies = [
        ("pools", "0021_operator_keys"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ProvisionalResult",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("published_at", models.DateTimeField()),
                (
                    "pool",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="provisional_results",
                        to="pools.pool",
                    ),
                ),
                (
                    "proposal",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="told", to="pools.resultproposal"
                    ),
                ),
                (
                    "published_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="AliveCount",
            fields=[
                (
                    "provisional",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="counted",
                        serialize=False,
                        to="pools.provisionalresult",
                    ),
                ),
                (
                    "document_text",
                    models.TextField(
                        help_text="Canonical JSON of two statements: `so_far`, as if all that is open were missed; "
                        "`alive`, as if every line reached each level that it still can."
                    ),
                ),
                ("counted_at", models.DateTimeField()),
            ],
        ),
        migrations.AddIndex(
            model_name="provisionalresult",
            index=models.Index(fields=["pool", "id"], name="pools_provisional_of_pool"),
        ),
        append_only("pools_provisionalresult"),
        append_only("pools_alivecount"),
    ]
