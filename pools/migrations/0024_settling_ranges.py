"""Ranges of the bets of a huge pool; a settlement that is being written becomes a calculated one, and nothing else."""

import django.db.models.deletion
from django.db import migrations, models

STATES = [
    ("writing", "winnings are being written"),
    ("calculated", "calculated"),
    ("official", "official"),
    ("disputed", "the two computations differ"),
]
KEEP_SETTLEMENTS = """
CREATE OR REPLACE FUNCTION pools_keep_settlement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR OLD.state = 'official'{moves}
       OR (NEW.pool_id, NEW.state_text, NEW.tally_text, NEW.statement_text, NEW.jackpot_in, NEW.calculated_at)
          IS DISTINCT FROM
          (OLD.pool_id, OLD.state_text, OLD.tally_text, OLD.statement_text, OLD.jackpot_in, OLD.calculated_at) THEN
        RAISE EXCEPTION 'settlement of pool id %: it can only become disputed or, once, official', OLD.pool_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$
"""
MOVES = """
       OR (OLD.state = 'writing') <> (NEW.state IN ('writing', 'calculated') AND OLD.state = 'writing')
       OR (NEW.state = 'writing' AND OLD.state <> 'writing')"""


class Migration(migrations.Migration):
    dependencies = [("pools", "0023_sketches")]
    operations = [
        migrations.AlterField(
            "settlement", "state", models.CharField(choices=STATES, default="calculated", max_length=10)
        ),
        migrations.AlterField(
            "correction", "state", models.CharField(choices=STATES, default="calculated", max_length=10)
        ),
        migrations.CreateModel(
            name="SettlingRange",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "pool_id", "number", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("number", models.PositiveIntegerField(help_text="From 0; the order does not matter.")),
                ("since", models.DateTimeField(help_text="Inclusive; empty for the pool's first bets.", null=True)),
                ("before", models.DateTimeField(help_text="Exclusive; empty for its last ones.", null=True)),
                (
                    "basis",
                    models.CharField(
                        help_text="The digest of what bets are counted by: `counting_basis`.", max_length=71
                    ),
                ),
                ("counted", models.JSONField(help_text="What was counted: `RangeCount`.", null=True)),
                (
                    "written",
                    models.BooleanField(
                        default=False, help_text="Its winnings are written, in the same transaction as this."
                    ),
                ),
                (
                    "pool",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="settling_ranges",
                        to="pools.pool",
                    ),
                ),
            ],
        ),
        migrations.RunSQL(sql=KEEP_SETTLEMENTS.format(moves=MOVES), reverse_sql=KEEP_SETTLEMENTS.format(moves="")),
    ]
