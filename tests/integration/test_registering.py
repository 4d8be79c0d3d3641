"""A bet's rows, written by one statement, are those that ledger, journal and keys would write by themselves."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection, transaction

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import Movement, ledger_account, post
from pools.models import Bet, Pool
from pools.services.attempts import Attempt, Request
from pools.services.betting import attempt_of, place_bet, read_request
from pools.services.registering import register_bets, register_together
from pools.services.sources import BetSource, from_card, from_game_account, from_till
from tests.carding import bought
from tests.making import make_player, make_pool, make_till
from totalizator.core.idempotency import recall_or_reserve
from totalizator.core.journal import write_journal
from totalizator.core.plain_insert import insert_plainly

pytestmark = pytest.mark.django_db
TABLES = ("core_replayedanswer", "accounts_transfer", "accounts_entry", "accounts_ledgeraccount", "pools_bet")
Rows = dict[str, list[tuple[Any, ...]]]


def rows_after(act: Callable[[], object]) -> Rows:
    """What the tables hold after `act`, which is undone; a record of the journal without its own number."""
    with transaction.atomic():
        act()
        rows = {table: _rows(f"SELECT t.* FROM {table} t") for table in TABLES}
        rows["journal"] = _rows("SELECT at, actor, act, subject, reason, before, after FROM core_journalrecord")
        transaction.set_rollback(True)
    return rows


def _rows(statement: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return sorted(cursor.fetchall(), key=repr)


def write_one_after_another(pool: Pool, source: BetSource, attempt: Attempt, request: Request, bet: Bet) -> None:
    """Do by itself what each part of the one statement does."""
    assert not recall_or_reserve(
        scope=source.scope,
        key=request.key,
        fingerprint=request.new.fingerprint,
        answer=request.new.ticket,
        created_at=attempt.now,
    )
    post(
        book=pool.pk,
        key=f"stake:{request.new.ticket}",
        kind=TransferKind.STAKE,
        occurred_at=attempt.now,
        cause=f"bet:{request.new.ticket}",
        movements=[Movement(source.account, ledger_account(AccountKind.POOL_POT, pool.code), request.new.stake)],
    )
    insert_plainly(bet)
    write_journal(
        at=attempt.now,
        actor=source.actor,
        act="place_bet",
        subject=f"bet:{request.new.ticket}",
        after={"lines": bet.lines, "stake": bet.stake, "channel": source.channel, **source.desk},
    )


@pytest.mark.parametrize("channel", ["account", "cash", "card"])
def test_one_statement_writes_what_four_would(channel: str) -> None:
    pool, till = make_pool(), make_till()
    if channel == "account":
        source = from_game_account(make_player(1_000))
    elif channel == "cash":
        assert till.cashier is not None
        source = from_till(till.cashier)
    else:
        (card,) = bought(till, face_value=1_000)
        source = from_card(series=card.series, number=card.number, code=card.code, asked_by=till.cashier)
    requests = [read_request(pool, "1;1;1+X", 200, source, "one"), read_request(pool, "1;X;2", 100, source, "two")]
    with transaction.atomic():
        attempt, _facts = attempt_of(pool, source, requests)
        written: list[Bet] = []
        before = rows_after(lambda: None)
        together = rows_after(lambda: written.extend(register_bets(attempt, [request.new for request in requests])))

        def one_after_another() -> None:
            for request, bet in zip(requests, written, strict=True):
                write_one_after_another(pool, source, attempt, request, bet)

        apart = rows_after(one_after_another)
    assert together == apart
    assert {name for name in together if together[name] != before[name]} == {*TABLES, "journal"}
    assert len(together["journal"]) == len(before["journal"]) + 2


def test_bets_of_several_accounts_are_written_as_each_would_be() -> None:
    pool = make_pool()
    sources = [from_game_account(make_player(1_000)) for _ in range(2)]
    requests = [read_request(pool, "1;1;1+X", 200, source, "key") for source in sources]
    with transaction.atomic():
        attempts = [
            replace(attempt_of(pool, source, [request])[0], now=pool.opens_at)
            for source, request in zip(sources, requests, strict=True)
        ]
        written: list[Bet] = []
        wanted = [(attempt, request.new) for attempt, request in zip(attempts, requests, strict=True)]
        together = rows_after(lambda: written.extend(register_together(wanted)))

        def one_after_another() -> None:
            for source, attempt, request, bet in zip(sources, attempts, requests, written, strict=True):
                write_one_after_another(pool, source, attempt, request, bet)

        assert together == rows_after(one_after_another)
    assert [bet.player_id for bet in written] == [source.player.pk for source in sources if source.player is not None]


def test_what_a_bet_asks_and_writes_stays_prepared() -> None:
    pool, source = make_pool(), from_game_account(make_player(1_000))
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM pg_prepared_statements")
        before = {name for (name,) in cursor.fetchall()}
    for selections in ("1;1;1", "X;X;X"):
        place_bet(pool_code=pool.code, selections=selections, stake=100, source=source, idempotency_key=selections)
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, statement, generic_plans FROM pg_prepared_statements")
        kept = {name: (statement, plans) for name, statement, plans in cursor.fetchall() if name not in before}
    executed = [plans for statement, plans in kept.values() if "core_replayedanswer" in statement]
    assert executed == [2, 2], kept
