"""Make the database refuse to change what a settlement was computed to be; let level codes have any length."""

from django.db import migrations, models

KEEP_SETTLEMENTS = migrations.RunSQL(
    sql="""
    CREATE FUNCTION pools_keep_settlement() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_OP = 'DELETE' OR OLD.state = 'official'
           OR (NEW.pool_id, NEW.state_text, NEW.tally_text, NEW.statement_text, NEW.jackpot_in, NEW.calculated_at)
              IS DISTINCT FROM
              (OLD.pool_id, OLD.state_text, OLD.tally_text, OLD.statement_text, OLD.jackpot_in, OLD.calculated_at) THEN
            RAISE EXCEPTION 'settlement of pool id %: it can only become disputed or, once, official', OLD.pool_id
                USING ERRCODE = 'restrict_violation';
        END IF;
        RETURN NEW;
    END $$;
    CREATE TRIGGER keep_settlement BEFORE UPDATE OR DELETE ON pools_settlement
        FOR EACH ROW EXECUTE FUNCTION pools_keep_settlement()
    """,
    reverse_sql="DROP TRIGGER keep_settlement ON pools_settlement; DROP FUNCTION pools_keep_settlement()",
)


class Migration(migrations.Migration):
    dependencies = [("pools", "0004_commission_guards")]
    operations = [
        migrations.AlterField(model_name="winning", name="level", field=models.TextField()),
        KEEP_SETTLEMENTS,
    ]
