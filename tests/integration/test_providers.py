"""Payment systems: signed messages, once each, in any order; and the queue of what does not agree (F1, F4, U3)."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import permutations
from typing import Any

import pytest

from accounts.ledger.balances import balance
from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import (
    Currency,
    DepositState,
    InstrumentKind,
    LimitKind,
    LimitPeriod,
    Mismatch,
    PaymentInstrument,
    ProviderDeposit,
    ProviderMessage,
    TopUp,
    Trait,
    TraitKind,
    UnmatchedItem,
    Withdrawal,
    WithdrawalState,
)
from accounts.queries.duplicates import likely_duplicates
from accounts.services.limits import set_limit
from accounts.services.persons import person_of
from accounts.services.provider_deposits import begin_deposit
from accounts.services.providers.http_json import HttpJsonProvider
from accounts.services.sending import send_withdrawal
from tests.fakes.provider import DEBIT_CARD, KEY, FakeProvider, Message, running, settings_of
from tests.making import account_of, bet_from_account, make_player, make_pool
from tests.paying import broken, money_of
from tests.refusals import every_row, refused
from tests.topping_up import ask_back, begin, deposit_by, due, hear, make_rate
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db


@pytest.fixture
def provider(settings: object) -> Iterator[FakeProvider]:
    with running() as fake:
        settings.PAYMENT_PROVIDERS = settings_of(fake)  # type: ignore[attr-defined]
        yield fake


def queue() -> set[tuple[str, str]]:
    """(reference, mismatch) of what is open."""
    return set(UnmatchedItem.objects.filter(closed_at__isnull=True).values_list("reference", "mismatch"))


def owed() -> int:
    """What is held of deposits, and owed to their payers."""
    return balance(ledger_account(AccountKind.HELD_DEPOSITS, "fake"))


def held() -> int:
    return balance(ledger_account(AccountKind.AT_PROVIDER, "fake"))


# -- deposits -------------------------------------------------------------------------------------------------


def test_f4_a_deposit_that_is_begun_cannot_be_bet(provider: FakeProvider) -> None:
    player = make_player()
    begun = begin_deposit(
        account=account_of(player), provider="fake", amount=1_000, currency=Currency.BYN, return_to="https://x"
    )
    assert (begun.pay_at, begun.worth) == (f"https://pay.example/{begun.deposit.reference}", 1_000)
    pool = make_pool()
    act = refused(lambda: bet_from_account(pool, player, "1;1;1", 100))
    assert (act.code, money_of(player)) == (Refusal.INSUFFICIENT_FUNDS, 0)
    hear(provider.message("deposit", begun.deposit.reference))
    bet_from_account(pool, player, "1;1;1", 100)
    assert money_of(player) == 900


def test_f1_a_message_that_comes_ten_times_credits_once(provider: FakeProvider) -> None:
    player = make_player()
    message = provider.message("deposit", begin(player, 1_000))
    answers = [hear(message) for _ in range(10)]
    assert [status for status, _answer in answers] == [200] * 10
    assert [answer["new"] for _status, answer in answers] == [True] + [False] * 9
    assert (money_of(player), held(), TopUp.objects.count(), ProviderMessage.objects.count()) == (1_000, 1_000, 1, 1)
    assert broken() == []


def test_two_messages_of_one_deposit_credit_once(provider: FakeProvider) -> None:
    player = make_player()
    reference = begin(player, 1_000)
    for _ in range(3):
        assert hear(provider.message("deposit", reference))[0] == 200
    assert (money_of(player), queue()) == (1_000, set())


def test_another_currency_is_converted_by_the_recorded_rate(provider: FakeProvider) -> None:
    player, rate = make_player(), make_rate(Currency.USD, "3.2159")
    reference = begin(player, 1_001, Currency.USD)
    hear(provider.message("deposit", reference))
    top_up = TopUp.objects.get()
    assert (top_up.amount, top_up.currency, top_up.original_amount, top_up.rate) == (3_219, "USD", 1_001, rate)
    assert (money_of(player), held()) == (3_219, 3_219)


def test_what_has_become_worth_less_than_a_kopeck_waits_in_the_queue(provider: FakeProvider) -> None:
    player = make_player()
    make_rate(Currency.RUB, "3.60", 100)
    reference = begin(player, 28, Currency.RUB)
    clock.move_clock(timedelta(days=1))
    make_rate(Currency.RUB, "3.50", 100)
    assert hear(provider.message("deposit", reference))[0] == 200
    item = UnmatchedItem.objects.get()
    assert (item.mismatch, item.explanation, money_of(player)) == ("refused", "bad_value", 0)


def test_a_stale_rate_begins_nothing_and_asks_the_message_to_come_again(provider: FakeProvider) -> None:
    player = make_player()
    make_rate(Currency.USD, days_ago=10)
    assert refused(lambda: begin(player, 1_000, Currency.USD)).code is Refusal.RATE_STALE
    make_rate(Currency.USD)
    message = provider.message("deposit", begin(player, 1_000, Currency.USD))
    clock.move_clock(timedelta(days=6))
    late = provider.message("deposit", "D-0", event_id="E-late")
    assert late.body != message.body
    again = Message(message.body, late.time, _signed(late.time, message.body))
    before = every_row()
    assert hear(again)[0] == 503
    assert every_row() == before
    make_rate(Currency.USD, "3.3")
    assert hear(again) == (200, {"event_id": "E-1", "new": True})
    assert money_of(player) == 3_300


def _signed(time: str, body: bytes) -> str:
    from accounts.services.providers.signatures import signature

    return signature(KEY, time, body)


def test_what_it_came_from_is_remembered_and_tells_duplicates(provider: FakeProvider) -> None:
    player, other = make_player(), make_player()
    card = deposit_by(provider, player, 500, DEBIT_CARD)
    deposit_by(provider, other, 500, DEBIT_CARD)
    assert (card.kind, card.label, card.provider) == (InstrumentKind.DEBIT_CARD, "•••• 1881", "fake")
    assert PaymentInstrument.objects.count() == 2
    assert Trait.objects.filter(kind=TraitKind.CARD).count() == 2
    (alike,) = likely_duplicates()
    assert (alike.kind, set(alike.persons)) == (TraitKind.CARD, {person_of(player), person_of(other)})


def test_a_deposit_over_a_limit_is_not_begun(provider: FakeProvider) -> None:
    player = make_player()
    set_limit(person=person_of(player), kind=LimitKind.DEPOSIT, period=LimitPeriod.DAY, amount=500, actor="test")
    assert refused(lambda: begin(player, 501)).code is Refusal.LIMIT_REACHED
    assert provider.calls == []


def test_money_that_may_not_be_credited_any_more_goes_into_the_queue(provider: FakeProvider) -> None:
    player = make_player()
    reference = begin(player, 1_000)
    set_limit(person=person_of(player), kind=LimitKind.DEPOSIT, period=LimitPeriod.DAY, amount=500, actor="test")
    assert hear(provider.message("deposit", reference))[0] == 200
    item = UnmatchedItem.objects.get()
    assert (item.mismatch, item.explanation, item.theirs) == (Mismatch.REFUSED, "limit_reached", "done 1000 BYN")
    assert (money_of(player), held(), owed()) == (0, 1_000, 1_000)
    assert broken() == []


def test_a_currency_or_a_system_that_is_not_known(provider: FakeProvider, settings: object) -> None:
    player = make_player()
    settings.PAYMENT_PROVIDERS["fake"]["currencies"] = ["BYN"]  # type: ignore[attr-defined]
    assert refused(lambda: begin(player, 1, Currency.EUR)).field == "currency"
    act = refused(
        lambda: begin_deposit(
            account=account_of(player), provider="other", amount=1, currency=Currency.BYN, return_to="x"
        )
    )
    assert act.code is Refusal.NOT_FOUND


def test_a_payment_system_that_is_away_leaves_the_deposit_begun(provider: FakeProvider) -> None:
    provider.broken = True
    player = make_player()
    with pytest.raises(DomainError, match="provider_away"):
        begin(player, 1_000)
    assert ProviderDeposit.objects.get().state == DepositState.PENDING
    assert money_of(player) == 0


# -- messages in any order ------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", list(permutations(["failed", "done", "under_way"])))
def test_in_whatever_order_they_come_the_money_is_credited_once(provider: FakeProvider, order: tuple[str, ...]) -> None:
    player = make_player()
    reference = begin(player, 1_000)
    for outcome in order:
        assert hear(provider.message("deposit", reference, outcome))[0] == 200
    assert (money_of(player), ProviderDeposit.objects.get().state) == (1_000, DepositState.SETTLED)
    contradicted = order.index("failed") > order.index("done")
    assert queue() == ({(reference, "state")} if contradicted else set())


def test_a_confirmation_that_overtakes_the_answer_stays(provider: FakeProvider) -> None:
    player = make_player()
    withdrawal = ask_back(player, 500, deposit_by(provider, player, 500))
    taken = HttpJsonProvider.send_payout
    heard: list[int] = []

    def overtaken(self: HttpJsonProvider, order: object) -> object:
        answer = taken(self, order)  # type: ignore[arg-type]
        heard.append(hear(provider.message("payout", withdrawal.reference))[0])
        return answer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(HttpJsonProvider, "send_payout", overtaken)
        assert send_withdrawal(withdrawal=withdrawal) == WithdrawalState.CONFIRMED
    assert (heard, due(), queue()) == ([200], 0, set())
    assert hear(provider.message("payout", withdrawal.reference, "under_way"))[0] == 200
    assert Withdrawal.objects.get().state == WithdrawalState.CONFIRMED
    assert broken() == []


def test_what_contradicts_an_end_goes_into_the_queue(provider: FakeProvider) -> None:
    player = make_player()
    withdrawal = ask_back(player, 500, deposit_by(provider, player, 500))
    send_withdrawal(withdrawal=withdrawal)
    hear(provider.message("payout", withdrawal.reference, "failed", reason="closed"))
    assert money_of(player) == 500
    assert hear(provider.message("payout", withdrawal.reference, "done"))[0] == 200
    assert (queue(), money_of(player)) == ({(withdrawal.reference, "state")}, 500)


def test_what_is_called_back_after_it_agreed_comes_into_the_queue_anew(provider: FakeProvider) -> None:
    player = make_player()
    reference = begin(player, 1_000)
    hear(provider.message("deposit", reference, "done"))
    hear(provider.message("deposit", reference, "failed"))
    assert queue() == {(reference, "state")}
    hear(provider.message("deposit", reference, "done"))  # which is how it stands here
    assert queue() == set()
    before = JournalRecord.objects.filter(act="note_unmatched").count()
    hear(provider.message("deposit", reference, "failed"))
    hear(provider.message("chargeback", reference, "done"))
    assert sorted(item.theirs for item in UnmatchedItem.objects.filter(closed_at=None)) == [
        "chargeback: done 1000 BYN",
        "failed 1000 BYN",
    ]
    assert JournalRecord.objects.filter(act="note_unmatched").count() == before + 2


@pytest.mark.parametrize(
    ("kind", "reference", "changes", "mismatch"),
    [
        ("deposit", "D-999", {}, "unknown_here"),
        ("deposit", "W-1", {}, "unknown_here"),
        ("deposit", "D-1 OR 1=1", {}, "unknown_here"),
        ("payout", "W-999", {}, "unknown_here"),
        ("payout", "D-1", {}, "unknown_here"),
        ("chargeback", "D-1", {}, "state"),
        ("deposit", "mine", {"amount": 999, "outcome": "failed"}, "amount"),
        ("payout", "D-1", {"amount": 999}, "unknown_here"),
        ("refund", "R-1", {}, "unknown_here"),
        ("refund", "mine", {}, "unknown_here"),
    ],
)
def test_what_does_not_fit_moves_nothing_and_is_queued_once(
    provider: FakeProvider, kind: str, reference: str, changes: dict[str, Any], mismatch: str
) -> None:
    player = make_player()
    mine = begin(player, 1_000)
    told = mine if reference == "mine" else reference
    for _ in range(2):
        assert hear(provider.message(kind, told, **changes))[0] == 200
    assert queue() == {(told, mismatch)}
    assert (money_of(player), held()) == (0, 0)
