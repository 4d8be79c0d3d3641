"""One ticket at two tills at the same moment (C58, D-13)."""

from functools import partial

import pytest
from django.db import connection

from accounts.ledger.balances import balance
from payouts.models import Payable, Payment
from payouts.services import cash
from payouts.services.booking import book_payables
from pools.models import Pool
from pools.services.betting import PlacedBet
from tests.concurrency.racing import race
from tests.making import make_pool, make_till
from tests.paying import broken, go_to, pay, payable_from, sell_slips
from tests.settling import settle
from totalizator.core.errors import DomainError, Refusal

pytestmark = pytest.mark.django_db(transaction=True)


def won(tickets: int) -> tuple[Pool, list[PlacedBet]]:
    """A pool whose winners are all payable now, 70 kopecks each."""
    pool = make_pool("sportloto-variant")
    slips = list(sell_slips(pool, make_till(), *[("1", 100)] * tickets))
    settle(pool, "1")
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    return pool, slips


def test_c58_each_of_twenty_tickets_is_paid_at_one_of_two_tills_and_the_other_is_told() -> None:
    pool, slips = won(20)
    tills = [make_till(10_000), make_till(10_000)]
    paid_at = dict.fromkeys(tills, 0)
    for slip in slips:
        results = race([partial(pay, slip, till, f"{slip.bet.ticket}-{till.pk}") for till in tills])
        (payment,) = [result for result in results if isinstance(result, Payment)]
        (refusal,) = [result for result in results if isinstance(result, DomainError)]
        assert refusal.code == Refusal.ALREADY_PAID
        assert refusal.details == {"till": str(payment.till), "paid_at": payment.paid_at}
        assert payment.till is not None
        paid_at[payment.till] += 1
    assert sum(paid_at.values()) == Payment.objects.filter(pool=pool).count() == 20
    assert [balance(till.ledger_account) for till in tills] == [10_000 - 66 * paid_at[till] for till in tills]
    assert broken() == []


def test_c58_negative_control_without_the_lock_only_the_unique_keys_stop_the_second(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Both tills read the payable as due; the second is stopped by the transfer's key, not told where and when."""

    def read(pool_id: int, ticket: str) -> list[Payable]:
        payables = list(Payable.objects.select_related("pay_to").filter(pool_id=pool_id, ticket=ticket))
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(0.3)")
        return payables

    monkeypatch.setattr(cash, "lock_payables_of", read)
    pool, (slip,) = won(1)
    tills = [make_till(10_000), make_till(10_000)]

    def attempt(number: int) -> str:
        try:
            pay(slip, tills[number], f"key-{number}")
        except DomainError:
            raise
        except Exception as fault:  # noqa: BLE001  what is not a refusal is what this test looks for
            return type(fault).__name__
        return "paid"

    assert sorted(str(result) for result in race([partial(attempt, 0), partial(attempt, 1)])) == [
        "DuplicateTransfer",
        "paid",
    ]
    assert Payment.objects.filter(pool=pool).count() == 1


def test_one_request_sent_ten_times_at_once_is_one_payment() -> None:
    _pool, (slip,) = won(1)
    till = make_till(10_000)
    results = race([partial(pay, slip, till, "one key")] * 10)
    assert {result.paid_at for result in results if isinstance(result, Payment)} == {Payment.objects.get().paid_at}
    assert len([result for result in results if isinstance(result, Payment)]) == 10
    assert balance(till.ledger_account) == 10_000 - 66
    assert broken() == []
