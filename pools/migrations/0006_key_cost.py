"""Keep with each commission key what a guess at its passphrase costs, so that the setting can be raised later."""

from django.db import migrations, models


def keep_key(columns: str) -> str:
    """Return the function that lets a key only be revoked, once."""
    new = ", ".join(f"NEW.{column}" for column in columns.split())
    old = ", ".join(f"OLD.{column}" for column in columns.split())
    return f"""
    CREATE OR REPLACE FUNCTION pools_keep_key() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_OP = 'DELETE' OR OLD.revoked_at IS NOT NULL OR ({new}) IS DISTINCT FROM ({old}) THEN
            RAISE EXCEPTION 'commission key % can only be revoked, once', OLD.key_id
                USING ERRCODE = 'restrict_violation';
        END IF;
        RETURN NEW;
    END $$
    """


BEFORE = "key_id member_id public wrapped_private created_at"


class Migration(migrations.Migration):
    dependencies = [("pools", "0005_settlement_kept")]

    operations = [
        migrations.AddField(
            model_name="commissionkey",
            name="passphrase_cost",
            # What the setting was until now.
            field=models.PositiveIntegerField(default=2**15, help_text="scrypt's N, as it was when the key was made."),
            preserve_default=False,
        ),
        migrations.RunSQL(sql=keep_key(f"{BEFORE} passphrase_cost"), reverse_sql=keep_key(BEFORE)),
    ]
