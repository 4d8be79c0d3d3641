"""Note once for each pool that its payables are drawn up."""

import django.db.models.deletion
from django.db import migrations, models

from totalizator.core.append_only import append_only


class Migration(migrations.Migration):
    dependencies = [("payouts", "0001_initial"), ("pools", "0001_initial"), ("core", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="Booking",
            fields=[
                (
                    "pool",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="booking",
                        serialize=False,
                        to="pools.pool",
                    ),
                ),
                ("winnings", models.BigIntegerField(help_text="Kopecks.")),
                ("refunds", models.BigIntegerField(help_text="Kopecks.")),
                ("tickets", models.BigIntegerField(help_text="How many are owed something.")),
                ("booked_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("refunds__gte", 0), ("tickets__gte", 0), ("winnings__gte", 0)),
                        name="payouts_booking_not_negative",
                    )
                ],
            },
        ),
        append_only("payouts_booking"),
    ]
