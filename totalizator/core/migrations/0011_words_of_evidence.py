"""Let what is encrypted in evidence be written anew under another key, or erased: nothing else of its rows changes."""

from django.db import migrations

REFUSAL = """
CREATE OR REPLACE FUNCTION core_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    {but}RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
END $$
"""
# The arguments of a trigger are the encrypted columns of its table.
BUT_WORDS = """IF TG_OP = 'UPDATE' AND TG_NARGS > 0
       AND to_jsonb(NEW) - TG_ARGV::text[] = to_jsonb(OLD) - TG_ARGV::text[] THEN
        RETURN NEW;
    END IF;
    """


class Migration(migrations.Migration):
    dependencies = [("core", "0010_journal_but_bets")]

    operations = [migrations.RunSQL(sql=REFUSAL.format(but=BUT_WORDS), reverse_sql=REFUSAL.format(but=""))]
