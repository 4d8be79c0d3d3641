"""What each role of the database can do at all, table by table."""

import re

import pytest
from django.db import connection

from tests.integration.test_database_roles import acting_as, refused, run
from tests.refusals import every_row
from totalizator.core.management.commands.grant_app_role import APPEND_ONLY, ERASED
from totalizator.core.management.commands.grant_auditor_role import HIDDEN_TABLES, OPEN_BYTES, readable_columns
from totalizator.core.management.commands.rotate_personal_data_keys import encrypted_columns

pytestmark = pytest.mark.django_db
CAN = "has_table_privilege(current_user, format('%%I.%%I', schemaname, tablename), %s)"
SECRET = re.compile(r"(secret|password|passphrase|token|salt|session|private|email|phone|full_name|username|wrapped)")
# Names that are like a secret's, of columns that hold none, and why.
HARMLESS = {
    ("accounts_user", "password_changed_at"): "an instant",
    ("payouts_ticketowner", "by_phone"): "yes or no",
    ("pools_commissionkey", "passphrase_cost"): "how long one guess takes",
}


def tables_with(privilege: str) -> set[str]:
    return {
        str(name)
        for (name,) in run(f"SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND {CAN}", privilege)
    }


def test_the_application_can_empty_no_table_and_own_none() -> None:
    with acting_as("app"):
        assert tables_with("TRUNCATE") == tables_with("TRIGGER") == tables_with("REFERENCES") == set()
        assert run("SELECT count(*) FROM pg_tables WHERE schemaname = 'public' AND tableowner = current_user") == [(0,)]
        before = every_row()
        for statement in (
            "TRUNCATE core_failedtry",
            "TRUNCATE pools_bet CASCADE",
            "ALTER TABLE pools_bet DISABLE TRIGGER ALL",
            "ALTER TABLE accounts_entry DISABLE TRIGGER append_only_rows",
            "DROP TRIGGER append_only_rows ON accounts_entry",
            "ALTER TABLE pools_bet ADD COLUMN mine int",
            "DROP TABLE core_failedtry",
            "CREATE TABLE public.mine (x int)",
            "CREATE OR REPLACE FUNCTION core_refuse_change() RETURNS trigger LANGUAGE sql AS 'SELECT 1'",
            "SET session_replication_role = replica",
            "CREATE ROLE mine",
            "DELETE FROM django_migrations",
        ):
            refused(statement, "permission denied|must be owner|must be able to|ERROR|denied")
        assert every_row() == before


def test_the_application_neither_changes_nor_deletes_evidence() -> None:
    with acting_as("app"):
        assert tables_with("UPDATE").isdisjoint(APPEND_ONLY)
        assert tables_with("DELETE").isdisjoint(APPEND_ONLY)
        assert set(APPEND_ONLY) <= tables_with("INSERT")
        for table in sorted(APPEND_ONLY):
            changed = run(
                "SELECT column_name::text FROM information_schema.columns WHERE table_schema = 'public'"
                " AND table_name = %s"
                " AND has_column_privilege(current_user, table_name::text, column_name::text, 'UPDATE')",
                table,
            )
            assert {name for (name,) in changed} == set(ERASED.get(table, ())), table


def test_what_the_database_guards_is_withheld_from_the_application_too() -> None:
    """Fails for a new append-only table that nobody put into the list of `grant_app_role`."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT event_object_table FROM information_schema.triggers"
            " WHERE trigger_name = 'append_only_rows'"
        )
        guarded = {name for (name,) in cursor.fetchall()}
    assert guarded - set(APPEND_ONLY) == set()
    assert len(guarded) > 80


def test_the_auditor_reads_columns_by_name_and_none_that_is_secret() -> None:
    encrypted = {(model._meta.db_table, str(field.column)) for model, field in encrypted_columns()}
    shown = {(table, column) for table, columns in readable_columns() for column in columns}
    assert shown.isdisjoint(encrypted)
    assert len(encrypted) > 35
    alike = {(table, column) for table, column in shown if SECRET.search(column)}
    assert alike == set(HARMLESS), "secret, or to be told harmless"
    kinds = run("SELECT table_name::text, column_name::text FROM information_schema.columns WHERE data_type = 'bytea'")
    assert {(str(table), str(column)) for table, column in kinds} & shown == set(OPEN_BYTES)
    with acting_as("auditor"):
        for privilege in ("INSERT", "UPDATE", "DELETE", "TRUNCATE", "TRIGGER"):
            assert tables_with(privilege) == set(), privilege
        for table in HIDDEN_TABLES:
            refused(f"SELECT * FROM {table}", "permission denied")


def test_neither_role_is_another_one() -> None:
    for kind in ("app", "auditor"):
        with acting_as(kind):
            ((privileged,),) = run(
                "SELECT rolsuper OR rolcreaterole OR rolcreatedb OR rolbypassrls OR rolreplication"
                " FROM pg_roles WHERE rolname = current_user"
            )
            assert privileged is False
            ((owns,),) = run(
                "SELECT count(*) FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.member"
                " WHERE r.rolname = current_user"
            )
            assert owns == 0
