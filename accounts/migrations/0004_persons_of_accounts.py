"""Whoever has a game account is a person; what is known of them is recorded later."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("accounts", "0003_persons")]
    operations = [
        migrations.RunSQL(
            sql="INSERT INTO accounts_person (player_id) SELECT player_id FROM accounts_gameaccount ORDER BY id",
            reverse_sql=migrations.RunSQL.noop,
        )
    ]
