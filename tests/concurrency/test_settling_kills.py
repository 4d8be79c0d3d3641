"""A process killed in the middle of settling; the next one finishes, with the rows of an unbroken run (C22, I9)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from accounts.ledger.kinds import TransferKind
from accounts.models import Transfer
from pools import tasks
from pools.models import Pool, PoolState, Settlement, Winning
from pools.snapshots.bundle import write_bundle
from tests.loaded_bets import load_bets
from tests.making import make_pool
from tests.resulting import close_by_clock, seal
from tests.settling import ROOT, jackpot_of, moved, pot_of, sell, settle
from totalizator.core.models import JournalRecord
from totalizator.engine.verification import verify_bundle

pytestmark = pytest.mark.django_db(transaction=True)

# Does the job, and kills its own process, as the kernel would, the moment the named function is called.
DIE_AT = """
import importlib, os, signal, sys
import django
django.setup()
module = importlib.import_module(sys.argv[1])
setattr(module, sys.argv[2], lambda *_args, **_names: os.kill(os.getpid(), signal.SIGKILL))
from pools.tasks import settle_due_pools
settle_due_pools()
"""

LEVELS = [
    {"code": "5", "from": "1", "to": "1", "share": "1/2"},
    {"code": "4", "from": "4/5", "to": "4/5", "share": "1/4"},
    {"code": "3", "from": "3/5", "to": "3/5", "share": "1/4"},
]


def die_at(module: str, function: str) -> int:
    """Run the settling job in a process of its own that dies there; return how it ended."""
    database = connection.settings_dict
    address = f"postgresql://{database['USER']}:{database['PASSWORD']}@{database['HOST']}:{database['PORT']}"
    environment = {
        **os.environ,
        "DATABASE_OWNER_URL": f"{address}/{database['NAME']}",
        "DJANGO_SETTINGS_MODULE": os.environ.get("DJANGO_SETTINGS_MODULE", "tests.settings"),
        "OPERATOR_KEY": settings.OPERATOR_KEY,
    }
    command = [sys.executable, "-c", DIE_AT, module, function]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False, timeout=60).returncode


def loaded_pool(**terms: object) -> Pool:
    pool = make_pool(conditions=5, terms={"levels": LEVELS, **terms})
    load_bets(pool, 1_000)
    close_by_clock(pool)
    return seal(pool, "1;1;1;1;1")


def rows_of(pool: Pool) -> list[tuple[str, str, int, int]]:
    """Winnings, without the pool's code in the tickets."""
    rows = Winning.objects.filter(pool=pool).order_by("ticket", "level")
    return [(w.ticket.removeprefix(pool.code), w.level, w.lines, w.amount) for w in rows]


def transfers_of(pool: Pool) -> list[tuple[str, str, int]]:
    """The settlement's transfers with their sums."""
    transfers = Transfer.objects.filter(book=pool.pk, key__startswith="settle:").order_by("key")
    return [(t.key, t.kind, sum(t.entries.values_list("amount", flat=True))) for t in transfers]


@pytest.mark.parametrize(
    ("module", "function", "calculated"),
    [
        ("pools.services.calculating", "count_pool", False),
        ("pools.services.calculating", "refuse_wrong_rows", False),
        ("pools.services.settling", "confirm_settlement", True),
        ("pools.services.confirming", "settle", True),
        ("pools.services.confirming", "make_official", True),
        ("pools.services.making_official", "post_settlement", True),
        ("pools.services.making_official", "move", True),
        ("pools.services.making_official", "write_journal", True),
    ],
)
def test_c22_killed_in_the_middle_and_run_again(module: str, function: str, calculated: bool, tmp_path: Path) -> None:
    pool = loaded_pool()
    assert die_at(module, function) == -9
    pool.refresh_from_db()
    assert pool.state == PoolState.RESULTED
    assert Settlement.objects.filter(pool=pool).exists() == calculated
    assert not Transfer.objects.filter(book=pool.pk, key__startswith="settle:").exists()
    tasks.settle_due_pools()
    pool.refresh_from_db()
    unbroken = loaded_pool()
    tasks.settle_due_pools()
    assert pool.state == PoolState.SETTLED
    assert rows_of(pool) == rows_of(unbroken)
    assert len(rows_of(pool)) > 500
    assert transfers_of(pool) == transfers_of(unbroken)
    assert pot_of(pool) == pot_of(unbroken) == 0
    assert JournalRecord.objects.filter(act="settle_pool", subject=f"pool:{pool.code}").count() == 1
    write_bundle(pool, tmp_path)
    assert verify_bundle(tmp_path).difference is None


@pytest.mark.parametrize("function", ["insert_winnings", "write_journal"])
def test_c22_a_jackpot_reserved_by_a_killed_process_is_not_lost(function: str) -> None:
    feeding = make_pool("sportloto-variant", terms={"fund": "1", "price": {"line": 5_000}})
    sell(feeding, ("2", 5_000))
    settle(feeding, "1")
    pool = loaded_pool(jackpot={"level": "5", "share": "1"})
    assert die_at("pools.services.calculating", function) == -9
    assert (jackpot_of(pool.game), Transfer.objects.filter(key="jackpot-in").count()) == (5_000, 0)
    assert die_at("pools.services.confirming", "settle") == -9
    assert (jackpot_of(pool.game), Transfer.objects.filter(key="jackpot-in").count()) == (0, 1)
    tasks.settle_due_pools()
    assert moved(pool, TransferKind.JACKPOT_DRAWN) == 5_000
    assert jackpot_of(pool.game) == moved(pool, TransferKind.JACKPOT_REMAINDER)
