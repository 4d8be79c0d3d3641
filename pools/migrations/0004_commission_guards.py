"""Make the database refuse to change a commission key, and to add a signature under a sealed protocol."""

from django.db import migrations

KEEP_KEYS = migrations.RunSQL(
    sql="""
    CREATE FUNCTION pools_keep_key() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_OP = 'DELETE' OR OLD.revoked_at IS NOT NULL
           OR (NEW.key_id, NEW.member_id, NEW.public, NEW.wrapped_private, NEW.created_at)
              IS DISTINCT FROM (OLD.key_id, OLD.member_id, OLD.public, OLD.wrapped_private, OLD.created_at) THEN
            RAISE EXCEPTION 'commission key % can only be revoked, once', OLD.key_id
                USING ERRCODE = 'restrict_violation';
        END IF;
        RETURN NEW;
    END $$;
    CREATE TRIGGER keep_key BEFORE UPDATE OR DELETE ON pools_commissionkey
        FOR EACH ROW EXECUTE FUNCTION pools_keep_key()
    """,
    reverse_sql="DROP TRIGGER keep_key ON pools_commissionkey; DROP FUNCTION pools_keep_key()",
)

SIGN_BEFORE_SEALING = migrations.RunSQL(
    sql="""
    CREATE FUNCTION pools_sign_before_sealing() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF NOT EXISTS (SELECT FROM pools_protocol
                       WHERE pool_id = NEW.pool_id AND version = NEW.version AND sealed_at IS NULL) THEN
            RAISE EXCEPTION 'pool id %: no unsealed protocol of version %', NEW.pool_id, NEW.version
                USING ERRCODE = 'restrict_violation';
        END IF;
        RETURN NEW;
    END $$;
    CREATE TRIGGER sign_before_sealing BEFORE INSERT ON pools_protocolsignature
        FOR EACH ROW EXECUTE FUNCTION pools_sign_before_sealing()
    """,
    reverse_sql="""
    DROP TRIGGER sign_before_sealing ON pools_protocolsignature;
    DROP FUNCTION pools_sign_before_sealing()
    """,
)


class Migration(migrations.Migration):
    dependencies = [("pools", "0003_cancellation_by_two")]
    operations = [KEEP_KEYS, SIGN_BEFORE_SEALING]
