"""A printed card is never deleted and never becomes another one: its code cannot be exchanged in the database."""

from django.db import migrations

KEEP_CARDS = migrations.RunSQL(
    sql="""
    CREATE FUNCTION accounts_keep_card() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_OP = 'DELETE' THEN
            RAISE EXCEPTION 'a card is never deleted' USING ERRCODE = 'restrict_violation';
        END IF;
        IF (NEW.id, NEW.number, NEW.batch_id, NEW.code_hash) IS DISTINCT FROM
           (OLD.id, OLD.number, OLD.batch_id, OLD.code_hash)
           OR (OLD.ledger_account_id IS NOT NULL AND NEW.ledger_account_id IS DISTINCT FROM OLD.ledger_account_id)
           OR (OLD.state IN ('expired', 'replaced') AND NEW.state <> OLD.state)
           OR NEW.expires_at < OLD.expires_at THEN
            RAISE EXCEPTION 'card %: it stays what it is', OLD.number USING ERRCODE = 'restrict_violation';
        END IF;
        RETURN NEW;
    END $$;
    CREATE TRIGGER card_stays_itself BEFORE UPDATE OR DELETE ON accounts_prepaidcard
        FOR EACH ROW EXECUTE FUNCTION accounts_keep_card()
    """,
    reverse_sql="""
    DROP TRIGGER card_stays_itself ON accounts_prepaidcard;
    DROP FUNCTION accounts_keep_card()
    """,
)


class Migration(migrations.Migration):
    dependencies = [("accounts", "0010_bank_statements")]
    operations = [KEEP_CARDS]
