"""Taking a pool from its last bet to its settlement, through the same services as the commission and the jobs."""

import json
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

from accounts.ledger.balances import balance, entries_balance
from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import ledger_account
from accounts.models import Entry
from pools.models import Pool, Settlement, Winning, jackpot_owner
from pools.services.settling import settle_pool
from tests.making import bet_in_cash, make_till, somebody
from tests.resulting import close_by_clock, seal

ROOT = Path(__file__).parents[1]


def sell(pool: Pool, *bets: tuple[str, int]) -> list[str]:
    """Sell (selections, stake) for cash at one till, to who shows a document where it must be; return the tickets."""
    till, shown = make_till(), somebody() if any(stake >= 100_000 for _bet, stake in bets) else None
    return [bet_in_cash(pool, till, selections, stake, person=shown).bet.ticket for selections, stake in bets]


def settle(pool: Pool, right: str, *, started_at: datetime | None = None, event_void: bool = False) -> dict[str, Any]:
    """Close, seal and settle the pool, with a result such as `1;X+2;void`; return its statement.json."""
    close_by_clock(pool)
    seal(pool, right, started_at=started_at, event_void=event_void)
    settle_pool(code=pool.code, actor="test")
    pool.refresh_from_db()
    return statement_of(pool)


def statement_of(pool: Pool) -> dict[str, Any]:
    """The stored statement.json."""
    document: dict[str, Any] = json.loads(Settlement.objects.get(pool=pool).statement_text)
    return document


def winnings_of(pool: Pool) -> dict[tuple[str, str], int]:
    """(ticket, level) → kopecks, of every row."""
    rows = Winning.objects.filter(pool=pool).values_list("ticket", "level", "amount")
    return {(ticket, level): amount for ticket, level, amount in rows}


def pot_of(pool: Pool) -> int:
    """What is in the pool's pot."""
    return entries_balance(ledger_account(AccountKind.POOL_POT, pool.code), book=pool.pk)


def owed(kind: AccountKind, pool: Pool) -> int:
    """The balance of an account that belongs to the pool."""
    return balance(ledger_account(kind, pool.code))


def jackpot_of(game: str) -> int:
    """The balance of the jackpot that a game feeds."""
    return balance(ledger_account(AccountKind.JACKPOT, jackpot_owner(game)))


def moved(pool: Pool, kind: TransferKind) -> int:
    """The kopecks that moved in the pool's book for one reason."""
    return sum(Entry.objects.filter(book=pool.pk, transfer__kind=kind).values_list("amount", flat=True))


def verify(directory: Path, keys: Path) -> subprocess.CompletedProcess[str]:
    """Run the public verifier as anybody would: another process, that knows no database."""
    return subprocess.run(
        [sys.executable, "-m", "totalizator.engine", "verify", str(directory), "--keys", str(keys)],
        cwd=ROOT,
        env={"PATH": ""},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
