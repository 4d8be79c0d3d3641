"""Keys are changed while the system runs: nothing made under the one before is lost (docs/security.md, Keys)."""

from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.core import signing
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.test import override_settings

from payouts.queries.tickets import find_ticket
from tests.functional.browsing import visitor
from tests.functional.test_logging_in import log_in
from tests.making import bet_in_cash, make_player, make_pool, make_till
from totalizator.core.encrypted import encrypt
from totalizator.core.errors import DomainError
from totalizator.core.management.commands.rotate_personal_data_keys import encrypted_columns

pytestmark = pytest.mark.django_db
LINE = "1;X;2"
DUMMIES = {
    "bigint": "1",
    "integer": "1",
    "smallint": "1",
    "boolean": "false",
    "bytea": r"'\x00'",
    "date": "'2026-01-01'",
    "timestamp with time zone": "'2026-01-01T00:00Z'",
    "jsonb": "'{}'",
}


def test_a_ticket_sold_under_the_key_before_is_known_by_its_code_and_printed_with_it_again(settings: Any) -> None:
    settings.TICKET_KEY, settings.FORMER_TICKET_KEYS = "the first key of tickets", []
    pool, till = make_pool(), make_till(1_000)
    sold = bet_in_cash(pool, till, LINE, 100, key="one")
    settings.TICKET_KEY, settings.FORMER_TICKET_KEYS = "the second key of tickets", ["the first key of tickets"]
    assert find_ticket(sold.bet.ticket, sold.check_code) == sold.bet
    again = bet_in_cash(pool, till, LINE, 100, key="one")
    assert (again.replayed, again.check_code) == (True, sold.check_code)
    other = bet_in_cash(pool, till, LINE, 100, key="two")
    assert find_ticket(other.bet.ticket, other.check_code) == other.bet
    with pytest.raises(DomainError):
        find_ticket(sold.bet.ticket, other.check_code)
    settings.FORMER_TICKET_KEYS = []
    with pytest.raises(DomainError):
        find_ticket(sold.bet.ticket, sold.check_code)


def test_what_was_signed_under_the_key_before_is_taken_while_it_is_named(settings: Any) -> None:
    settings.PERSONAL_DATA_KEYS = [Fernet.generate_key().decode()]  # else they are made of SECRET_KEY
    player, browser = make_player(), visitor()
    with override_settings(SECRET_KEY="the first secret key"):
        assert log_in(browser, player).status_code == 302
        held = signing.dumps(["a form"], salt="x")
    with override_settings(SECRET_KEY="the second one", SECRET_KEY_FALLBACKS=["the first secret key"]):
        assert browser.get("/my/").status_code == 200
        assert signing.loads(held, salt="x") == ["a form"]
    with override_settings(SECRET_KEY="the third one"):
        assert browser.get("/my/").status_code == 302
        with pytest.raises(signing.BadSignature):
            signing.loads(held, salt="x")


class _Undo(Exception):
    """Ends a block whose rows must not stay."""


def guarded() -> Iterator[tuple[str, str]]:
    """Every encrypted column of a table that the database guards against changes."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT DISTINCT event_object_table FROM information_schema.triggers")
        tables = {name for (name,) in cursor.fetchall()}
    for model, field in encrypted_columns():
        if model._meta.db_table in tables:
            yield model._meta.db_table, str(field.column)


def made_up_row(table: str, token: str) -> None:
    """Put in a row whose other columns mean nothing; that they lead nowhere would be seen only at the commit."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = %s"
            " AND (is_nullable = 'NO' AND is_identity = 'NO')",
            [table],
        )
        columns = cursor.fetchall()
        values = [DUMMIES.get(kind) or (f"'{token}'" if kind == "text" else "'x'") for _name, kind in columns]
        names = ", ".join(f'"{name}"' for name, _kind in columns)
        cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        for (check,) in checks_of(cursor, table):
            cursor.execute(f'ALTER TABLE {table} DROP CONSTRAINT "{check}"')
        cursor.execute(f"INSERT INTO {table} ({names}) VALUES ({', '.join(values)})")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")


def checks_of(cursor: Any, table: str) -> list[tuple[str]]:
    cursor.execute("SELECT conname FROM pg_constraint WHERE contype IN ('c', 'f') AND conrelid = %s::regclass", [table])
    rows: list[tuple[str]] = cursor.fetchall()
    return rows


def test_a_new_key_writes_anew_what_is_encrypted_in_evidence_and_nothing_else_of_it_changes(settings: Any) -> None:
    """Fails for a table whose guard forgets an encrypted column: then no key could ever be taken away."""
    old, new = Fernet.generate_key().decode(), Fernet.generate_key().decode()
    found = list(guarded())
    assert len({table for table, _column in found}) >= 9
    for table in sorted({table for table, _column in found}):
        try:
            with transaction.atomic():
                settings.PERSONAL_DATA_KEYS = [old]
                made_up_row(table, encrypt("words"))
                with connection.cursor() as cursor:
                    cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")
                settings.PERSONAL_DATA_KEYS = [new, old]
                said = StringIO()
                call_command("rotate_personal_data_keys", stdout=said)
                for column in (column for name, column in found if name == table):
                    assert f".{column}: 1" in said.getvalue(), (table, column)
                with connection.cursor() as cursor, pytest.raises(DatabaseError), transaction.atomic():
                    cursor.execute(f"DELETE FROM {table}")
                raise _Undo  # noqa: TRY301
        except _Undo:
            pass
