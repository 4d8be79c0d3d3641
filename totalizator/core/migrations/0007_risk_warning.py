"""Warnings of the risks of play, by the day from which they are shown (P3)."""

from django.db import migrations, models

from totalizator.core.append_only import append_only


class Migration(migrations.Migration):
    dependencies = [("core", "0006_journal_seals")]
    operations = [
        migrations.CreateModel(
            name="RiskWarning",
            fields=[
                (
                    "valid_from",
                    models.DateField(
                        help_text="First day in Europe/Minsk on which it is shown.", primary_key=True, serialize=False
                    ),
                ),
                ("ru", models.CharField(max_length=300)),
                ("be", models.CharField(max_length=300)),
                ("en", models.CharField(max_length=300)),
                (
                    "address",
                    models.CharField(blank=True, help_text="Where help is found: shown beside it.", max_length=200),
                ),
            ],
        ),
        append_only("core_riskwarning"),
    ]
