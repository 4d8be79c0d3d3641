"""Money onto a game account: each way in once, within limits, and never before it is there (¶35, F1, F4)."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db import DatabaseError, transaction

from accounts.ledger.balances import balance
from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import Entry, LimitKind, LimitPeriod, TopUp, TopUpWay
from accounts.services.exclusion import exclude_oneself
from accounts.services.limits import set_limit
from accounts.services.paying_over import note_paid_over, note_prefunded
from accounts.services.persons import person_of
from accounts.services.topups import credit_transfer, top_up_by_card, top_up_in_cash
from tests.carding import Bought, bought
from tests.desks import keeper
from tests.making import account_of, make_player, make_till
from tests.paying import broken, money_of
from tests.refusals import refused
from tests.topping_up import pay_in
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal

pytestmark = pytest.mark.django_db


def test_cash_at_a_till_is_on_the_account_and_in_the_till() -> None:
    player, till = make_player(), make_till()
    assert till.cashier is not None
    top_up = top_up_in_cash(account=account_of(player), amount=2_050, cashier=till.cashier, idempotency_key="k")
    assert (top_up.way, top_up.amount, top_up.till, top_up.credited_by) == (
        TopUpWay.CASH,
        2_050,
        till,
        till.cashier.actor,
    )
    assert (money_of(player), balance(till.ledger_account)) == (2_050, 2_050)
    assert broken() == []


def test_the_same_request_twice_is_one_top_up_and_another_body_is_refused() -> None:
    player, till = make_player(), make_till()
    assert till.cashier is not None
    first, again = (
        top_up_in_cash(account=account_of(player), amount=100, cashier=till.cashier, idempotency_key="k")
        for _ in range(2)
    )
    assert first == again
    assert money_of(player) == 100
    other = refused(
        lambda: top_up_in_cash(account=account_of(player), amount=200, cashier=till.cashier, idempotency_key="k")  # type: ignore[arg-type]
    )
    assert other.code is Refusal.KEY_REUSED


def test_only_a_cashier_at_a_till_takes_cash() -> None:
    player = make_player()
    act = refused(lambda: top_up_in_cash(account=account_of(player), amount=1, cashier=player, idempotency_key="k"))
    assert act.code is Refusal.NOT_ALLOWED


@pytest.mark.parametrize("amount", [0, -1])
def test_nothing_and_less_are_refused(amount: int) -> None:
    player = make_player()
    assert refused(lambda: pay_in(player, amount)).code is Refusal.BAD_VALUE


def test_a_transfer_is_credited_once_for_each_line_of_the_statement() -> None:
    player = make_player()
    first, again = pay_in(player, 700, "line 1"), pay_in(player, 700, "line 1")
    assert first == again
    assert (money_of(player), balance(ledger_account(AccountKind.BANK))) == (700, 700)
    assert refused(lambda: pay_in(player, 701, "line 1")).code is Refusal.KEY_REUSED
    other = make_player()
    assert refused(lambda: pay_in(other, 700, "line 1")).code is Refusal.KEY_REUSED


def test_a_postal_transfer_has_references_of_its_own() -> None:
    player = make_player()
    pay_in(player, 700, "17")
    credit_transfer(
        account=account_of(player),
        amount=300,
        reference="17",
        method=TopUpWay.POSTAL_TRANSFER,
        received_at=clock.now(),
        by=keeper(),
    )
    assert money_of(player) == 1_000
    assert set(TopUp.objects.values_list("way", "amount")) == {("bank", 700), ("post", 300)}


def test_a_transfer_does_not_come_in_cash() -> None:
    player = make_player()
    act = refused(
        lambda: credit_transfer(
            account=account_of(player),
            amount=1,
            reference="x",
            method=TopUpWay.CASH,
            received_at=clock.now(),
            by=keeper(),
        )
    )
    assert act.code is Refusal.BAD_VALUE


def test_a_limit_on_deposits_counts_every_way_in() -> None:
    player, till = make_player(), make_till()
    assert till.cashier is not None
    set_limit(
        person=person_of(player), kind=LimitKind.DEPOSIT, period=LimitPeriod.DAY, amount=1_000, actor=player.actor
    )
    pay_in(player, 600)
    act = refused(
        lambda: top_up_in_cash(account=account_of(player), amount=401, cashier=till.cashier, idempotency_key="k")  # type: ignore[arg-type]
    )
    assert (act.code, act.details["available"]) == (Refusal.LIMIT_REACHED, 400)
    top_up_in_cash(account=account_of(player), amount=400, cashier=till.cashier, idempotency_key="k2")
    assert money_of(player) == 1_000


def test_p2_who_is_excluded_cannot_pay_in() -> None:
    player = make_player(500)
    exclude_oneself(person=person_of(player), months=6, actor=player.actor)
    assert refused(lambda: pay_in(player, 100)).code is Refusal.MAY_NOT_PLAY
    assert money_of(player) == 500


def test_a_card_is_emptied_onto_the_account_once() -> None:
    player, till = make_player(), make_till()
    (card,) = bought(till, face_value=1_000)
    told: dict[str, Any] = {"player": player, "series": card.series, "number": card.number, "code": card.code}
    part = top_up_by_card(**told, idempotency_key="part", amount=300)
    rest, again = (top_up_by_card(**told, idempotency_key="rest") for _ in range(2))
    assert (part.amount, rest.amount, rest == again) == (300, 700, True)
    assert (money_of(player), card.money) == (1_000, 0)
    assert refused(lambda: top_up_by_card(**told, idempotency_key="more")).code is Refusal.CARD_REFUSED
    assert broken() == []


def test_more_than_is_on_a_card_does_not_come() -> None:
    player, till = make_player(), make_till()
    (card,) = bought(till, face_value=1_000)
    told: dict[str, Any] = {"player": player, "series": card.series, "number": card.number, "code": card.code}
    act = refused(lambda: top_up_by_card(**told, idempotency_key="k", amount=1_001))
    assert (act.code, act.details["available"]) == (Refusal.INSUFFICIENT_FUNDS, 1_000)
    assert (money_of(player), card.money) == (0, 1_000)


def test_the_database_keeps_a_top_up_as_it_is() -> None:
    top_up = pay_in(make_player(), 100)
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        TopUp.objects.filter(pk=top_up.pk).update(amount=200)


def test_what_a_payment_system_pays_over_leaves_its_fee_with_the_organizer(settings: object) -> None:
    settings.PAYMENT_PROVIDERS = {"fake": {"url": "http://127.0.0.1:9", "keys": ["k"], "currencies": ["BYN"]}}  # type: ignore[attr-defined]
    for _ in range(2):
        note_paid_over(provider="fake", received=970, held=1_000, reference="line 9", by=keeper())
    note_paid_over(provider="fake", received=1_010, held=1_000, reference="line 10", by=keeper())
    assert note_prefunded(provider="fake", amount=500, reference="line 11", by=keeper())
    assert not note_prefunded(provider="fake", amount=500, reference="line 11", by=keeper())
    told = {
        kind: balance(ledger_account(kind, owner))
        for kind, owner in (
            (AccountKind.BANK, ""),
            (AccountKind.AT_PROVIDER, "fake"),
            (AccountKind.ORGANIZER, ""),
        )
    }
    assert told == {AccountKind.BANK: 1_480, AccountKind.AT_PROVIDER: -1_500, AccountKind.ORGANIZER: -20}
    assert Entry.objects.count() == 5


def code_of(act: Callable[[], object]) -> Refusal:
    """What an act is refused with; a failed try is counted for good."""
    with pytest.raises(DomainError) as caught:
        act()
    return caught.value.code


def test_c61_a_key_that_moved_one_card_lets_nobody_guess_another_past_the_throttle() -> None:
    """Nor does a key of another act of the player's: only the card that the request moved is answered once more."""
    player, (mine, other) = make_player(), bought(make_till(), 2)

    def move(card: Bought, code: str, key: str = "the key") -> TopUp:
        return top_up_by_card(
            player=player, series=card.series, number=card.number, code=code, idempotency_key=key, amount=100
        )

    first, codes = move(mine, mine.code), ["2222-2222-2222"] * 10 + [other.code]
    told = [code_of(partial(move, other, code)) for code in codes]
    assert told == [Refusal.CARD_REFUSED] * 10 + [Refusal.THROTTLED]  # not even the right one is judged
    assert move(mine, mine.code) == first
    assert (money_of(player), other.money) == (100, 1_000)
