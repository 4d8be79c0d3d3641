"""Cases and deposits that wait for people."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0026_overpaid_cases"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="amlcase",
            index=models.Index(
                condition=models.Q(("state__in", ["open", "reviewed"])),
                fields=["raised_at"],
                name="accounts_cases_waiting",
            ),
        ),
        migrations.AddIndex(
            model_name="helddeposit",
            index=models.Index(
                condition=models.Q(("state", "held")), fields=["held_at"], name="accounts_deposits_held"
            ),
        ),
    ]
