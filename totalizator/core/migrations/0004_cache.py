"""The table of the cache: the one place where all web processes count wrong passwords (E3)."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("core", "0003_failed_try")]
    operations = [
        migrations.RunSQL(
            sql=[
                "CREATE TABLE core_cache (cache_key varchar(255) PRIMARY KEY, value text NOT NULL,"
                " expires timestamptz NOT NULL)",
                "CREATE INDEX core_cache_expires ON core_cache (expires)",
            ],
            reverse_sql="DROP TABLE core_cache",
        )
    ]
