"""What two people decide about dated numbers and releases (N4, R4)."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from totalizator.core.append_only import append_only


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0024_correction_kinds"),
    ]

    operations = [
        migrations.CreateModel(
            name="NumberProposal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=60)),
                (
                    "value",
                    models.CharField(help_text="A whole number or an exact fraction: `21`, `1/20`.", max_length=40),
                ),
                ("valid_from", models.DateField(help_text="First day in Europe/Minsk on which the value holds.")),
                ("source", models.CharField(help_text="The act or decision that says so.", max_length=200)),
                ("reason", models.TextField()),
                ("proposed_at", models.DateTimeField()),
                (
                    "proposed_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ReleaseChange",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("code", models.CharField(help_text="The digest of the code, as its tests printed it.", max_length=71)),
                ("notice", models.TextField(help_text="What changes, for whom, and who was told of it when.")),
                (
                    "evidence",
                    models.TextField(
                        help_text="Which run of the tests over exactly this code passed, and where it is kept."
                    ),
                ),
                ("proposed_at", models.DateTimeField()),
                (
                    "proposed_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="NumberDecision",
            fields=[
                (
                    "proposal",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="decision",
                        serialize=False,
                        to="accounts.numberproposal",
                    ),
                ),
                ("decided_at", models.DateTimeField()),
                (
                    "approved_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "proposed_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("proposed_by", models.F("approved_by")), _negated=True),
                        name="accounts_number_decided_by_two",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ReleaseApproval",
            fields=[
                (
                    "change",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="approval",
                        serialize=False,
                        to="accounts.releasechange",
                    ),
                ),
                ("approved_at", models.DateTimeField()),
                (
                    "approved_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "proposed_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("proposed_by", models.F("approved_by")), _negated=True),
                        name="accounts_release_approved_by_two",
                    )
                ],
            },
        ),
        append_only("accounts_numberproposal"),
        append_only("accounts_numberdecision"),
        append_only("accounts_releasechange"),
        append_only("accounts_releaseapproval"),
    ]
