"""Proposals of numbers and roles can be taken back by who made them."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from totalizator.core.append_only import append_only


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0027_waiting_cases_and_deposits"),
    ]

    operations = [
        migrations.CreateModel(
            name="WithdrawnNumber",
            fields=[
                (
                    "proposal",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="withdrawn",
                        serialize=False,
                        to="accounts.numberproposal",
                    ),
                ),
                ("withdrawn_at", models.DateTimeField()),
                (
                    "withdrawn_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="WithdrawnRole",
            fields=[
                (
                    "proposal",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="withdrawn",
                        serialize=False,
                        to="accounts.roleproposal",
                    ),
                ),
                ("withdrawn_at", models.DateTimeField()),
                (
                    "withdrawn_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
        ),
        append_only("accounts_withdrawnnumber"),
        append_only("accounts_withdrawnrole"),
    ]
