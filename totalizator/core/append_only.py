"""Migration operations that make the database itself refuse changes to rows that are evidence."""

from django.db.migrations.operations import RunSQL


def append_only(table: str) -> RunSQL:
    """Return an operation after which `table` takes inserts and refuses UPDATE, DELETE and TRUNCATE.

    The triggers hold for every role; `manage.py grant_app_role` also withholds the privileges.
    """
    return RunSQL(
        sql=[
            f"CREATE TRIGGER append_only_rows BEFORE UPDATE OR DELETE ON {table}"
            " FOR EACH ROW EXECUTE FUNCTION core_refuse_change()",
            f"CREATE TRIGGER append_only_table BEFORE TRUNCATE ON {table}"
            " FOR EACH STATEMENT EXECUTE FUNCTION core_refuse_change()",
        ],
        reverse_sql=[
            f"DROP TRIGGER append_only_table ON {table}",
            f"DROP TRIGGER append_only_rows ON {table}",
        ],
    )


CREATE_REFUSAL = RunSQL(
    sql="""
    CREATE FUNCTION core_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
    END $$
    """,
    reverse_sql="DROP FUNCTION core_refuse_change()",
)

CREATE_CLOCK = RunSQL(
    sql="""
    CREATE FUNCTION totalizator_now() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
        SELECT clock_timestamp() + COALESCE((SELECT "offset" FROM core_clockoffset), interval '0')
    $$
    """,
    reverse_sql="DROP FUNCTION totalizator_now()",
)
