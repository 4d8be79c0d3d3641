"""When a settlement becomes official, and when two computations that differ keep it from that (H3, I9)."""

import json
from collections.abc import Iterator
from datetime import UTC, timedelta
from pathlib import Path

import pytest
from django.db import connection

from accounts.ledger.kinds import AccountKind
from accounts.models import Transfer
from pools.models import Pool, PoolState, Protocol, Settlement, SettlementState, Winning
from pools.queries import pools_due_to_settle
from pools.queries.winnings import winnings_csv
from pools.services import confirming
from pools.services.calculating import calculate_settlement
from pools.services.settling import settle_pool
from pools.snapshots.bundle import computed_files, write_inputs
from tests.making import make_commission, make_pool
from tests.refusals import refused
from tests.resulting import close_by_clock, seal
from tests.settling import owed, pot_of, sell, settle, statement_of
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.models import JournalRecord
from totalizator.engine.deadlines import legal_day, start_of_legal_day
from totalizator.engine.errors import EngineError
from totalizator.engine.instants import instant_text
from totalizator.engine.settlement import settle as engine_settle

pytestmark = pytest.mark.django_db


def test_d2_a_sportloto_winning_is_claimed_for_twelve_weeks_from_the_day_after_the_protocol() -> None:
    pool = make_pool("sportloto-variant")
    settle(pool, "1")
    sealed = Protocol.objects.get(pool=pool).sealed_at
    assert sealed is not None
    settlement, day = Settlement.objects.get(pool=pool), legal_day(sealed)
    assert settlement.payable_from == start_of_legal_day(day + timedelta(days=1))
    assert settlement.payable_until is not None
    assert settlement.payable_until >= start_of_legal_day(day + timedelta(days=85))


def test_d4_a_totolot_term_is_counted_from_the_day_the_coefficient_was_determined() -> None:
    pool = make_pool("totolot-variant")
    close_by_clock(pool)
    seal(pool, "1")
    clock.move_clock(timedelta(days=3))
    settle_pool(code=pool.code, actor="test")
    settlement = Settlement.objects.get(pool=pool)
    assert settlement.official_at is not None
    assert settlement.payable_from == start_of_legal_day(legal_day(settlement.official_at) + timedelta(days=1))


def test_c25_a_settlement_is_journalled_as_one_batch() -> None:
    pool = make_pool("sportloto-variant")
    sell(pool, *[("1", 100)] * 20, *[("2", 100)] * 20)
    settle(pool, "1")
    record = JournalRecord.objects.get(act="settle_pool")
    assert record.subject == f"pool:{pool.code}"
    assert record.after is not None
    settlement = Settlement.objects.get(pool=pool)
    assert record.after.pop("files") == json.loads(settlement.manifest_text)["files"]
    assert record.after.pop("release") == settlement.release
    assert record.after == {
        "protocol": f"{pool.code}/1",
        "rows": 20,
        "winnings": 2_800,
        "refunds": 0,
        "takeout": 1_200,
        "added": 0,
        "jackpot_in": 0,
        "jackpot_out": 0,
    }
    assert Winning.objects.filter(pool=pool).count() == 20
    causes = set(Transfer.objects.filter(book=pool.pk, key__startswith="settle:").values_list("cause", flat=True))
    assert causes == {f"protocol:{pool.code}/1"}
    changes = JournalRecord.objects.filter(subject=f"pool:{pool.code}", act="pool_row_changed").order_by("-id")
    assert changes[0].after is not None
    assert changes[0].after["state"] == "settled"


@pytest.mark.parametrize("stage", ["open", "closed", "protocol unsigned", "settled"])
def test_only_a_pool_with_a_sealed_result_is_settled(stage: str) -> None:
    pool = make_pool("sportloto-variant", keys=make_commission(3))
    sell(pool, ("1", 100))
    if stage != "open":
        close_by_clock(pool)
    if stage == "settled":
        seal(pool, "1")
        settle_pool(code=pool.code, actor="test")
    assert refused(lambda: settle_pool(code=pool.code, actor="test")).code == Refusal.WRONG_STATE


def test_a_calculated_settlement_stands_and_pays_nothing() -> None:
    pool = make_pool("sportloto-variant")
    sell(pool, ("1", 100))
    close_by_clock(pool)
    seal(pool, "1")
    first = calculate_settlement(code=pool.code, actor="test")
    again = calculate_settlement(code=pool.code, actor="test")
    assert (again.statement_text, again.state) == (first.statement_text, SettlementState.CALCULATED)
    assert (owed(AccountKind.WINNINGS_DUE, pool), pot_of(pool)) == (0, 100)
    assert first.payable_from is None


def forge(sql: str, *values: str) -> None:
    """Change an append-only row as only the owner of the database could."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # a table with pending checks cannot be altered
        for state in ("DISABLE", "ENABLE"):
            cursor.execute(f"ALTER TABLE pools_bet {state} TRIGGER append_only_rows")
            if state == "DISABLE":
                cursor.execute(sql, values)


def disputed_pool() -> tuple[Pool, str]:
    """A pool one bet of which was turned into a winner after the bets were sealed."""
    pool = make_pool("sportloto-variant")
    sell(pool, ("1", 100))
    (forged,) = sell(pool, ("2", 100))
    close_by_clock(pool)
    seal(pool, "1")
    forge("UPDATE pools_bet SET bits = B'100' WHERE ticket = %s", forged)
    assert refused_code(pool) == Refusal.SETTLEMENT_DIFFERS
    return pool, forged


def test_a_bet_forged_after_sealing_makes_a_dispute_and_nothing_is_paid() -> None:
    pool, _forged = disputed_pool()
    settlement = Settlement.objects.get(pool=pool)
    assert settlement.state == SettlementState.DISPUTED
    assert settlement.difference.startswith("statement.json, bets_digest: ")
    pool.refresh_from_db()
    assert (pool.state, pot_of(pool), owed(AccountKind.WINNINGS_DUE, pool)) == (PoolState.RESULTED, 200, 0)
    assert JournalRecord.objects.get(act="dispute_settlement").reason == settlement.difference
    assert not pools_due_to_settle().filter(pk=pool.pk).exists()


def test_a_disputed_settlement_is_compared_anew_when_asked() -> None:
    pool = make_pool("sportloto-variant")
    sell(pool, ("1", 100), ("2", 100))
    close_by_clock(pool)
    seal(pool, "1")
    calculate_settlement(code=pool.code, actor="test")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(confirming, "computed_files", with_one_kopeck_more)
        with pytest.raises(DomainError) as caught:
            settle_pool(code=pool.code, actor="test")
    assert caught.value.details["difference"].startswith("winnings.csv, line 2: ")
    assert Settlement.objects.get(pool=pool).state == SettlementState.DISPUTED
    settlement = settle_pool(code=pool.code, actor="test")
    assert (settlement.state, settlement.difference, pot_of(pool)) == (SettlementState.OFFICIAL, "", 0)


def test_a_full_disk_is_no_dispute(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = make_pool("sportloto-variant")
    sell(pool, ("1", 100))
    close_by_clock(pool)
    seal(pool, "1")

    def find_no_room(_directory: Path) -> None:
        raise EngineError("MISSING_FILE", "tally.json", "a file that can be written (No space left on device)")

    monkeypatch.setattr(confirming, "settle", find_no_room)
    with pytest.raises(EngineError, match="No space left"):
        settle_pool(code=pool.code, actor="test")
    assert Settlement.objects.get(pool=pool).state == SettlementState.CALCULATED
    assert pools_due_to_settle().filter(pk=pool.pk).exists()
    monkeypatch.undo()
    assert settle_pool(code=pool.code, actor="test").state == SettlementState.OFFICIAL


def test_bets_that_the_engine_refuses_make_a_dispute() -> None:
    pool = make_pool("sportloto-variant")
    (ticket,) = sell(pool, ("1", 100))
    close_by_clock(pool)
    seal(pool, "1")
    calculate_settlement(code=pool.code, actor="test")
    forge("UPDATE pools_bet SET stake = 99 WHERE ticket = %s", ticket)
    assert refused_code(pool) == Refusal.SETTLEMENT_DIFFERS
    difference = Settlement.objects.get(pool=pool).difference
    assert difference.startswith("the engine refuses the files: BAD_STAKE: bets.csv, line 2, stake: 100")


def refused_code(pool: Pool) -> Refusal:
    with pytest.raises(DomainError) as caught:
        settle_pool(code=pool.code, actor="test")
    return caught.value.code


def with_one_kopeck_more(pool: Pool, settlement: Settlement) -> Iterator[tuple[str, list[bytes]]]:
    """What the database computed, had it computed a winning of 141 in place of 140."""
    for name, parts in computed_files(pool, settlement):
        content = b"".join(parts)
        yield name, [content.replace(b",140\n", b",141\n") if name == "winnings.csv" else content]


def test_i9_settling_again_gives_identical_bytes(tmp_path: Path) -> None:
    pool = make_pool("totolot-position", terms={"empty_level": "next_lower"})
    sell(pool, ("1;1;1+2", 600), ("1;X;1", 333), ("2;2;2", 5_000))
    settle(pool, "1;1;1")
    settlement = Settlement.objects.get(pool=pool)
    for run in ("first", "second"):
        folder = tmp_path / run
        folder.mkdir()
        write_inputs(pool, settlement, folder)
        engine_settle(folder)
        assert (folder / "tally.json").read_text() == settlement.tally_text
        assert (folder / "statement.json").read_text() == settlement.statement_text
        assert (folder / "winnings.csv").read_bytes() == b"".join(winnings_csv(pool))
    manifest = json.loads(settlement.manifest_text)
    assert settlement.official_at is not None
    assert manifest["settled_at"] == instant_text(settlement.official_at.astimezone(UTC))
    assert statement_of(pool)["turnover"] == 5_933
