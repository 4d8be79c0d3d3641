"""Archives of pools: rows of bets and winnings go only with the row that tells where they went."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import totalizator.core.filed_files
from totalizator.core.append_only import append_only

GOING = ("pools_bet", "pools_winning", "pools_correctedwinning")
# The application has no privilege to delete these rows at all; the owner can, and only of an archived pool.
ONLY_ARCHIVED_GO = """
CREATE FUNCTION pools_only_archived_go() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND EXISTS (SELECT FROM pools_poolarchive a WHERE a.pool_id = OLD.pool_id) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
END $$
"""


def guard(function: str) -> tuple[str, ...]:
    return tuple(
        statement
        for table in GOING
        for statement in (
            f"DROP TRIGGER append_only_rows ON {table}",
            f"CREATE TRIGGER append_only_rows BEFORE UPDATE OR DELETE ON {table}"
            f" FOR EACH ROW EXECUTE FUNCTION {function}()",
        )
    )


class Migration(migrations.Migration):
    dependencies = [
        ("pools", "0024_settling_ranges"),
        ("accounts", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    operations = [
        migrations.CreateModel(
            name="PoolArchive",
            fields=[
                (
                    "pool",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="archive",
                        serialize=False,
                        to="pools.pool",
                    ),
                ),
                (
                    "file",
                    models.FileField(
                        max_length=200, storage=totalizator.core.filed_files.private_storage, upload_to=""
                    ),
                ),
                ("digest", models.CharField(help_text="`sha256:` + hex, of the file.", max_length=71)),
                ("size", models.BigIntegerField(help_text="Bytes.")),
                ("bets", models.BigIntegerField()),
                ("turnover", models.BigIntegerField(help_text="All stakes, in kopecks.")),
                ("winnings", models.BigIntegerField(help_text="Rows of winnings of the settlement.")),
                ("won", models.BigIntegerField(help_text="Their sum, in kopecks.")),
                ("corrected", models.BigIntegerField(help_text="Rows of winnings of its correction; 0 without one.")),
                ("distribution", models.JSONField(help_text="How the bets were spread: `distribution_of`.")),
                (
                    "figures",
                    models.JSONField(
                        help_text="`turnover`, `lines` and `bets` of the bets that were not cancelled before."
                    ),
                ),
                ("first_fact_at", models.DateTimeField(help_text="Before it nothing of the pool is in a report.")),
                ("last_fact_at", models.DateTimeField(help_text="After it neither.")),
                ("archived_at", models.DateTimeField()),
                ("archived_by", models.CharField(max_length=80)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(models.Q(("digest", ""), _negated=True), ("size__gt", 0)),
                        name="pools_archive_is_there",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ArchivedPlay",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "tickets",
                    django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=40), size=None),
                ),
                (
                    "person",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="accounts.person",
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "pool",
                    models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to="pools.pool"),
                ),
            ],
        ),
        append_only("pools_poolarchive"),
        append_only("pools_archivedplay"),
        migrations.RunSQL(sql=ONLY_ARCHIVED_GO, reverse_sql="DROP FUNCTION pools_only_archived_go()"),
        migrations.RunSQL(sql=guard("pools_only_archived_go"), reverse_sql=guard("core_refuse_change")),
    ]
