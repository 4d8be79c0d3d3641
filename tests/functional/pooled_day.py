"""A day behind a pooler, in a process of its own with the tests' settings: `python -m tests.functional.pooled_day`.

Eight threads sell at once over fewer connections; what came of it is printed as one JSON document.
"""

import json
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from accounts.ledger.proofs import broken_invariants  # noqa: E402
from accounts.models import User  # noqa: E402
from payouts.services.reconciling import PROOFS  # noqa: E402
from payouts.tasks import book_due_payables, credit_due_accounts  # noqa: E402
from pools.models import Bet, Pool  # noqa: E402
from pools.services.cancelling import approve_cancellation, propose_cancellation  # noqa: E402
from pools.tasks import settle_due_pools  # noqa: E402
from tests.making import bet_from_account, make_organizers, make_player, make_pool  # noqa: E402
from tests.resulting import close_by_clock, seal  # noqa: E402
from totalizator.core import journal_seals  # noqa: E402
from totalizator.core.errors import DomainError, Refusal  # noqa: E402
from totalizator.core.legal_calendar import load_legal_numbers, load_non_working_days  # noqa: E402
from totalizator.core.models import LegalNumber  # noqa: E402
from totalizator.core.one_worker import one_worker  # noqa: E402

THREADS, EACH = 8, 12


def day() -> dict[str, object]:
    """Sell, settle, pay, cancel by two people; everything that holds a lock or a cursor."""
    assert settings.DATABASES["default"]["DISABLE_SERVER_SIDE_CURSORS"]
    assert not settings.PREPARED_STATEMENTS
    if not LegalNumber.objects.exists():
        load_legal_numbers()
        load_non_working_days(2024, 2029)
    pool, other = make_pool(), make_pool()
    players = [make_player(EACH * 100 + 50) for _ in range(THREADS)]
    with ThreadPoolExecutor(THREADS) as threads:
        refusals = sum(threads.map(lambda player: sell(pool, player), players))
    one, second = make_organizers()
    propose_cancellation(code=other.code, reason="The cup is off.", document="Letter 7", proposed_by=one)
    approve_cancellation(code=other.code, approved_by=second)
    close_by_clock(pool)
    seal(pool, "1;X;2")
    with one_worker("something") as alone, one_worker("something") as also:
        locks = (alone, also)
    settle_due_pools()
    book_due_payables()
    journal_seals.seal_journal()
    with tempfile.TemporaryDirectory() as folder:
        call_command("export_pool", pool.code, str(Path(folder) / "bundle"), verbosity=0)
        exported = len((Path(folder) / "bundle" / "bets.csv").read_text().splitlines()) - 1
    credit_due_accounts()
    pool.refresh_from_db()
    other.refresh_from_db()
    return {
        "bets": Bet.objects.filter(pool=pool).count(), "refusals": refusals, "exported": exported,
        "states": [pool.state, other.state], "locks": locks, "session": session(),
        "broken": [invariant.name for invariant in broken_invariants(PROOFS)],
        "players": User.objects.filter(bets__pool=pool).distinct().count(),
    }  # fmt: skip


def sell(pool: Pool, player: User) -> int:
    """Buy until the money is gone, each bet twice with one key; return how often it was refused."""
    refused = 0
    for number in range(EACH + 1):
        try:
            first = bet_from_account(pool, player, "1;X;2", 100, f"{player.pk}-{number}")
            again = bet_from_account(pool, player, "1;X;2", 100, f"{player.pk}-{number}")
            assert (first.bet.ticket, again.replayed) == (again.bet.ticket, True)
        except DomainError as refusal:
            if refusal.code is not Refusal.INSUFFICIENT_FUNDS:
                raise
            refused += 1
    connection.close()
    return refused


def session() -> dict[str, str]:
    """How a session works that the pooler handed out."""
    with connection.cursor() as cursor:
        found = {}
        for name in ("jit", "lock_timeout", "plan_cache_mode", "TimeZone"):
            cursor.execute(f"SHOW {name}")
            found[name] = str(cursor.fetchone()[0])
        return found


if __name__ == "__main__":
    print(json.dumps(day()))  # noqa: T201
