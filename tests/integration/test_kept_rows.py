"""Rows that look like settings and are evidence: what is owed, the rules texts, the law's numbers."""

import pytest
from django.core.management import call_command
from django.db import DatabaseError, IntegrityError, connection, transaction

from payouts.models import Payable
from payouts.services.booking import book_payables
from pools.models import Pool, RulesText
from pools.services.rules import record_filing
from tests.making import bet_from_account, make_organizers, make_player, make_pool, make_rules
from tests.refusals import every_row
from tests.settling import settle
from totalizator.core import clock

pytestmark = pytest.mark.django_db

CHANGES = {
    "amount": "amount = amount + 1",
    "ticket": "ticket = ticket || 'X'",
    "kind": "kind = 'refund'",
    "beginning": "payable_from = payable_from - interval '1 day'",
    "end": "payable_until = payable_until + interval '1 day'",
}


def won() -> Pool:
    pool = make_pool("sportloto-variant")
    bet_from_account(pool, make_player(100), "1", 100)
    settle(pool, "1")
    book_payables(code=pool.code)
    return pool


def run(sql: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return int(cursor.rowcount)


def refused(sql: str, match: str) -> None:
    before = every_row()
    with pytest.raises(IntegrityError, match=match), transaction.atomic():
        run(sql)
    assert every_row() == before


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_owed_never_changes(change: str) -> None:
    won()
    refused(f"UPDATE payouts_payable SET {CHANGES[change]}", "never changes")
    assert run("UPDATE payouts_payable SET pay_to_id = NULL") == 1  # a card's winning, by the player's wish


def test_what_is_owed_is_never_deleted() -> None:
    won()
    refused("DELETE FROM payouts_payable", "never changes")


@pytest.mark.parametrize("end", ["paid", "expired"])
@pytest.mark.parametrize("again", ["due", "paid", "expired"])
def test_what_is_paid_or_expired_stays_so(end: str, again: str) -> None:
    pool = won()
    Payable.objects.filter(pool=pool).update(state=end, settled_at=clock.now())
    settled_at = "NULL" if again == "due" else "settled_at"
    refused(f"UPDATE payouts_payable SET state = '{again}', settled_at = {settled_at}", "never changes")


def test_a_published_rules_text_is_only_filed_once() -> None:
    organizer, _other = make_organizers()
    version = make_rules(organizer)
    for change in ("text = text || ' '", "valid_from = valid_from - interval '1 day'", "version = 'sha256:0'"):
        refused(f"UPDATE pools_rulestext SET {change}", "is published")
    refused("DELETE FROM pools_rulestext", "is published")
    record_filing(version=version, filing="No 1", filed_by=organizer)
    refused("UPDATE pools_rulestext SET filing = 'No 2'", "is published")
    assert RulesText.objects.get(version=version).filing == "No 1"


@pytest.mark.parametrize("table", ["core_legalnumber", "core_nonworkingday"])
@pytest.mark.parametrize("change", ["UPDATE", "DELETE", "TRUNCATE"])
def test_the_application_adds_legal_numbers_and_changes_none(table: str, change: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT rolname FROM pg_roles WHERE rolname = current_user || '_app'")
        (role,) = cursor.fetchone()
        call_command("grant_app_role", role=role)
        cursor.execute("SELECT has_table_privilege(%s, %s, %s)", [role, table, change])
        assert cursor.fetchone() == (False,)
        cursor.execute("SELECT has_table_privilege(%s, 'django_migrations', 'UPDATE, INSERT, DELETE')", [role])
        assert cursor.fetchone() == (False,)


def test_the_application_is_really_refused() -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT current_user || '_app'")
        (role,) = cursor.fetchone()
        call_command("grant_app_role", role=role)
        cursor.execute(f"SET LOCAL ROLE {role}")
        with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
            cursor.execute("UPDATE core_legalnumber SET value = '0'")
        cursor.execute("RESET ROLE")
