"""Make the database refuse to change announced terms and sealed protocols, and journal every change of a pool."""

from django.db import migrations

FREEZE_TERMS = migrations.RunSQL(
    sql="""
    CREATE FUNCTION pools_keep_announced() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_OP = 'DELETE' THEN
            IF OLD.state = 'draft' THEN RETURN OLD; END IF;
            RAISE EXCEPTION 'pool % is announced: it is never deleted', OLD.code USING ERRCODE = 'restrict_violation';
        END IF;
        IF OLD.state <> 'draft' AND (
            (NEW.id, NEW.code, NEW.game, NEW.terms_text, NEW.terms_digest, NEW.opens_at, NEW.closes_at,
             NEW.draws_jackpot, NEW.prepared_by_id, NEW.prepared_at, NEW.announced_by_id, NEW.announced_at)
            IS DISTINCT FROM
            (OLD.id, OLD.code, OLD.game, OLD.terms_text, OLD.terms_digest, OLD.opens_at, OLD.closes_at,
             OLD.draws_jackpot, OLD.prepared_by_id, OLD.prepared_at, OLD.announced_by_id, OLD.announced_at)
            OR (OLD.closed_at IS NOT NULL AND NEW.closed_at IS DISTINCT FROM OLD.closed_at)
            OR NEW.state = 'draft') THEN
            RAISE EXCEPTION 'pool % is announced: its terms cannot change', OLD.code
                USING ERRCODE = 'restrict_violation';
        END IF;
        RETURN NEW;
    END $$;
    CREATE TRIGGER keep_announced BEFORE UPDATE OR DELETE ON pools_pool
        FOR EACH ROW EXECUTE FUNCTION pools_keep_announced()
    """,
    reverse_sql="DROP TRIGGER keep_announced ON pools_pool; DROP FUNCTION pools_keep_announced()",
)

# update() and bulk edits send no signals (C25); a trigger sees them all.
JOURNAL_POOLS = migrations.RunSQL(
    sql="""
    CREATE FUNCTION pools_journal_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO core_journalrecord (at, actor, act, subject, reason, before, after)
        VALUES (totalizator_now(), 'database:' || session_user, 'pool_row_changed', 'pool:' || OLD.code, '',
                jsonb_build_object('state', OLD.state, 'terms', OLD.terms_digest, 'closed_at', OLD.closed_at),
                jsonb_build_object('state', NEW.state, 'terms', NEW.terms_digest, 'closed_at', NEW.closed_at));
        RETURN NULL;
    END $$;
    CREATE TRIGGER journal_change AFTER UPDATE ON pools_pool
        FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION pools_journal_change()
    """,
    reverse_sql="DROP TRIGGER journal_change ON pools_pool; DROP FUNCTION pools_journal_change()",
)

SEAL_PROTOCOLS = migrations.RunSQL(
    sql="""
    CREATE FUNCTION pools_keep_protocol() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_OP = 'DELETE' OR OLD.sealed_at IS NOT NULL
           OR (NEW.pool_id, NEW.version, NEW.number, NEW.document_text, NEW.drawn_up_at)
              IS DISTINCT FROM (OLD.pool_id, OLD.version, OLD.number, OLD.document_text, OLD.drawn_up_at) THEN
            RAISE EXCEPTION 'protocol % is append-only: it can only be sealed, once', OLD.number
                USING ERRCODE = 'restrict_violation';
        END IF;
        RETURN NEW;
    END $$;
    CREATE TRIGGER keep_protocol BEFORE UPDATE OR DELETE ON pools_protocol
        FOR EACH ROW EXECUTE FUNCTION pools_keep_protocol()
    """,
    reverse_sql="DROP TRIGGER keep_protocol ON pools_protocol; DROP FUNCTION pools_keep_protocol()",
)


class Migration(migrations.Migration):
    dependencies = [("pools", "0001_initial"), ("core", "0001_initial")]
    operations = [FREEZE_TERMS, JOURNAL_POOLS, SEAL_PROTOCOLS]
