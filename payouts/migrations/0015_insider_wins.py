"""Wins of insiders as they were published, a year at a time (X11)."""

from django.db import migrations, models

from totalizator.core.append_only import append_only


class Migration(migrations.Migration):
    dependencies = [
        ("payouts", "0014_corrections"),
    ]

    operations = [
        migrations.CreateModel(
            name="PublishedInsiderWins",
            fields=[
                ("year", models.PositiveSmallIntegerField(primary_key=True, serialize=False)),
                ("document_text", models.TextField(help_text="Canonical JSON, one line.")),
                ("published_at", models.DateTimeField()),
            ],
        ),
        append_only("payouts_publishedinsiderwins"),
    ]
