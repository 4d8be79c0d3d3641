"""What was closed and is told again by a payment system comes into the queue anew."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0017_withdrawals_by_two_and_post")]
    operations = [
        migrations.RemoveConstraint("unmatcheditem", "accounts_unmatched_once"),
        migrations.AddConstraint(
            "unmatcheditem",
            models.UniqueConstraint(
                condition=models.Q(closed_at__isnull=True),
                fields=("provider", "reference", "mismatch", "theirs"),
                name="accounts_unmatched_open_once",
            ),
        ),
    ]
