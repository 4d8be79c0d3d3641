"""Crediting a thousand accounts: killed half-way, and by four workers at once (C22)."""

import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from urllib.parse import quote

import pytest
from django.db import IntegrityError, connection

from accounts.ledger.balances import balance
from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import DuplicateTransfer, ledger_account
from accounts.models import Transfer, User
from payouts import locks
from payouts.models import Payable, PayableState, Payment
from payouts.services.booking import book_payables
from payouts.services.crediting import credit_accounts
from payouts.services.paying import AlreadySettled
from payouts.tasks import credit_due_accounts
from pools.models import Pool
from tests.concurrency.racing import race
from tests.making import make_player, make_pool
from tests.paying import broken, go_to, money_of, payable_from, sell_many
from tests.settling import owed, settle

pytestmark = pytest.mark.django_db(transaction=True)

PLAYERS, TICKETS = 10, 1_000
NET = 66  # 70 kopecks less 4 of tax (3.5, half up)

# Dies by SIGKILL inside the sixth chunk of a hundred: its rows are written and not committed.
WORKER = """
import os, signal, sys
import django
django.setup()
from payouts.services import crediting
settle, chunks = crediting.settle_payables, []
def die_in_the_sixth(*arguments, **named):
    chunks.append(1)
    if len(chunks) == 6:
        os.kill(os.getpid(), signal.SIGKILL)
    settle(*arguments, **named)
crediting.settle_payables = die_in_the_sixth
crediting.credit_accounts(code=sys.argv[1], chunk=100)
"""


def won(tickets: int = TICKETS) -> tuple[Pool, list[User]]:
    """Winning tickets of ten players, a thousand, all payable now."""
    pool, players = make_pool("sportloto-variant"), [make_player(100 * TICKETS) for _ in range(PLAYERS)]
    sell_many(pool, players, "100", tickets)
    settle(pool, "1")
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    return pool, players


def assert_paid_once(pool: Pool, players: list[User]) -> None:
    """What an unbroken run leaves."""
    assert Payment.objects.filter(pool=pool).values("ticket").distinct().count() == TICKETS
    assert Payment.objects.count() == Transfer.objects.filter(kind="winning_paid").count() == TICKETS
    assert Payable.objects.filter(pool=pool, state=PayableState.PAID).count() == TICKETS
    each = TICKETS // PLAYERS
    assert [money_of(player) for player in players] == [100 * TICKETS - 100 * each + NET * each] * PLAYERS
    assert owed(AccountKind.WINNINGS_DUE, pool) == 0
    assert balance(ledger_account(AccountKind.TAX_DUE)) == 4 * TICKETS
    assert broken() == []


def test_c22_killed_after_half_of_a_thousand_payments_and_run_again() -> None:
    pool, players = won()
    killed = subprocess.run(
        [sys.executable, "-c", WORKER, pool.code],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings", "DATABASE_URL": "", **_same_database()},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert Payment.objects.count() == Payable.objects.filter(state=PayableState.PAID).count() == TICKETS // 2
    assert broken() == []
    credit_due_accounts()
    assert_paid_once(pool, players)


def test_c22_four_workers_at_once_pay_each_ticket_once() -> None:
    pool, players = won()
    made = race([partial(credit_accounts, code=pool.code, chunk=30)] * 4)
    assert sum(count for count in made if isinstance(count, int)) == TICKETS
    assert_paid_once(pool, players)


def test_without_its_lock_workers_would_meet_and_the_database_itself_pays_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control: what each of four workers finds due is then the same, and all but one of them fail."""
    pool, players = won(tickets=100)
    unlocked = locks._CREDITABLE.replace("FOR NO KEY UPDATE OF y SKIP LOCKED", "")
    assert unlocked != locks._CREDITABLE
    monkeypatch.setattr(locks, "_CREDITABLE", unlocked)

    def credit() -> int | None:
        try:
            return credit_accounts(code=pool.code)
        except (IntegrityError, DuplicateTransfer, AlreadySettled):
            return None

    made = race([credit] * 4)
    assert None in made
    assert [count for count in made if count] == [100]
    assert Payment.objects.count() == Transfer.objects.filter(kind="winning_paid").count() == 100
    assert [money_of(player) for player in players] == [100 * TICKETS - 100 * 10 + NET * 10] * PLAYERS
    assert broken() == []


def _same_database() -> dict[str, str]:
    """The address of the test's own database, for another process."""
    settings = connection.settings_dict
    login = f"{quote(settings['USER'])}:{quote(settings['PASSWORD'])}"
    return {"DATABASE_OWNER_URL": f"postgresql://{login}@{settings['HOST']}:{settings['PORT']}/{settings['NAME']}"}
