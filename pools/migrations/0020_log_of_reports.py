"""Reports for the public in the public log (X11)."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("pools", "0019_log_stamps"),
    ]

    operations = [
        migrations.AlterField(
            model_name="logentry",
            name="kind",
            field=models.CharField(
                choices=[
                    ("commitment", "commitment to the bets of a pool"),
                    ("protocol", "protocol of a result"),
                    ("settlement", "official settlement"),
                    ("correction", "correcting document"),
                    ("amendment", "what a correction of a settlement changed"),
                    ("journal", "state of the journal"),
                    ("report", "report for the public"),
                ],
                max_length=10,
            ),
        ),
    ]
