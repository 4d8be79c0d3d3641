"""The journal by time; values of numbers that can be put right before they hold; releases by change records."""

import django.contrib.postgres.indexes
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0008_pool_corrected"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="legalnumber",
            name="core_legal_number_once",
        ),
        migrations.AddField(
            model_name="release",
            name="change_number",
            field=models.PositiveIntegerField(
                help_text="The change record that two people approved; empty only outside production.",
                null=True,
                unique=True,
            ),
        ),
        migrations.AddIndex(
            model_name="journalrecord",
            index=django.contrib.postgres.indexes.BrinIndex(
                autosummarize=True, fields=["at"], name="core_journal_by_time"
            ),
        ),
        migrations.AddIndex(
            model_name="legalnumber",
            index=models.Index(fields=["name", "valid_from", "id"], name="core_legal_number_by_day"),
        ),
    ]
