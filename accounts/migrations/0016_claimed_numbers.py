"""A number that nobody has verified is only claimed: it moves from the person to the recorded identity."""

from django.db import migrations, models

MOVE = """
UPDATE accounts_identity i SET claimed_digest = p.number_digest FROM accounts_person p WHERE p.id = i.person_id;
UPDATE accounts_person p SET number_digest = NULL
WHERE EXISTS (SELECT FROM accounts_identity i WHERE i.person_id = p.id)
  AND NOT EXISTS (SELECT FROM accounts_verification v WHERE v.person_id = p.id);
"""
MOVE_BACK = """
UPDATE accounts_person p SET number_digest = i.claimed_digest FROM accounts_identity i
WHERE i.person_id = p.id AND p.number_digest IS NULL
  AND NOT EXISTS (SELECT FROM accounts_person q WHERE q.number_digest = i.claimed_digest);
"""


class Migration(migrations.Migration):
    dependencies = [("accounts", "0015_registers_trials_names")]
    operations = [
        migrations.AddField("identity", "claimed_digest", models.BinaryField(max_length=32, null=True, unique=True)),
        migrations.RunSQL(MOVE, MOVE_BACK),
        # What was just moved has checks of foreign keys pending, which would forbid the change of the column.
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", "SET CONSTRAINTS ALL IMMEDIATE"),
        migrations.AlterField(
            "identity",
            "claimed_digest",
            models.BinaryField(
                help_text="Keyed, of the number: the person's own once it is verified (¶35.3).",
                max_length=32,
                unique=True,
            ),
        ),
    ]
