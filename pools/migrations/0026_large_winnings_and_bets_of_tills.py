"""Large winnings by their amount, and the bets of a till by time: what pages look for among all others."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0030_closed_logins"),
        ("pools", "0025_pool_archives"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddIndex(
            model_name="bet",
            index=models.Index(
                condition=models.Q(("till__isnull", False)),
                fields=["till", "-registered_at"],
                name="pools_bet_at_tills",
            ),
        ),
        migrations.AddIndex(
            model_name="winning",
            index=models.Index(
                condition=models.Q(("amount__gte", 50000)), fields=["pool", "amount"], name="pools_winning_large"
            ),
        ),
    ]
