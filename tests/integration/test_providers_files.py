"""A day of a payment system's file against our rows, and the queue of what does not agree (F1)."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from accounts.models import (
    PaymentInstrument,
    ProviderDeposit,
    UnmatchedItem,
)
from accounts.services.provider_deposits import credit_found
from accounts.services.reconciliation import reconcile_provider, reconcile_yesterday
from accounts.services.sending import send_withdrawal
from accounts.services.unmatched import close_unmatched
from tests.fakes.provider import DEBIT_CARD, FakeProvider, running, settings_of, statement
from tests.making import keep_register_fresh, make_organizers, make_player
from tests.paying import broken, money_of
from tests.refusals import refused
from tests.topping_up import ask_back, begin, deposit_by, hear
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.engine.deadlines import legal_day

pytestmark = pytest.mark.django_db


@pytest.fixture
def provider(settings: object) -> Iterator[FakeProvider]:
    with running() as fake:
        settings.PAYMENT_PROVIDERS = settings_of(fake)  # type: ignore[attr-defined]
        yield fake


def queue() -> set[tuple[str, str]]:
    """(reference, mismatch) of what is open."""
    return set(UnmatchedItem.objects.filter(closed_at__isnull=True).values_list("reference", "mismatch"))


def next_day() -> None:
    clock.move_clock(timedelta(days=1))
    keep_register_fresh()


def test_f1_next_morning_what_does_not_agree_is_in_the_queue(provider: FakeProvider) -> None:
    player, day = make_player(), legal_day(clock.now())
    agreed, missed, other_sum, only_ours = (begin(player, 1_000) for _ in range(4))
    for reference in (agreed, other_sum, only_ours):
        hear(provider.message("deposit", reference))
    next_day()
    text = statement(
        f"{agreed};deposit;done;1000;BYN",
        f"{missed};deposit;done;1000;BYN",
        f"{other_sum};deposit;done;900;BYN",
        "D-77777;deposit;done;5;BYN",
        "not a line",
    )
    done = reconcile_provider(provider="fake", day=day, text=text, actor="test")
    assert (done.lines, done.new, done.faults) == (4, 4, (6,))
    assert queue() == {
        (missed, "state"),
        (other_sum, "amount"),
        ("D-77777", "unknown_here"),
        (only_ours, "unknown_there"),
    }
    again = reconcile_provider(provider="fake", day=day, text=text, actor="test")
    assert (again.new, len(queue())) == (0, 4)


def test_what_the_next_file_shows_is_closed_by_itself(provider: FakeProvider) -> None:
    player, day = make_player(), legal_day(clock.now())
    reference = begin(player, 1_000)
    hear(provider.message("deposit", reference))
    next_day()
    reconcile_provider(provider="fake", day=day, text=statement(), actor="test")
    assert queue() == {(reference, "unknown_there")}
    next_day()
    text = statement(f"{reference};deposit;done;1000;BYN")
    reconcile_provider(provider="fake", day=day + timedelta(days=1), text=text, actor="test")
    assert queue() == set()


def test_what_ended_there_on_the_other_side_of_midnight_is_asked_about_and_raises_nothing(
    provider: FakeProvider,
) -> None:
    player, day = make_player(), legal_day(clock.now())
    reference = begin(player, 1_000)
    hear(provider.message("deposit", reference))
    provider.payments[reference]["outcome"] = "done"  # in yesterday's file, or tomorrow's
    next_day()
    done = reconcile_provider(provider="fake", day=day, text=statement(), actor="test")
    assert (done.new, queue()) == (0, set())


def test_a_payout_of_a_deposits_reference_does_not_agree_with_the_deposit(provider: FakeProvider) -> None:
    player, day = make_player(), legal_day(clock.now())
    reference = begin(player, 1_000)
    hear(provider.message("deposit", reference))
    next_day()
    text = statement(f"{reference};payout;done;1000;BYN")
    reconcile_provider(provider="fake", day=day, text=text, actor="test")
    assert queue() == {(reference, "unknown_here")}


@pytest.mark.parametrize("cell", ["D-1\0", "D-1" + "9" * 140_000, "D-\ud800"])
def test_a_line_that_no_payment_system_writes_is_a_fault_and_the_others_are_compared(
    provider: FakeProvider, cell: str
) -> None:
    day = legal_day(clock.now())
    next_day()
    text = statement(f"{cell};deposit;done;1000;BYN", "D-77777;deposit;done;5;BYN")
    done = reconcile_provider(provider="fake", day=day, text=text, actor="test")
    assert (done.lines, len(done.faults), queue()) == (1, 1, {("D-77777", "unknown_here")})


def test_a_payout_is_compared_too(provider: FakeProvider) -> None:
    player, day = make_player(), legal_day(clock.now())
    card = deposit_by(provider, player, 500)
    withdrawal = ask_back(player, 200, card)
    send_withdrawal(withdrawal=withdrawal)
    deposit = ProviderDeposit.objects.get().reference
    next_day()
    text = statement(f"{deposit};deposit;done;500;BYN", f"{withdrawal.reference};payout;done;200;BYN")
    reconcile_provider(provider="fake", day=day, text=text, actor="test")
    assert queue() == {(withdrawal.reference, "state")}
    hear(provider.message("payout", withdrawal.reference))
    assert queue() == set()


def test_the_file_is_fetched_once_when_it_is_there(provider: FakeProvider) -> None:
    assert reconcile_yesterday(provider="fake", actor="test") is None
    day = legal_day(clock.now()) - timedelta(days=1)
    provider.statements[day.isoformat()] = statement("D-5;deposit;done;5;BYN")
    done = reconcile_yesterday(provider="fake", actor="test")
    assert done is not None
    assert (done.lines, done.new) == (1, 1)
    assert reconcile_yesterday(provider="fake", actor="test") is None
    assert provider.calls == [f"GET /statements/{day.isoformat()}"] * 2


def test_a_day_that_is_not_over_and_a_strange_file_are_refused(provider: FakeProvider) -> None:
    today = legal_day(clock.now())
    for day, text in ((today, statement()), (today - timedelta(days=1), "what;is;this\n")):
        act = refused(lambda day=day, text=text: reconcile_provider(provider="fake", day=day, text=text, actor="t"))  # type: ignore[misc]
        assert act.code is Refusal.BAD_VALUE


def test_a_missed_message_is_made_good_by_asking_the_payment_system(provider: FakeProvider) -> None:
    player, day, (staff, _other) = make_player(), legal_day(clock.now()), make_organizers()
    reference = begin(player, 1_000)
    next_day()
    text = statement(f"{reference};deposit;done;1000;BYN")
    reconcile_provider(provider="fake", day=day, text=text, actor="test")
    item = UnmatchedItem.objects.get()
    act = refused(lambda: credit_found(item=item, decision="x", decided_by=staff))
    assert act.code is Refusal.WRONG_STATE  # asked, it says that the payment is under way
    provider.payments[reference] |= {"outcome": "done", "instrument": DEBIT_CARD}
    assert refused(lambda: credit_found(item=item, decision="x", decided_by=player)).code is Refusal.NOT_ALLOWED
    credit_found(item=item, decision="Message lost, case 12", decided_by=staff)
    assert (money_of(player), queue(), PaymentInstrument.objects.count()) == (1_000, set(), 1)
    assert broken() == []


def test_an_item_is_closed_once_with_a_decision(provider: FakeProvider) -> None:
    (staff, _other) = make_organizers()
    hear(provider.message("deposit", "D-999"))
    item = UnmatchedItem.objects.get()
    assert refused(lambda: close_unmatched(item=item, decision=" ", closed_by=staff)).code is Refusal.BAD_VALUE
    close_unmatched(item=item, decision="Sent back by them, letter 3", closed_by=staff)
    assert refused(lambda: close_unmatched(item=item, decision="x", closed_by=staff)).code is Refusal.WRONG_STATE
    assert queue() == set()
