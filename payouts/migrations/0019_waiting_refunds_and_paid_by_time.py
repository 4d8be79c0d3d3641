"""Stakes to be returned, and payments by time."""

import django.contrib.postgres.indexes
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0026_overpaid_cases"),
        ("payouts", "0018_overpaid_cases"),
        ("pools", "0021_operator_keys"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddIndex(
            model_name="payable",
            index=models.Index(
                condition=models.Q(("kind", "refund"), ("state", "due")),
                fields=["payable_from", "pool"],
                name="payouts_to_return",
            ),
        ),
        migrations.AddIndex(
            model_name="payment",
            index=django.contrib.postgres.indexes.BrinIndex(
                autosummarize=True, fields=["paid_at"], name="payouts_paid_by_time"
            ),
        ),
    ]
