"""What happened lately but bets, by time."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0009_journal_by_time"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="journalrecord",
            index=models.Index(
                condition=models.Q(("act", "place_bet"), _negated=True), fields=["at"], name="core_journal_but_bets"
            ),
        ),
    ]
