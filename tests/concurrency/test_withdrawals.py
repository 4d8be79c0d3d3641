"""A balance that is bet and withdrawn at once, two workers with one withdrawal, one killed while it sends (F2)."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from threading import Event
from urllib.parse import quote

import pytest
from django.db import connection

from accounts.ledger import posting
from accounts.models import TopUp, Withdrawal, WithdrawalState
from accounts.services.sending import ask_about, send_withdrawal
from accounts.services.withdrawals import approve_withdrawal, cancel_withdrawal
from accounts.tasks import send_approved_withdrawals
from pools.models import Bet
from tests.concurrency.racing import race
from tests.fakes.provider import DEBIT_CARD, KEY, FakeProvider, running, settings_of
from tests.making import bet_from_account, make_organizers, make_player, make_pool
from tests.paying import broken, money_of
from tests.topping_up import ask_back, begin, deposit_by, due, hear, named_bank, pay_in
from totalizator.core.errors import DomainError, Refusal

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def provider(settings: object) -> Iterator[FakeProvider]:
    with running() as fake:
        settings.PAYMENT_PROVIDERS = settings_of(fake, timeout_seconds=10)  # type: ignore[attr-defined]
        yield fake


def refusals(results: list[object]) -> list[Refusal]:
    return [result.code for result in results if isinstance(result, DomainError)]


def test_one_balance_is_bet_or_withdrawn_and_never_both() -> None:
    pool = make_pool()
    for _ in range(3):
        player = make_player(1_000)
        bank = named_bank(player)
        acts: list[Callable[[], object]] = [
            *[partial(bet_from_account, pool, player, "1;1;1+X+2", 300)] * 3,
            *[partial(ask_back, player, 300, bank)] * 3,
        ]
        results = race(acts)
        assert refusals(results) == [Refusal.INSUFFICIENT_FUNDS] * 3
        bets, withdrawn = Bet.objects.filter(player=player), Withdrawal.objects.filter(account__player=player)
        assert (bets.count() + withdrawn.count(), money_of(player)) == (3, 100)
    assert broken() == []


def test_negative_control_a_balance_read_before_the_lock_is_spent_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same race with a read and then a write: both pass the reading, and only the CHECK stops the second."""
    pool, player = make_pool(), make_player(300)
    bank, has_read = named_bank(player), Event()

    def read_then_write(growth: Mapping[int, posting._Growth]) -> None:
        for number, wanted in growth.items():
            if posting.balance_of_guarded(wanted.account) + wanted.credits < wanted.debits:
                raise DomainError(Refusal.INSUFFICIENT_FUNDS, "too little")
            has_read.set()
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_sleep(1)")
                cursor.execute(
                    "UPDATE accounts_ledgeraccount SET debits = debits + %s, credits = credits + %s WHERE id = %s",
                    [wanted.debits, wanted.credits, number],
                )

    def tell(act: Callable[[], object]) -> str:
        try:
            act()
        except Exception as fault:  # noqa: BLE001  the CHECK's IntegrityError is what this test looks for
            return str(fault)
        return ""

    monkeypatch.setattr(posting, "_grow", read_then_write)

    def bet() -> object:
        assert has_read.wait(30)
        return bet_from_account(pool, player, "1;1;1+X+2", 300)

    results = race([partial(tell, bet), partial(tell, partial(ask_back, player, 300, bank))])
    assert any("ledger_never_overdrawn" in str(result) for result in results)


def test_one_line_of_a_statement_in_four_threads_is_credited_once() -> None:
    player = make_player()
    results = race([partial(pay_in, player, 700, "line 1")] * 4)
    assert [result for result in results if isinstance(result, DomainError)] == []
    assert (money_of(player), TopUp.objects.count()) == (700, 1)
    rivals = [make_player() for _ in range(4)]
    results = race([partial(pay_in, rival, 700, "line 2") for rival in rivals])
    assert refusals(list(results)) == [Refusal.KEY_REUSED] * 3
    assert (sum(money_of(rival) for rival in rivals), broken()) == (700, [])


def sent_once(provider: FakeProvider) -> bool:
    return provider.calls.count("POST /payouts") == 1


def by_card(provider: FakeProvider) -> Withdrawal:
    player = make_player()
    return ask_back(player, 500, deposit_by(provider, player, 500))


def copies(withdrawal: Withdrawal, count: int) -> list[Withdrawal]:
    """The row as so many workers read it at once."""
    return [Withdrawal.objects.select_related("instrument").get(pk=withdrawal.pk) for _ in range(count)]


def test_four_workers_send_one_withdrawal_once(provider: FakeProvider) -> None:
    withdrawal = by_card(provider)
    results = race([partial(send_withdrawal, withdrawal=copy) for copy in copies(withdrawal, 4)])
    assert refusals(list(results)) == [Refusal.WRONG_STATE] * 3
    assert sent_once(provider)
    assert (Withdrawal.objects.get().state, due()) == (WithdrawalState.SENT, 500)


def test_negative_control_without_the_condition_on_the_state_it_is_sent_again(
    provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    withdrawal = by_card(provider)

    def set_it(row: Withdrawal, to: WithdrawalState, **changes: object) -> None:
        Withdrawal.objects.filter(pk=row.pk).update(state=to, **changes)
        row.state = to

    monkeypatch.setattr("accounts.services.withdrawal_ends.move", set_it)
    race([partial(send_withdrawal, withdrawal=copy) for copy in copies(withdrawal, 4)])
    assert provider.calls.count("POST /payouts") > 1


def test_of_an_approval_and_a_cancellation_one_happens() -> None:
    (staff, _other), player = make_organizers(), make_player(200_000)
    withdrawal = ask_back(player, 100_000, named_bank(player))
    one, other = copies(withdrawal, 2)
    results = race(
        [
            partial(approve_withdrawal, withdrawal=one, approved_by=staff),
            partial(cancel_withdrawal, withdrawal=other, reason="x", actor=player),
        ]
    )
    assert refusals(list(results)) == [Refusal.WRONG_STATE]
    state = Withdrawal.objects.get().state
    assert (state, due()) in {("approved", 100_000), ("cancelled", 0)}
    assert broken() == []


def test_f1_one_message_in_ten_threads_credits_once(provider: FakeProvider) -> None:
    player = make_player()
    message = provider.message("deposit", begin(player, 700), instrument=DEBIT_CARD)
    answers = race([partial(hear, message)] * 10)
    statuses = [answer[0] for answer in answers if not isinstance(answer, DomainError)]
    news = [answer[1]["new"] for answer in answers if not isinstance(answer, DomainError)]
    assert (statuses, sorted(news)) == ([200] * 10, [False] * 9 + [True])
    assert (money_of(player), TopUp.objects.count()) == (700, 1)
    assert broken() == []


def test_a_confirmation_and_a_failure_at_once_end_it_once(provider: FakeProvider) -> None:
    player = make_player()
    withdrawal = ask_back(player, 500, deposit_by(provider, player, 500))
    send_withdrawal(withdrawal=withdrawal)
    paid = provider.message("payout", withdrawal.reference, "done")
    failed = provider.message("payout", withdrawal.reference, "failed", reason="closed")
    race([partial(hear, paid), partial(hear, failed)] * 2)
    ended = Withdrawal.objects.get()
    assert (ended.state, money_of(player)) in {("confirmed", 0), ("failed", 500)}
    assert due() == 0
    assert broken() == []


# Dies by SIGKILL when the payment system has taken the payout and before its answer is kept.
WORKER = """
import os, signal, sys
import django
django.setup()
from django.conf import settings
settings.PAYMENT_PROVIDERS = {"fake": {"url": sys.argv[1], "keys": [sys.argv[2]], "currencies": ["BYN"]}}
from accounts.services import sending
def die(*arguments, **named):
    os.kill(os.getpid(), signal.SIGKILL)
sending._apply = die
from accounts.tasks import send_approved_withdrawals
send_approved_withdrawals()
"""


def test_killed_between_the_sending_and_the_saving_it_is_unknown_and_never_sent_again(provider: FakeProvider) -> None:
    withdrawal = by_card(provider)
    killed = subprocess.run(
        [sys.executable, "-c", WORKER, provider.url, KEY],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings", "DATABASE_URL": "", **_same_database()},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    withdrawal.refresh_from_db()
    assert (withdrawal.state, sent_once(provider), due()) == (WithdrawalState.UNKNOWN, True, 500)
    assert broken() == []
    send_approved_withdrawals()
    assert sent_once(provider)
    assert ask_about(withdrawal=withdrawal) == WithdrawalState.SENT
    hear(provider.message("payout", withdrawal.reference))
    assert (Withdrawal.objects.get().state, due(), sent_once(provider)) == (WithdrawalState.CONFIRMED, 0, True)
    assert broken() == []


def _same_database() -> dict[str, str]:
    """The address of the test's own database, for another process."""
    settings = connection.settings_dict
    login = f"{quote(settings['USER'])}:{quote(settings['PASSWORD'])}"
    return {"DATABASE_OWNER_URL": f"postgresql://{login}@{settings['HOST']}:{settings['PORT']}/{settings['NAME']}"}
