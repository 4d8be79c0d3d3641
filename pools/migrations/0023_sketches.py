"""Pools that somebody is still making up, step by step."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("pools", "0022_provisional_results"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="PoolSketch",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "origin",
                    models.CharField(
                        help_text="The template, or the code of the pool that it was begun from.", max_length=40
                    ),
                ),
                ("document", models.JSONField()),
                (
                    "typed",
                    models.JSONField(default=dict, help_text="Step → field → the texts that were typed, right or not."),
                ),
                ("begun_at", models.DateTimeField()),
                ("changed_at", models.DateTimeField()),
                ("prepared_at", models.DateTimeField(null=True)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "pool",
                    models.ForeignKey(
                        help_text="The draft that it changes, or became.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="pools.pool",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("prepared_at__isnull", True)),
                        fields=["owner", "-changed_at"],
                        name="pools_sketches_of_owner",
                    )
                ],
            },
        ),
    ]
