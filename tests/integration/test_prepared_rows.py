"""Rows by a prepared statement are what Django would have read, joined rows too; they stay prepared on the server."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Role, Terminal, User
from accounts.services.logged_in import WITH_ACCOUNT
from tests.making import make_player, make_user
from totalizator.core.prepared_rows import PreparedRow

pytestmark = pytest.mark.django_db


def people() -> PreparedRow[User]:
    return PreparedRow(lambda: User.objects.select_related(*WITH_ACCOUNT), by="pk")


def columns(row: Any) -> dict[str, Any]:
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}


def executed(table: str) -> list[int]:
    """How often each prepared statement on a table was executed."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT generic_plans + custom_plans FROM pg_prepared_statements WHERE statement LIKE %s", [f"%{table}%"]
        )
        return [times for (times,) in cursor.fetchall()]


def test_it_is_the_row_with_all_that_is_joined_to_it() -> None:
    player = make_player(1_000)
    found = people().read(player.pk)
    assert found is not None
    with CaptureQueriesContext(connection) as asked:
        account = found.game_account
        joined = (account, account.ledger_account, found.person)
        assert account.player is found
        assert found.person.player is found
    assert len(asked) == 0
    (known,) = User.objects.select_related(*WITH_ACCOUNT).filter(pk=player.pk)
    expected = (known.game_account, known.game_account.ledger_account, known.person)
    assert columns(found) == columns(known)
    assert [columns(row) for row in joined] == [columns(row) for row in expected]
    assert not found._state.adding


def test_who_has_no_account_is_known_to_have_none_and_nobody_is_nobody() -> None:
    cashier = people().read(make_user(Role.CASHIER).pk)
    assert cashier is not None
    with CaptureQueriesContext(connection) as asked:
        assert not hasattr(cashier, "game_account")
        assert not hasattr(cashier, "person")
    assert len(asked) == 0
    assert people().read(0) is None


def test_it_stays_prepared_unless_the_settings_say_no(settings: Any) -> None:
    rows, numbers = PreparedRow(lambda: User.objects.filter(is_staff=False).only("pk"), by="username"), range(3)
    settings.PREPARED_STATEMENTS = False
    assert [rows.read(f"nobody-{number}") for number in numbers] == [None, None, None]
    assert executed('"accounts_user"."id" FROM "accounts_user"') == []
    settings.PREPARED_STATEMENTS = True
    assert [rows.read(f"nobody-{number}") for number in numbers] == [None, None, None]
    assert executed('"accounts_user"."id" FROM "accounts_user"') == [3]


def test_rows_with_values_of_their_own_are_refused() -> None:
    with pytest.raises(ValueError, match="the key is to be the only one"):
        PreparedRow(lambda: Terminal.objects.filter(serial="one"), by="key_id").read("two")
