"""Cards that race: one at two tills, one batch exported twice, blocked while it pays. Real threads (C62, D1, D3)."""

from collections.abc import Callable
from functools import partial

import pytest

from accounts.models import CardBatch, CardState, PrepaidCard
from accounts.services import card_presenting
from accounts.services.card_batches import CardExport, export_card_batch
from accounts.services.card_blocking import block_cards
from accounts.services.card_expiry import expire_cards
from pools.models import Bet
from pools.services import registering
from pools.services.betting import PlacedBet, place_bet
from pools.services.sources import from_card
from tests.carding import PRINTER, Bought, approved_batch, bet_by_card, bought, range_of, sell
from tests.carding import at_point as cards_at_point
from tests.concurrency.racing import race
from tests.making import make_organizers, make_pool, make_till
from tests.paying import broken, go_to
from totalizator.core.errors import DomainError, Refusal

pytestmark = pytest.mark.django_db(transaction=True)


def test_c62_one_card_at_two_tills_is_one_ticket() -> None:
    pool, first, second = make_pool(terms={"price": {"line": 1_000}}), make_till(), make_till()
    (card,) = bought(first, face_value=1_000)
    results = race(
        [
            partial(bet_by_card, pool, card, "1;1;1", 1_000, asked_by=first.cashier),
            partial(bet_by_card, pool, card, "1;1;1", 1_000, asked_by=second.cashier),
        ]
    )
    refusals = [result.code for result in results if isinstance(result, DomainError)]
    assert len(refusals) == 1
    assert refusals[0] is Refusal.CARD_REFUSED  # spent: the answer that every card gets which does not pay
    assert (Bet.objects.count(), card.money) == (1, 0)
    assert broken() == []


def test_c62_negative_control_without_lock_and_condition_a_card_is_overdrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the card's lock and the debit's condition both tills have 10.00: only the CHECK is left to catch it."""
    pool, till = make_pool(terms={"price": {"line": 1_000}}), make_till()
    (card,) = bought(till, face_value=1_000)
    unlocked = lambda cards: list(cards.select_related("batch", "ledger_account"))  # noqa: E731
    monkeypatch.setattr(card_presenting, "lock_cards", unlocked)
    monkeypatch.setattr(card_presenting, "balance", lambda _account: 1_000)
    condition = "AND (a.debit_normal OR a.credits >= a.debits + due.stake)"
    monkeypatch.setattr(registering, "_REGISTER", registering._REGISTER.replace(condition, ""))

    def bet() -> PlacedBet | Exception:
        try:
            return bet_by_card(pool, card, "1;1;1", 1_000)
        except DomainError:
            raise
        except Exception as fault:  # noqa: BLE001  the IntegrityError of the CHECK is what this test looks for
            return fault

    results = race([bet] * 4)
    assert any("ledger_never_overdrawn" in str(result) for result in results), results


def test_d3_two_hundred_parallel_bets_never_overdraw_a_card() -> None:
    """25.00 on the card, 200 bets of 1.00 by eight threads: 25 tickets, and not a kopeck below zero."""
    pool, till = make_pool(), make_till()
    (card,) = bought(till, face_value=2_500)
    source = from_card(series=card.series, number=card.number, code=card.code)

    def bet_25(thread: int) -> list[bool]:
        taken = []
        for number in range(25):
            try:
                place_bet(
                    pool_code=pool.code,
                    selections="1;1;1",
                    stake=100,
                    source=source,
                    idempotency_key=f"{thread}-{number}",
                )
                taken.append(True)
            except DomainError as refusal:
                assert refusal.code is Refusal.CARD_REFUSED  # noqa: PT017
                taken.append(False)
        return taken

    answers = race([partial(bet_25, thread) for thread in range(8)])
    taken = [one for answer in answers if isinstance(answer, list) for one in answer]
    assert (len(taken), sum(taken)) == (200, 25)
    assert (Bet.objects.filter(pool=pool).count(), card.money) == (25, 0)
    assert broken() == []


def test_d1_two_exports_at_once_are_one() -> None:
    batch, (one, other) = approved_batch(20), make_organizers()
    exports = [partial(export_card_batch, batch=batch, passphrase=PRINTER, exported_by=staff) for staff in (one, other)]
    results = race(exports)
    assert sum(isinstance(result, CardExport) for result in results) == 1
    assert [result.code for result in results if isinstance(result, DomainError)] == [Refusal.WRONG_STATE]
    assert PrepaidCard.objects.count() == 20


def test_d1_batches_exported_at_once_get_numbers_that_follow_one_another() -> None:
    staff, _other = make_organizers()
    batches = [approved_batch(30) for _ in range(3)]
    race([partial(export_card_batch, batch=batch, passphrase=PRINTER, exported_by=staff) for batch in batches])
    for batch in CardBatch.objects.all():
        serials = sorted(int(card.number[:-1]) for card in batch.cards.all())
        assert serials == list(range(serials[0], serials[0] + 30))
    assert PrepaidCard.objects.count() == 90


def test_a_card_is_sold_once_by_two_tills_of_a_point() -> None:
    till = make_till()
    (card,) = cards_at_point(till)
    results = race([partial(sell, till, card, f"key-{number}") for number in range(4)])
    assert sum(isinstance(result, PrepaidCard) for result in results) == 1
    assert card.money == 1_000
    assert broken() == []


def test_d4_a_block_and_a_bet_happen_one_after_the_other() -> None:
    pool, till, (staff, _other) = make_pool(), make_till(), make_organizers()
    cards = bought(till, 6)

    def bet(card: Bought) -> bool:
        return bet_by_card(pool, card, "1;1;1", 100).bet.stake == 100

    def block() -> bool:
        return block_cards(cards=range_of(cards), reason="Stolen.", blocked_by=staff) == 6

    acts: list[Callable[[], bool]] = [*(partial(bet, card) for card in cards), block]
    *bets, blocked = race(acts)
    assert blocked is True
    for card, taken in zip(cards, bets, strict=True):
        assert card.money == (900 if taken is True else 1_000)
        assert card.card.state == CardState.BLOCKED
    assert broken() == []


def test_d5_two_expiries_at_once_move_the_rest_once() -> None:
    cards = bought(make_till(), 5, days=91)
    go_to(cards[0].card.expires_at)
    results = race([partial(expire_cards, chunk=2)] * 3)
    assert sum(result for result in results if isinstance(result, int)) == 5
    assert {card.money for card in cards} == {0}
    assert broken() == []
