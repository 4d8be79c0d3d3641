"""Make the database refuse to change what is owed on a ticket, to delete it, and to reopen what is paid or expired."""

from django.db import migrations

# The condition is the trigger's own, so that paying a million rows calls no function.
KEEP_PAYABLES = migrations.RunSQL(
    sql="""
    CREATE FUNCTION payouts_keep_payable() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION 'what is owed on ticket % never changes: it is due, then paid or expired, once', OLD.ticket
            USING ERRCODE = 'restrict_violation';
    END $$;
    CREATE TRIGGER keep_payable BEFORE UPDATE ON payouts_payable FOR EACH ROW
        WHEN (OLD.state <> 'due'
              OR (NEW.pool_id, NEW.ticket, NEW.kind, NEW.amount, NEW.payable_from, NEW.payable_until)
                 IS DISTINCT FROM
                 (OLD.pool_id, OLD.ticket, OLD.kind, OLD.amount, OLD.payable_from, OLD.payable_until))
        EXECUTE FUNCTION payouts_keep_payable();
    CREATE TRIGGER never_delete_payable BEFORE DELETE ON payouts_payable
        FOR EACH ROW EXECUTE FUNCTION payouts_keep_payable()
    """,
    reverse_sql="""
    DROP TRIGGER keep_payable ON payouts_payable;
    DROP TRIGGER never_delete_payable ON payouts_payable;
    DROP FUNCTION payouts_keep_payable()
    """,
)


class Migration(migrations.Migration):
    dependencies = [("payouts", "0006_paid_by_order")]
    operations = [KEEP_PAYABLES]
