"""Three roles of the database: the owner migrates, the application works, the auditor reads and sees no secret (S1)."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction

from tests.making import bet_from_account, make_player, make_pool
from tests.refusals import every_row
from tests.settling import settle
from totalizator.core.management.commands.grant_auditor_role import readable_columns

pytestmark = pytest.mark.django_db

SECRETS = (
    "SELECT check_hash FROM pools_bet",
    "SELECT salt FROM pools_bet",
    "SELECT wrapped_private FROM pools_commissionkey",
    "SELECT password FROM accounts_user",
    "SELECT username FROM accounts_user",
    "SELECT full_name FROM accounts_identity",
    "SELECT identity_number FROM accounts_identity",
    "SELECT number_digest FROM accounts_person",
    "SELECT secret FROM accounts_terminal",
    "SELECT code_hash FROM accounts_prepaidcard",
    "SELECT digest FROM accounts_apitoken",
    "SELECT key_digest FROM core_replayedanswer",
    "SELECT session_data FROM django_session",
    "SELECT data FROM mfa_authenticator",
)
CHANGES = (
    "INSERT INTO core_journalrecord (at, actor, act, subject, reason) VALUES (now(), '', '', '', '')",
    "UPDATE pools_pool SET state = 'open'",
    "DELETE FROM pools_winning",
    "TRUNCATE accounts_entry",
    "SELECT nextval('core_journalrecord_id_seq')",
    "CREATE TABLE public.mine (x int)",
)


@contextmanager
def acting_as(kind: str) -> Iterator[None]:
    """Step down into the application's or the auditor's role."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        (owner,) = cursor.fetchone()
        role = f"{owner}_{kind}"
        call_command("grant_app_role" if kind == "app" else "grant_auditor_role", role=role)
        cursor.execute(f"SET LOCAL ROLE {role}")
        try:
            yield
        finally:
            cursor.execute("RESET ROLE")


def run(sql: str, *values: str | int) -> list[tuple[object, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, list(values))
        return cursor.fetchall() if cursor.description else []


def refused(sql: str, match: str) -> None:
    with pytest.raises(DatabaseError, match=match), transaction.atomic():
        run(sql)


def test_the_auditor_reads_the_bets_of_a_pool_and_the_journal() -> None:
    pool = make_pool("sportloto-variant")
    ticket = bet_from_account(pool, make_player(100), "1", 100).bet.ticket
    with acting_as("auditor"):
        assert run("SELECT ticket, stake, lines FROM pools_bet WHERE pool_id = %s", pool.pk) == [(ticket, 100, 1)]
        assert run("SELECT act FROM core_journalrecord WHERE subject = %s", f"bet:{ticket}") == [("place_bet",)]
        assert run("SELECT role FROM accounts_user WHERE id = %s", pool.prepared_by_id) == [("organizer",)]


def test_the_auditor_changes_nothing() -> None:
    before = every_row()
    with acting_as("auditor"):
        for change in CHANGES:
            refused(change, "permission denied")
    assert every_row() == before


def test_the_auditor_sees_no_secret() -> None:
    with acting_as("auditor"):
        for secret in SECRETS:
            refused(secret, "permission denied")


def test_the_auditor_reads_every_table_that_is_not_all_secret() -> None:
    tables = {table for table, _columns in readable_columns()}
    assert {"pools_bet", "pools_winning", "accounts_entry", "payouts_payment", "core_journalseal"} <= tables
    assert tables.isdisjoint({"django_session", "mfa_authenticator", "accounts_apitoken", "core_replayedanswer"})


FORGED = """
INSERT INTO pools_bet (pool_id, ticket, bits, lines, stake, registered_at, channel, paid_from_id, player_id,
                       terms_digest, rules_version, salt, check_hash)
SELECT pool_id, ticket || 'F', bits, lines, stake, {at}, channel, paid_from_id, player_id, terms_digest, rules_version,
       salt, check_hash FROM pools_bet WHERE pool_id = %s
"""


def test_the_application_cannot_put_a_bet_into_a_pool_that_is_not_on_sale() -> None:
    pool = make_pool("sportloto-variant")
    bet_from_account(pool, make_player(100), "1", 100)
    with acting_as("app"):
        for at in ("'2000-01-01'", "(SELECT closes_at FROM pools_pool WHERE id = pools_bet.pool_id)"):
            with pytest.raises(DatabaseError, match="not on sale"), transaction.atomic():
                run(FORGED.format(at=at), pool.pk)
    settle(pool, "1")
    before = every_row()
    with acting_as("app"), pytest.raises(DatabaseError, match="not on sale"), transaction.atomic():
        run(FORGED.format(at="registered_at"), pool.pk)
    assert every_row() == before
