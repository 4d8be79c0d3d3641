"""Rates, top-ups, instruments and withdrawals for tests, through the same services as the desks."""

from collections.abc import Mapping
from datetime import timedelta
from itertools import count
from typing import Any

from django.test import Client

from accounts.ledger.balances import balance
from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import (
    Currency,
    CurrencyRate,
    Identity,
    PaymentInstrument,
    Person,
    TopUp,
    TopUpWay,
    User,
    Withdrawal,
)
from accounts.services.currencies import import_rates
from accounts.services.instruments import bank_account_of
from accounts.services.provider_deposits import begin_deposit
from accounts.services.topups import credit_transfer
from accounts.services.withdrawals import request_withdrawal
from tests.desks import keeper
from tests.fakes.provider import DEBIT_CARD, FakeProvider, Message
from tests.making import account_of
from totalizator.core import clock
from totalizator.engine.deadlines import legal_day

_number = count(1)


def make_rate(
    currency: Currency = Currency.USD, rate: str = "3.2150", units: int = 1, *, days_ago: int = 0
) -> CurrencyRate:
    """A rate that holds from so many days ago."""
    day = legal_day(clock.now()) - timedelta(days=days_ago)
    text = f"date;currency;units;rate\n{day};{currency};{units};{rate}\n"
    read = import_rates(text=text, source="test", actor="test", accept_jumps=True)
    assert read.faults == ()
    return CurrencyRate.objects.get(currency=currency, valid_on=day)


def pay_in(player: User, amount: int, reference: str | None = None) -> TopUp:
    """A bank transfer of `amount` kopecks."""
    return credit_transfer(
        account=account_of(player),
        amount=amount,
        reference=reference or f"line-{next(_number)}",
        method=TopUpWay.BANK_TRANSFER,
        received_at=clock.now(),
        by=keeper(),
    )


def begin(player: User, amount: int, currency: Currency = Currency.BYN) -> str:
    """Begin a deposit by the fake payment system; return its reference."""
    return begin_deposit(
        account=account_of(player), provider="fake", amount=amount, currency=currency, return_to="https://site.example"
    ).deposit.reference


def hear(message: Message) -> tuple[int, Mapping[str, Any]]:
    """Post a webhook to the site; return the status and the answer."""
    answer = Client(enforce_csrf_checks=True).post(
        "/payments/webhooks/fake/", message.body, content_type="application/json", headers=message.headers
    )
    return answer.status_code, answer.json()


def deposit_by(
    provider: FakeProvider, player: User, amount: int, instrument: Mapping[str, str] = DEBIT_CARD
) -> PaymentInstrument:
    """Money that came in BYN from a card by the fake payment system; return the card."""
    reference = begin(player, amount)
    status, answer = hear(provider.message("deposit", reference, instrument=instrument))
    assert (status, answer["new"]) == (200, True)
    top_up = TopUp.objects.get(way=TopUpWay.PROVIDER, reference=reference)
    assert top_up.instrument is not None
    return top_up.instrument


def bank_of(player: User) -> PaymentInstrument:
    """The player's verified bank account (players of `admit` have none: tell it before)."""
    return bank_account_of(account_of(player))


def named_bank(player: User) -> PaymentInstrument:
    """Let a verified player have named this bank account."""
    person = Person.objects.get(player=player)
    Identity.objects.filter(person=person).update(bank_account="BY13NBRB3600900000002Z00AB00")
    return bank_of(player)


def ask_back(player: User, amount: int, to: PaymentInstrument, **changes: Any) -> Withdrawal:
    """Ask for a withdrawal, with the second factor shown."""
    told = {"stepped_up": True, "idempotency_key": f"withdrawal-{next(_number)}", **changes}
    return request_withdrawal(account=account_of(player), amount=amount, instrument=to, **told)


def due() -> int:
    """The kopecks that are on their way to players."""
    return balance(ledger_account(AccountKind.WITHDRAWALS_DUE))
