"""What the database itself enforces of the ledger, as migration operations."""

from django.db.migrations.operations import RunSQL

ENTRY_HAS_TRANSFER = RunSQL(
    sql="ALTER TABLE accounts_entry ADD CONSTRAINT ledger_entry_has_transfer"
    " FOREIGN KEY (book, key) REFERENCES accounts_transfer (book, key)",
    reverse_sql="ALTER TABLE accounts_entry DROP CONSTRAINT ledger_entry_has_transfer",
)

# An account is never deleted, never becomes another one, and its counters never shrink.
COUNTERS_ONLY_GROW = RunSQL(
    sql="""
    CREATE FUNCTION accounts_keep_ledger_account() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_OP = 'DELETE' THEN
            RAISE EXCEPTION 'a ledger account is never deleted' USING ERRCODE = 'restrict_violation';
        END IF;
        IF (NEW.id, NEW.kind, NEW.owner, NEW.guarded, NEW.debit_normal)
           IS DISTINCT FROM (OLD.id, OLD.kind, OLD.owner, OLD.guarded, OLD.debit_normal)
           OR NEW.debits < OLD.debits OR NEW.credits < OLD.credits THEN
            RAISE EXCEPTION 'ledger account %: only its counters change, and they only grow', OLD.id
                USING ERRCODE = 'restrict_violation';
        END IF;
        RETURN NEW;
    END $$;
    CREATE TRIGGER counters_only_grow BEFORE UPDATE OR DELETE ON accounts_ledgeraccount
        FOR EACH ROW EXECUTE FUNCTION accounts_keep_ledger_account()
    """,
    reverse_sql="""
    DROP TRIGGER counters_only_grow ON accounts_ledgeraccount;
    DROP FUNCTION accounts_keep_ledger_account()
    """,
)
