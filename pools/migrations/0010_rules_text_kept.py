"""Make the database refuse to change or delete a published rules text: bets and consents name it (A3, ¶9.9)."""

from django.db import migrations

KEEP_RULES = migrations.RunSQL(
    sql="""
    CREATE FUNCTION pools_keep_rules() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_OP = 'DELETE' OR OLD.filed_at IS NOT NULL
           OR (NEW.version, NEW.text, NEW.valid_from, NEW.published_at)
              IS DISTINCT FROM (OLD.version, OLD.text, OLD.valid_from, OLD.published_at) THEN
            RAISE EXCEPTION 'rules text % is published: only its filing is noted, once', OLD.version
                USING ERRCODE = 'restrict_violation';
        END IF;
        RETURN NEW;
    END $$;
    CREATE TRIGGER keep_rules BEFORE UPDATE OR DELETE ON pools_rulestext
        FOR EACH ROW EXECUTE FUNCTION pools_keep_rules()
    """,
    reverse_sql="DROP TRIGGER keep_rules ON pools_rulestext; DROP FUNCTION pools_keep_rules()",
)


class Migration(migrations.Migration):
    dependencies = [("pools", "0009_paper_and_transfers")]
    operations = [KEEP_RULES]
