"""The schema is ready to be distributed by pool: what Citus would refuse of it is known, and done away with."""

import re
from pathlib import Path

import pytest
from django.db import connection, transaction

from tests.distribution import CITUS, STUBS, Plan, plan_of, violations

pytestmark = pytest.mark.django_db

ADR = Path(__file__).parents[2] / "docs" / "adr" / "0014-citus.md"

# What stands in the way today, as one server keeps it better so. deploy/citus.sql changes it, and the ADR says how.
CHANGED_BY_CITUS_SQL = {
    "accounts_ledgeraccount: unique accounts_ledgeraccount_pkey (id)",
    "accounts_entry (credit_id) -> accounts_ledgeraccount",
    "accounts_entry (debit_id) -> accounts_ledgeraccount",
    "accounts_gameaccount (ledger_account_id) -> accounts_ledgeraccount",
    "accounts_prepaidcard (ledger_account_id) -> accounts_ledgeraccount",
    "accounts_till (ledger_account_id) -> accounts_ledgeraccount",
    "payouts_payable (pay_to_id) -> accounts_ledgeraccount",
    "pools_bet (paid_from_id) -> accounts_ledgeraccount",
}
GROW_WITH_BETS = {
    "pools_bet",
    "pools_betchunk",
    "pools_winning",
    "pools_correctedwinning",
    "payouts_payable",
    "payouts_payment",
    "accounts_transfer",
    "accounts_entry",
    "accounts_ledgeraccount",
    "core_journalrecord",
    "core_replayedanswer",
}


def the_plan() -> Plan:
    return plan_of(CITUS.read_text(encoding="utf-8"))


def test_only_what_the_decision_names_stands_in_the_way() -> None:
    assert violations(the_plan()) == CHANGED_BY_CITUS_SQL
    said = ADR.read_text(encoding="utf-8")
    assert {table for line in CHANGED_BY_CITUS_SQL for table in re.findall(r"\w+_\w+", line) if table not in said} <= {
        "ledger_account_id",
        "paid_from_id",
        "credit_id",
        "debit_id",
        "pay_to_id",
        "accounts_ledgeraccount_pkey",
    }


def test_after_the_file_nothing_stands_in_the_way() -> None:
    text = CITUS.read_text(encoding="utf-8")
    inside = re.sub(r"^(BEGIN|COMMIT);$", "", text, flags=re.MULTILINE)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(STUBS + inside)
        assert violations(the_plan()) == set()
        transaction.set_rollback(True)


def test_every_table_that_grows_with_bets_is_distributed() -> None:
    assert set(the_plan().distributed) == GROW_WITH_BETS


def test_a_pool_lies_on_one_node_and_so_does_its_money() -> None:
    beside = {table: group for table, (_column, group) in the_plan().distributed.items()}
    assert {table for table, group in beside.items() if group == "pools_bet"} == GROW_WITH_BETS - {
        "accounts_ledgeraccount",
        "core_journalrecord",
        "core_replayedanswer",
    }


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ("CREATE UNIQUE INDEX by_ticket ON pools_bet (ticket)", "pools_bet: unique by_ticket (ticket)"),
        (
            "CREATE UNIQUE INDEX by_text ON pools_winning (upper(ticket))",
            "pools_winning: unique by_text (None)",
        ),
        (
            "ALTER TABLE pools_betcancellation ADD FOREIGN KEY (pool_id, ticket) REFERENCES pools_bet",
            "pools_betcancellation (pool_id, ticket) -> pools_bet",
        ),
        (
            "ALTER TABLE pools_bet ADD COLUMN point_id bigint REFERENCES accounts_terminal (id)",
            "pools_bet (point_id) -> accounts_terminal",
        ),
        ("DROP TABLE pools_betchunk", "pools_betchunk: there is no such table"),
    ],
)
def test_a_change_that_citus_would_refuse_is_found(change: str, found: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(change)
        assert found in violations(the_plan()) - CHANGED_BY_CITUS_SQL
        transaction.set_rollback(True)


def test_a_foreign_key_that_keeps_the_pool_is_allowed_and_one_that_loses_it_is_not() -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "ALTER TABLE pools_winning ADD FOREIGN KEY (pool_id, ticket) REFERENCES pools_bet (pool_id, ticket)"
        )
        assert violations(the_plan()) == CHANGED_BY_CITUS_SQL
        cursor.execute("ALTER TABLE payouts_payment ADD COLUMN of_pool bigint")
        cursor.execute(
            "ALTER TABLE payouts_payment ADD FOREIGN KEY (of_pool, ticket) REFERENCES pools_bet (pool_id, ticket)"
        )
        assert violations(the_plan()) - CHANGED_BY_CITUS_SQL == {"payouts_payment (of_pool, ticket) -> pools_bet"}
        transaction.set_rollback(True)
