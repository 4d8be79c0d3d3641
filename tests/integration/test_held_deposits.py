"""What a payment system took and may not be credited: in the books, owed, and credited or given back (F1)."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from accounts.ledger.balances import balance
from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import (
    Currency,
    DepositReturn,
    HeldDeposit,
    LimitKind,
    LimitPeriod,
    PlayLimit,
    ProviderDeposit,
    ReturnState,
    TopUp,
    UnmatchedItem,
    User,
)
from accounts.services.deposit_returns import approve_return, ask_about_return, propose_return, send_return
from accounts.services.exclusion import exclude_oneself
from accounts.services.limits import set_limit
from accounts.services.persons import person_of
from accounts.services.provider_deposits import credit_found, hold_found
from accounts.services.reconciliation import reconcile_provider
from accounts.services.unmatched import close_unmatched
from accounts.tasks import ask_about_withdrawals, send_approved_withdrawals
from payouts.queries.guarantee import guarantee_sum
from tests.fakes.provider import DEBIT_CARD, FakeProvider, running, settings_of, statement
from tests.making import keep_register_fresh, make_organizers, make_player
from tests.paying import broken, money_of
from tests.refusals import refused
from tests.topping_up import begin, hear, make_rate
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.engine.deadlines import legal_day

pytestmark = pytest.mark.django_db


@pytest.fixture
def provider(settings: object) -> Iterator[FakeProvider]:
    with running() as fake:
        settings.PAYMENT_PROVIDERS = settings_of(fake)  # type: ignore[attr-defined]
        yield fake


def books() -> tuple[int, int]:
    """What the payment system has of ours, and what of it is held for payers."""
    kinds = (AccountKind.AT_PROVIDER, AccountKind.HELD_DEPOSITS)
    at_provider, held = (balance(ledger_account(kind, "fake")) for kind in kinds)
    return at_provider, held


def bar(player: User) -> PlayLimit:
    """Let no deposit be credited to the player."""
    set_limit(person=person_of(player), kind=LimitKind.DEPOSIT, period=LimitPeriod.DAY, amount=1, actor="test")
    return PlayLimit.objects.get(person=person_of(player))


def taken(provider: FakeProvider, player: User, amount: int = 1_000, **changes: Any) -> HeldDeposit:
    """A deposit that the payment system has taken, of a player who may not have it."""
    reference = begin(player, amount)
    bar(player)
    assert hear(provider.message("deposit", reference, **changes))[0] == 200
    provider.payments[reference] |= {"outcome": "done", **changes}
    return HeldDeposit.objects.get(deposit__account__player=player)


def approved(held: HeldDeposit, **told: Any) -> DepositReturn:
    one, other = make_organizers()
    proposal = propose_return(held=held, reason="Letter 7", proposed_by=one, **told)
    return approve_return(proposal=proposal, approved_by=other)


def stands(held: HeldDeposit) -> tuple[str, str]:
    """The states of the deposit and of what is held."""
    held = HeldDeposit.objects.select_related("deposit").get(pk=held.pk)
    return held.deposit.state, held.state


def test_what_comes_for_who_is_excluded_meanwhile_is_held_once_and_counts(provider: FakeProvider) -> None:
    player = make_player()
    reference = begin(player, 1_000)
    exclude_oneself(person=person_of(player), months=6, actor="test")
    for _ in range(2):
        assert hear(provider.message("deposit", reference, instrument=DEBIT_CARD))[0] == 200
    held = HeldDeposit.objects.get()
    assert (held.amount, held.taken, held.currency, held.why) == (1_000, 1_000, "BYN", "may_not_play")
    assert held.instrument is not None
    assert (stands(held), books(), money_of(player)) == (("held", "held"), (1_000, 1_000), 0)
    sum_now = guarantee_sum()
    part = sum_now.parts[AccountKind.HELD_DEPOSITS]
    assert (part.computed, part.ledger, sum_now.differing, sum_now.elsewhere) == (1_000, 1_000, [], 1_000)
    assert broken() == []


def test_no_text_closes_an_item_whose_money_is_held(provider: FakeProvider) -> None:
    one, _other = make_organizers()
    held = taken(provider, make_player())
    item = UnmatchedItem.objects.get()
    assert refused(lambda: close_unmatched(item=item, decision="Letter", closed_by=one)).code is Refusal.WRONG_STATE
    assert hear(provider.message("deposit", held.deposit.reference))[0] == 200  # the same again closes nothing
    item.refresh_from_db()
    assert (item.closed_at, books()) == (None, (1_000, 1_000))


def test_it_is_credited_once_it_may_be(provider: FakeProvider) -> None:
    (one, _other), player = make_organizers(), make_player()
    held = taken(provider, player, instrument=DEBIT_CARD)
    item = UnmatchedItem.objects.get()
    refusal = refused(lambda: credit_found(item=item, decision="Letter", decided_by=one))
    assert (refusal.code, books(), money_of(player)) == (Refusal.LIMIT_REACHED, (1_000, 1_000), 0)
    PlayLimit.objects.all().delete()
    credit_found(item=item, decision="Letter", decided_by=one)
    assert (books(), money_of(player), stands(held)) == ((1_000, 0), 1_000, ("settled", "credited"))
    assert TopUp.objects.get().instrument == held.instrument
    again = refused(lambda: credit_found(item=item, decision="Letter", decided_by=one))
    assert (again.code, money_of(player), broken()) == (Refusal.WRONG_STATE, 1_000, [])


def test_another_amount_is_held_as_it_was_taken(provider: FakeProvider) -> None:
    (one, _other), player = make_organizers(), make_player()
    make_rate(Currency.USD, "3.2159")
    reference = begin(player, 1_000)
    told: dict[str, Any] = {"amount": 1_001, "currency": "USD"}
    assert hear(provider.message("deposit", reference, **told))[0] == 200
    provider.payments[reference] |= {"outcome": "done", **told}
    held = HeldDeposit.objects.get()
    assert (held.amount, held.taken, held.currency, held.why) == (3_219, 1_001, "USD", "amount")
    assert (books(), money_of(player)) == ((3_219, 3_219), 0)
    hear(provider.message("deposit", reference, **told))
    item = UnmatchedItem.objects.get()
    assert (item.mismatch, item.closed_at) == ("amount", None)
    clock.move_clock(timedelta(days=1))
    keep_register_fresh()
    make_rate(Currency.USD, "4.0000")  # what was held stays what it was worth
    credit_found(item=item, decision="Letter", decided_by=one)
    top_up = TopUp.objects.get()
    assert (top_up.amount, top_up.original_amount, top_up.currency) == (3_219, 1_001, "USD")
    assert (books(), money_of(player), broken()) == ((3_219, 0), 3_219, [])


def test_a_rate_that_is_missing_lets_the_message_come_again(provider: FakeProvider) -> None:
    reference = begin(make_player(), 1_000)
    assert hear(provider.message("deposit", reference, event_id="E", currency="USD"))[0] == 503
    assert (HeldDeposit.objects.count(), UnmatchedItem.objects.count(), books()) == (0, 0, (0, 0))
    make_rate(Currency.USD, "3.0000")
    assert hear(provider.message("deposit", reference, event_id="E", currency="USD"))[0] == 200
    assert books() == (3_000, 3_000)


def test_another_amount_of_what_was_credited_holds_nothing(provider: FakeProvider) -> None:
    player = make_player()
    reference = begin(player, 1_000)
    hear(provider.message("deposit", reference))
    hear(provider.message("deposit", reference, amount=5))
    assert (HeldDeposit.objects.count(), books(), money_of(player)) == (0, (1_000, 0), 1_000)


def test_two_people_give_it_back_through_the_payment_system(provider: FakeProvider) -> None:
    (one, other), player = make_organizers(), make_player()
    held = taken(provider, player)
    proposal = propose_return(held=held, reason="Letter 7", proposed_by=one)
    assert refused(lambda: approve_return(proposal=proposal, approved_by=one)).code is Refusal.SAME_PERSON
    assert refused(lambda: send_return(back=proposal)).code is Refusal.WRONG_STATE
    calls = [*provider.calls]
    approve_return(proposal=proposal, approved_by=other)
    assert approve_return(proposal=proposal, approved_by=other).state == ReturnState.APPROVED
    assert (provider.calls, books()) == (calls, (1_000, 1_000))
    for _ in range(2):
        send_approved_withdrawals()
    assert provider.calls[len(calls) :] == ["POST /refunds"]
    assert provider.payments[proposal.reference]["amount"] == 1_000
    item = UnmatchedItem.objects.get()
    PlayLimit.objects.all().delete()
    refusal = refused(lambda: credit_found(item=item, decision="Letter", decided_by=one))
    assert (refusal.code, money_of(player)) == (Refusal.WRONG_STATE, 0)  # it is on its way back
    for _ in range(2):
        assert hear(provider.message("refund", proposal.reference))[0] == 200
    item.refresh_from_db()
    assert (books(), stands(held)) == ((0, 0), ("returned", "returned"))
    assert item.closed_at is not None
    assert guarantee_sum().parts[AccountKind.HELD_DEPOSITS].computed == 0
    assert (broken(), money_of(player)) == ([], 0)


@pytest.mark.parametrize("answer", ["silent", "broken", "refusing"])
def test_whoever_answers_not_is_asked_and_never_called_twice(provider: FakeProvider, answer: str) -> None:
    held = taken(provider, make_player())
    back = approved(held)
    setattr(provider, answer, True)
    expected = ReturnState.FAILED if answer == "refusing" else ReturnState.UNKNOWN
    assert send_return(back=back) == expected
    assert refused(lambda: send_return(back=back)).code is Refusal.WRONG_STATE
    assert books() == (1_000, 1_000)
    setattr(provider, answer, False)
    clock.move_clock(timedelta(minutes=21))
    if answer == "silent":  # it had taken the call
        provider.payments[back.reference]["outcome"] = "done"
    ask_about_withdrawals()
    back.refresh_from_db()
    if answer == "silent":
        assert (back.state, books(), stands(held)) == ("done", (0, 0), ("returned", "returned"))
    else:
        assert (back.state, books(), stands(held)) == ("failed", (1_000, 1_000), ("held", "held"))
        again = approved(held)  # under a reference of its own
        assert send_return(back=again) == ReturnState.SENT
        hear(provider.message("refund", again.reference))
        assert books() == (0, 0)
    assert (provider.calls.count("POST /refunds"), broken()) == (1 if answer == "silent" else 2, [])


def test_an_answer_of_another_amount_moves_nothing(provider: FakeProvider) -> None:
    held = taken(provider, make_player())
    back = approved(held)
    provider.answers = {"outcome": "done", "amount": 900}
    assert send_return(back=back) == ReturnState.UNKNOWN
    assert (books(), stands(held)) == ((1_000, 1_000), ("held", "held"))
    assert UnmatchedItem.objects.filter(reference=back.reference, mismatch="amount").count() == 1


@pytest.mark.parametrize("returned", [True, False])
def test_two_people_end_by_a_document_what_is_unknown(provider: FakeProvider, returned: bool) -> None:
    held = taken(provider, make_player())
    back = approved(held)
    one, _other = make_organizers()
    again = refused(lambda: propose_return(held=held, reason="x", proposed_by=one))
    assert again.code is Refusal.WRONG_STATE  # one at a time
    provider.silent = True
    send_return(back=back)
    assert refused(lambda: propose_return(held=held, reason="x", returned=False, proposed_by=one)).field == "document"
    approved(held, document="Letter 8", returned=returned)
    back.refresh_from_db()
    assert back.state == ("done" if returned else "failed")
    assert (books(), stands(held)) == (
        ((0, 0), ("returned", "returned")) if returned else ((1_000, 1_000), ("held", "held"))
    )
    contradicted = "failed" if returned else "done"
    assert hear(provider.message("refund", back.reference, contradicted))[0] == 200
    assert UnmatchedItem.objects.filter(reference=back.reference, mismatch="state").count() == 1
    assert broken() == []


def test_a_document_alone_gives_back_what_the_payment_system_gave_back_by_itself(provider: FakeProvider) -> None:
    held = taken(provider, make_player())
    one, _other = make_organizers()
    assert (
        refused(lambda: propose_return(held=held, reason="x", document="Letter", returned=False, proposed_by=one)).code
        is Refusal.WRONG_STATE
    )
    approved(held, document="Letter 8")
    assert (books(), stands(held)) == ((0, 0), ("returned", "returned"))
    assert refused(lambda: propose_return(held=held, reason="x", proposed_by=one)).code is Refusal.WRONG_STATE
    assert "POST /refunds" not in provider.calls


def test_a_lost_message_is_made_good_by_holding_what_may_not_be_credited(provider: FakeProvider) -> None:
    (one, _other), player, day = make_organizers(), make_player(), legal_day(clock.now())
    reference = begin(player, 1_000)
    limit = bar(player)
    clock.move_clock(timedelta(days=1))
    keep_register_fresh()
    reconcile_provider(provider="fake", day=day, text=statement(f"{reference};deposit;done;1000;BYN"), actor="test")
    item = UnmatchedItem.objects.get()
    assert refused(lambda: hold_found(item=item, held_by=one)).code is Refusal.WRONG_STATE  # it was not taken
    provider.payments[reference]["outcome"] = "done"
    held = hold_found(item=item, held_by=one)
    assert (hold_found(item=item, held_by=one), books()) == (held, (1_000, 1_000))
    limit.delete()
    other = begin(player, 500)
    provider.payments[other]["outcome"] = "done"
    UnmatchedItem.objects.filter(pk=item.pk).update(reference=other)
    item.refresh_from_db()
    assert refused(lambda: hold_found(item=item, held_by=one)).code is Refusal.WRONG_STATE  # it can be credited
    assert (ProviderDeposit.objects.get(held=None).state, money_of(player), broken()) == ("pending", 0, [])


def test_the_file_of_the_day_agrees_with_what_is_held_and_given_back(provider: FakeProvider) -> None:
    player, day = make_player(), legal_day(clock.now())
    held = taken(provider, player)
    back = approved(held)
    send_return(back=back)
    hear(provider.message("refund", back.reference))
    provider.payments[back.reference]["outcome"] = "done"
    clock.move_clock(timedelta(days=1))
    lines = (f"{held.deposit.reference};deposit;done;1000;BYN", f"{back.reference};refund;done;1000;BYN")
    assert reconcile_provider(provider="fake", day=day, text=statement(*lines), actor="test").new == 0
    provider.payments[back.reference]["outcome"] = "failed"
    assert reconcile_provider(provider="fake", day=day, text=statement(lines[0]), actor="test").new == 1
    assert UnmatchedItem.objects.get(closed_at=None).reference == back.reference
    back.refresh_from_db()
    assert refused(lambda: ask_about_return(back=back)).code is Refusal.WRONG_STATE
