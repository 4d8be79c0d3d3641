"""What the database itself refuses: to its owner by triggers and checks, to the application by privilege too."""

import pytest
from django.core.management import call_command
from django.db import DatabaseError, IntegrityError, connection, transaction

from accounts.ledger.balances import balance
from accounts.ledger.posting import post_many
from payouts.services.booking import book_payables
from tests.making import make_pool, make_till
from tests.paying import go_to, pay, payable_from, sell_slips
from tests.posting import bank, game_account, move, post_all, written
from tests.settling import settle

pytestmark = pytest.mark.django_db


ENTRY = "INSERT INTO accounts_entry (book, key, line, debit_id, credit_id, amount) VALUES "
TRANSFER = "INSERT INTO accounts_transfer (book, key, kind, occurred_at, cause, reversal_of) VALUES "


def run(*statements: str) -> None:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


@pytest.mark.parametrize("table", ["accounts_transfer", "accounts_entry", "payouts_payment", "payouts_booking"])
@pytest.mark.parametrize("change", ["UPDATE {} SET {} = {}", "DELETE FROM {}", "TRUNCATE {} CASCADE"])
def test_evidence_is_append_only_for_the_owner_too(table: str, change: str) -> None:
    column = {"accounts_transfer": "cause", "accounts_entry": "amount"}.get(table, "pool_id")
    if table.startswith("accounts"):
        post_all(move("in", bank(), game_account(), 1))
    else:
        _pay_something()
    run("SET CONSTRAINTS ALL IMMEDIATE")  # no pending check may be what stops a TRUNCATE
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        run(change.format(table, column, column))
    assert _rows(table) > 0


def _pay_something() -> None:
    pool, till = make_pool("sportloto-variant"), make_till(10_000)
    (slip,) = sell_slips(pool, till, ("1", 100))
    settle(pool, "1")
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    pay(slip, till)


def _rows(table: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {table}")
        (count,) = cursor.fetchone()
    return int(count)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE accounts_ledgeraccount SET credits = credits - 1",
        "UPDATE accounts_ledgeraccount SET owner = 'another'",
        "DELETE FROM accounts_ledgeraccount",
    ],
)
def test_an_account_stays_itself_and_its_counters_only_grow(change: str) -> None:
    post_all(move("in", bank(), game_account(), 10))
    before = written()
    with pytest.raises(DatabaseError, match=r"never deleted|only grow"), transaction.atomic():
        run(change)
    assert written() == before


@pytest.mark.parametrize(
    ("check", "sql"),
    [
        (
            "ledger_amount_positive",
            ENTRY + "(0, 'in', 1, {bank}, {account}, 0)",
        ),
        (
            "ledger_amount_positive",
            ENTRY + "(0, 'in', 1, {bank}, {account}, -5)",
        ),
        (
            "ledger_two_accounts",
            ENTRY + "(0, 'in', 1, {account}, {account}, 5)",
        ),
        (
            "ledger_entry_has_transfer",
            ENTRY + "(0, 'none', 0, {bank}, {account}, 5)",
        ),
        ("ledger_never_overdrawn", "UPDATE accounts_ledgeraccount SET debits = 11 WHERE id = {account}"),
        ("ledger_counters_iff_guarded", "UPDATE accounts_ledgeraccount SET debits = 0, credits = 0 WHERE id = {bank}"),
        (
            "ledger_account_once",
            "INSERT INTO accounts_ledgeraccount (kind, owner, guarded, debit_normal) VALUES ('bank', '', false, true)",
        ),
        (
            "ledger_reversed_once",
            TRANSFER + "(0, 'r1', 'reversal', now(), '', 'in'), (0, 'r2', 'reversal', now(), '', 'in')",
        ),
    ],
)
def test_the_database_itself_refuses_what_must_not_be(check: str, sql: str) -> None:
    account = game_account()
    post_all(move("in", bank(), account, 10))
    before = written()
    with pytest.raises(IntegrityError, match=check), transaction.atomic():
        run(sql.format(bank=bank().pk, account=account.pk), "SET CONSTRAINTS ALL IMMEDIATE")
    assert written() == before


APPEND_ONLY = (
    "accounts_transfer",
    "accounts_entry",
    "accounts_topup",
    "accounts_currencyrate",
    "accounts_providermessage",
    "payouts_payment",
    "payouts_booking",
    "core_journalrecord",
)


@pytest.mark.parametrize("table", APPEND_ONLY)
@pytest.mark.parametrize("change", ["UPDATE", "DELETE", "TRUNCATE"])
def test_the_application_has_no_privilege_to_change_evidence(table: str, change: str) -> None:
    with connection.cursor() as cursor:
        role = _application_role()
        cursor.execute("SELECT has_table_privilege(%s, %s, %s)", [role, table, change])
        (allowed,) = cursor.fetchone()
        cursor.execute("SELECT has_table_privilege(%s, %s, 'INSERT, SELECT')", [role, table])
        (may_add,) = cursor.fetchone()
    assert (allowed, may_add) == (False, True)


def test_the_application_posts_and_is_refused_to_change() -> None:
    role, account, other = _application_role(), game_account(), bank()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL ROLE {role}")
        post_many([move("in", other, account, 10)])
        for statement_ in ("UPDATE accounts_entry SET amount = 1", "DELETE FROM accounts_transfer"):
            with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
                cursor.execute(statement_)
        cursor.execute("RESET ROLE")
    assert balance(account) == 10


def _application_role() -> str:
    """A role with exactly the application's privileges, that the tests' own role may step into."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user || '_app' FROM pg_roles WHERE rolname = current_user || '_app'")
        found = cursor.fetchone()
    assert found is not None, "the local stack makes the application's role"
    call_command("grant_app_role", role=found[0])
    return str(found[0])
