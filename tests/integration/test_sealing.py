"""What a pool is sealed by is what its rows say, read one by one: in this process or beside it (X1, X2, G4)."""

import hashlib
import json
from collections.abc import Generator
from subprocess import Popen
from typing import Any

import pytest
from django.db import connection

from pools.models import Bet, BetChunk, Commitment, Pool, PoolState
from pools.queries import pools_due_to_commit
from pools.services.closing import seal_bets
from pools.snapshots import bets, sealing
from tests.loaded_bets import load_bets
from tests.making import make_pool
from tests.resulting import close_by_clock
from tests.settling import sell
from totalizator.core import copying
from totalizator.engine.coupon import coupon_from_bits
from totalizator.engine.errors import EngineError
from totalizator.engine.instants import instant_text

pytestmark = pytest.mark.django_db

SOLD = {
    "sportloto-position": [("1;X;1", 100), ("1+X;1;1+X", 400), ("2;2;2", 100)],
    "totolot-position": [("1;X;1", 177), ("1+X;1;1+X+2", 1_200), ("2;2;2", 5_001)],
    "totolot-variant": [("1", 170), ("1+X", 200), ("2", 9_999)],
}


def plain_lines(pool: Pool) -> list[bytes]:
    """Each bet's line, from its row and the plain rule of coupons."""
    lines = []
    for bet in sorted(Bet.objects.filter(pool=pool), key=lambda bet: bet.ticket.encode()):
        selections = coupon_from_bits(pool.terms, bet.bits).selections
        cells = (bet.ticket, selections, bet.stake, bet.lines, instant_text(bet.registered_at), bet.salt.hex())
        lines.append(",".join(map(str, cells)).encode())
    return lines


def plain_root(lines: list[bytes]) -> bytes:
    if len(lines) < 2:
        return hashlib.sha256(b"\x00" + lines[0] if lines else b"").digest()
    left = 1 << (len(lines) - 1).bit_length() - 1
    return hashlib.sha256(b"\x01" + plain_root(lines[:left]) + plain_root(lines[left:])).digest()


def sealed_by(pool: Pool) -> tuple[dict[str, Any], list[tuple[str, bytes]]]:
    """The stored commitment and the stored chunks."""
    document = json.loads(Commitment.objects.get(pool=pool).document_text)
    rows = BetChunk.objects.filter(pool=pool).order_by("number").values_list("number", "first_ticket", "root")
    assert [number for number, _first, _root in rows] == list(range(len(rows)))
    return document, [(first, bytes(root)) for _number, first, root in rows]


def no_process(*_arguments: object, **_names: object) -> None:
    raise AssertionError("a process was started")


@pytest.mark.parametrize("beside", [False, True], ids=["here", "beside"])
@pytest.mark.parametrize("game", sorted(SOLD))
@pytest.mark.parametrize("count", [0, 1, 3])
def test_x1_a_pool_is_sealed_by_its_rows(game: str, count: int, beside: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealing, "CHUNK", 2)
    monkeypatch.setattr(copying, "ROWS_TOGETHER", 2)
    monkeypatch.setattr(sealing, "LARGE", 0 if beside else sealing.LARGE)
    monkeypatch.setattr(sealing, "Popen", Popen if beside else no_process)
    pool = make_pool(game)
    sell(pool, *SOLD[game][:count])
    document, chunks = sealed_by(close_by_clock(pool))
    lines = plain_lines(pool)
    written = b"".join(line + b"\n" for line in [b"ticket,selections,stake,lines,registered_at,salt", *lines])
    assert document["bets"] == "sha256:" + hashlib.sha256(written).hexdigest()
    assert document["merkle_root"] == plain_root(lines).hex()
    assert (document["count"], document["turnover"]) == (count, sum(stake for _bet, stake in SOLD[game][:count]))
    cut = [lines[start : start + 2] for start in range(0, count, 2)]
    assert chunks == [(chunk[0].split(b",")[0].decode(), plain_root(chunk)) for chunk in cut]


def test_x1_a_pool_of_many_blocks_is_sealed_by_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every twentieth bet is a system coupon; blocks, chunks and the engine's own blocks end at different bets."""
    monkeypatch.setattr(sealing, "CHUNK", 16)
    monkeypatch.setattr(copying, "ROWS_TOGETHER", 111)
    monkeypatch.setattr(sealing, "LARGE", 20_000)
    pool = make_pool(conditions=14)
    load_bets(pool, 1_001)
    document, chunks = sealed_by(close_by_clock(pool))
    lines = plain_lines(pool)
    assert document["merkle_root"] == plain_root(lines).hex()
    assert document["lines"] == sum(bet.lines for bet in Bet.objects.filter(pool=pool)) > 1_001
    assert chunks == [
        (lines[start].split(b",")[0].decode(), plain_root(lines[start : start + 16])) for start in range(0, 1_001, 16)
    ]


def nothing_is_sealed(pool: Pool) -> bool:
    stands = Pool.objects.get(pk=pool.pk).state == PoolState.CLOSED and list(pools_due_to_commit()) == [pool]
    return stands and not Commitment.objects.exists() and not BetChunk.objects.exists()


@pytest.mark.parametrize("beside", [False, True], ids=["here", "beside"])
def test_g4_a_bet_that_breaks_a_rule_is_named_and_nothing_is_sealed(
    beside: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sealing, "LARGE", 0 if beside else sealing.LARGE)
    pool = make_pool()
    sell(pool, ("1;1;1", 100), ("2;2;2", 100))
    with connection.cursor() as cursor:
        connection.check_constraints()
        cursor.execute("ALTER TABLE pools_bet DISABLE TRIGGER append_only_rows")
        cursor.execute("UPDATE pools_bet SET lines = 2 WHERE bits = '001001001'")
        connection.check_constraints()
        cursor.execute("ALTER TABLE pools_bet ENABLE TRIGGER append_only_rows")
    with pytest.raises(EngineError, match=r"^BAD_VALUE: bets\.csv, line [23], lines: 1, the product of the marks"):
        close_by_clock(pool)
    assert nothing_is_sealed(pool)


def test_dying_while_the_engine_hashes_beside_leaves_neither_it_nor_a_half(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealing, "LARGE", 0)
    started: list[Any] = []

    class Watched(Popen[bytes]):
        def __init__(self, *arguments: Any, **names: Any) -> None:
            super().__init__(*arguments, **names)
            started.append(self)

    def die_half_way(of: Pool) -> Generator[bytes, None, None]:
        yield from list(bets.bet_blocks(of))
        raise SystemExit

    pool = make_pool()
    sell(pool, ("1;1;1", 100), ("2;2;2", 100))
    with monkeypatch.context() as patched:
        patched.setattr(sealing, "Popen", Watched)
        patched.setattr(sealing, "bet_blocks", die_half_way)
        with pytest.raises(SystemExit):
            close_by_clock(pool)
    assert nothing_is_sealed(pool)
    assert [engine.poll() is not None for engine in started] == [True]
    assert json.loads(seal_bets(code=pool.code, actor="test").document_text)["count"] == 2


def test_a_process_that_is_killed_seals_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Killed(Popen[bytes]):
        def __init__(self, *arguments: Any, **names: Any) -> None:
            super().__init__(*arguments, **names)
            self.kill()

    pool = make_pool()
    sell(pool, ("1;1;1", 100))
    with monkeypatch.context() as patched:
        patched.setattr(sealing, "LARGE", 0)
        patched.setattr(sealing, "Popen", Killed)
        with pytest.raises(RuntimeError, match="the process that seals ended with -9"):
            close_by_clock(pool)
    assert nothing_is_sealed(pool)
    assert json.loads(seal_bets(code=pool.code, actor="test").document_text)["count"] == 1
