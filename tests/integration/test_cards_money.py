"""Money of prepaid cards: the debt to the bearer, what comes back, what expires, what moves to another card (D2-D5)."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction

from accounts.ledger.balances import balance, trial_balance
from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import CardState, Till, Transfer
from accounts.queries.cards import card_liability, cards_by_state, expired_cards
from accounts.services.card_blocking import block_cards, unblock_cards
from accounts.services.card_expiry import expire_cards
from accounts.tasks import expire_due_cards
from payouts.models import CashWish, Payable, Payment, PaymentMethod
from payouts.services.booking import book_payables
from payouts.services.cash_wishes import wish_cash
from payouts.services.crediting import credit_accounts
from payouts.services.expiring import expire_winnings
from pools.models import Pool
from pools.services.betting import PlacedBet
from pools.services.cancelling import approve_cancellation, propose_cancellation
from tests.carding import Bought, at_point, bet_by_card, bought, range_of
from tests.making import bet_from_account, bet_in_cash, make_organizers, make_player, make_pool, make_till
from tests.paying import broken, go_to, money_of, pay, payable_from, payable_until
from tests.refusals import refused
from tests.settling import owed, pot_of, settle
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.legal import forget_legal_numbers
from totalizator.core.models import JournalRecord, LegalNumber

pytestmark = pytest.mark.django_db
A_DAY = timedelta(days=1)


def cancel(pool: Pool) -> None:
    one, other = make_organizers()
    propose_cancellation(code=pool.code, reason="The cup is off.", document="Letter 7", proposed_by=one)
    approve_cancellation(code=pool.code, approved_by=other)


def won_by_card(lasts: timedelta = A_DAY, **bought_with: int) -> tuple[Pool, tuple[Bought, PlacedBet, Till]]:
    """A settled pool with one bet of 1.00, by card, that wins 0.70; and the card with the bet."""
    pool, till = make_pool("sportloto-variant", lasts=lasts), make_till(10_000)
    (card,) = bought(till, **bought_with)
    placed = bet_by_card(pool, card, "1", 100)
    settle(pool, "1")
    book_payables(code=pool.code)
    return pool, (card, placed, till)


def test_c43_a_cancelled_pool_returns_every_stake_the_way_it_came() -> None:
    pool = make_pool("totolot-variant", terms={"price": {"min": 1, "max": 100_000}})
    player, till = make_player(5_000), make_till()
    (card,) = bought(till, face_value=5_000)
    bet_from_account(pool, player, "1", 1_000)
    bet_by_card(pool, card, "1", 3_333)
    bet_in_cash(pool, till, "1", 1)
    assert (money_of(player), card.money) == (4_000, 1_667)
    cancel(pool)
    book_payables(code=pool.code)
    credit_accounts(code=pool.code)
    assert (money_of(player), card.money) == (5_000, 5_000)
    (cash,) = Payable.objects.filter(pool=pool, state="due")
    assert (cash.amount, cash.pay_to, cash.payable_until) == (1, None, None)
    assert (owed(AccountKind.TAKEOUT, pool), pot_of(pool), owed(AccountKind.REFUNDS_DUE, pool)) == (0, 0, 1)
    assert broken() == []


def test_a_winning_goes_back_to_the_card_and_a_spent_card_pays_again() -> None:
    pool, (card, placed, _till) = won_by_card(face_value=100)
    assert (card.money, cards_by_state(card.card.batch)) == (0, {"spent": 1})
    assert credit_accounts(code=pool.code) == 0  # not before the day after (¶12)
    go_to(payable_from(pool))
    assert credit_accounts(code=pool.code) == 1
    payment = Payment.objects.get(ticket=placed.bet.ticket)
    assert (payment.method, payment.gross, payment.tax, payment.net) == (PaymentMethod.CARD, 70, 4, 66)
    assert (card.money, cards_by_state(card.card.batch)) == (66, {"active": 1})
    another = make_pool("sportloto-variant", terms={"price": {"line": 66}})
    assert bet_by_card(another, card, "1", 66).bet.stake == 66
    assert broken() == []


def test_a_card_that_is_credited_stays_valid_as_long_as_a_winning_can_be_claimed() -> None:
    pool, (card, _placed, _till) = won_by_card(days=91)
    go_to(payable_from(pool))
    before = card.card.expires_at
    assert credit_accounts(code=pool.code) == 1
    assert card.card.expires_at > before
    days_left = card.card.expires_at - Payment.objects.get().paid_at
    assert days_left == timedelta(days=92)
    assert card.card.expires_at >= payable_until(pool)
    long_lived, (other, _bet, _at) = won_by_card(days=400)
    until = other.card.expires_at
    go_to(payable_from(long_lived))
    credit_accounts(code=long_lived.code)
    assert other.card.expires_at == until


def test_what_a_dead_card_wins_is_paid_by_the_ticket_in_its_term() -> None:
    pool, (card, placed, till) = won_by_card(lasts=timedelta(days=100), days=91)
    assert expire_cards() == 1
    assert card.money == 0
    go_to(payable_from(pool))
    assert credit_accounts(code=pool.code) == 0
    assert JournalRecord.objects.get(act="pay_in_cash_instead").subject == f"bet:{placed.bet.ticket}"
    assert pay(placed, till).net == 66
    assert broken() == []


def test_what_a_dead_card_wins_and_nobody_comes_for_goes_to_the_jackpot() -> None:
    pool, (card, _placed, _till) = won_by_card(lasts=timedelta(days=100), days=91)
    assert card.card.state == CardState.ACTIVE  # the job that expires cards has not run yet
    go_to(payable_from(pool))
    assert credit_accounts(code=pool.code) == 0
    go_to(payable_until(pool))
    assert expire_winnings(code=pool.code) == 1
    assert broken() == []


def test_a_blocked_card_is_credited_and_keeps_its_money() -> None:
    pool, (card, _placed, _till) = won_by_card(face_value=1_000)
    (staff, other) = make_organizers()
    block_cards(cards=range_of([card]), reason="Lost.", blocked_by=staff)
    go_to(payable_from(pool))
    credit_accounts(code=pool.code)
    assert (card.money, card_liability()) == (966, {"blocked": 966})
    unblock_cards(cards=range_of([card]), reason="Found.", unblocked_by=other)
    assert bet_by_card(make_pool("sportloto-variant"), card, "1", 100).bet.stake == 100


def test_d5_what_is_owed_to_bearers_is_the_ledgers_account() -> None:
    pool, till, (staff, _other) = make_pool(), make_till(), make_organizers()
    at_point(till, 3)
    one, two, three = bought(till, 3, 1_000)
    bet_by_card(pool, one, "1;1;1", 100)
    block_cards(cards=range_of([two]), reason="Lost.", blocked_by=staff)
    assert card_liability() == {"active": 1_900, "blocked": 1_000}
    assert trial_balance()["prepaid_card"] == -2_900
    assert balance(till.ledger_account) == 3_000
    assert three.money == 1_000
    assert broken() == []


def test_d5_the_rest_of_an_expired_card_is_moved_by_an_entry_and_reported() -> None:
    till, since = make_till(), clock.now()
    unsold = at_point(till, 1, days=91)[0]
    full, spent, blocked = bought(till, 3, 300, days=91)
    bet_by_card(make_pool("sportloto-variant", terms={"price": {"line": 300}}), spent, "1", 300)
    block_cards(cards=range_of([blocked]), reason="Lost.", blocked_by=make_organizers()[0])
    long_lived = bought(till, days=400)[0]
    assert expire_cards() == 0
    end = full.card.expires_at
    go_to(end - timedelta(seconds=5))
    assert expire_cards() == 0
    go_to(end)
    assert expire_cards(chunk=3) == 4
    assert expire_cards() == 0
    report = {card.number: card.rest for card in expired_cards(since, clock.now())}  # type: ignore[attr-defined]
    assert report == {unsold.number: 0, full.number: 300, spent.number: 0, blocked.number: 300}
    assert balance(ledger_account(AccountKind.JACKPOT, "totolot")) == 600
    assert sorted(Transfer.objects.filter(kind="card_expired").values_list("key", flat=True)) == [
        f"card-expired:{full.number}",
        f"card-expired:{blocked.number}",
    ]
    assert card_liability() == {"active": 1_000, "expired": 0}
    assert long_lived.card.state == CardState.ACTIVE
    assert JournalRecord.objects.filter(act="expire_cards").count() == 2
    assert broken() == []


def test_d5_the_dated_number_can_give_the_rest_to_the_organizer() -> None:
    (card,) = bought(make_till(), days=91)
    LegalNumber.objects.create(
        name="expired_cards_to_jackpot", valid_from=clock.today(), value="0", source="Order 3 of the organizer"
    )
    forget_legal_numbers()
    go_to(card.card.expires_at)
    expire_cards()
    assert (card.money, balance(ledger_account(AccountKind.ORGANIZER))) == (0, 1_000)


def wish(placed: PlacedBet, till: Till, document: str = "Application 5") -> CashWish:
    assert till.cashier is not None
    return wish_cash(ticket=placed.bet.ticket, check_code=placed.check_code, document=document, cashier=till.cashier)


@pytest.mark.parametrize("when", ["before the result", "before it is payable"])
def test_p41_by_the_players_signed_wish_a_winning_is_paid_by_the_ticket(when: str) -> None:
    pool, till = make_pool("sportloto-variant"), make_till(10_000)
    (card,) = bought(till)
    placed = bet_by_card(pool, card, "1", 100)
    if when == "before the result":
        wish(placed, till)
    settle(pool, "1")
    book_payables(code=pool.code)
    if when != "before the result":
        assert Payable.objects.get().pay_to == card.card.ledger_account
        wish(placed, till)
    assert wish(placed, till, "Application 6").document == "Application 5"  # the first wish stands
    assert Payable.objects.get().pay_to is None
    go_to(payable_from(pool))
    assert credit_accounts(code=pool.code) == 0
    payment = pay(placed, till)
    assert (payment.method, payment.net, card.money) == (PaymentMethod.CASH, 66, 900)
    assert JournalRecord.objects.filter(act="wish_cash", subject=f"bet:{placed.bet.ticket}").count() == 1
    assert broken() == []


def test_p41_a_wish_changes_nothing_for_a_returned_stake() -> None:
    pool, till = make_pool("sportloto-variant"), make_till()
    (card,) = bought(till)
    placed = bet_by_card(pool, card, "1", 100)
    wish(placed, till)
    cancel(pool)
    book_payables(code=pool.code)
    assert credit_accounts(code=pool.code) == 1
    assert card.money == 1_000


def test_p41_a_wish_that_cannot_be_met_is_refused() -> None:
    pool, (_card, placed, till) = won_by_card()
    cash = bet_in_cash(make_pool("sportloto-variant"), till, "1", 100)
    assert refused(lambda: wish(cash, till)).code is Refusal.NOT_ALLOWED
    assert refused(lambda: wish(placed, till, " ")).field == "document"
    other = PlacedBet(placed.bet, "00000000000000", replayed=False)
    assert refused(lambda: wish(other, till)).code is Refusal.WRONG_CODE
    go_to(payable_from(pool))
    credit_accounts(code=pool.code)
    assert refused(lambda: wish(placed, till)).code is Refusal.ALREADY_PAID


def test_a_signed_wish_stays_as_it_was_written() -> None:
    pool, till = make_pool("sportloto-variant"), make_till()
    (card,) = bought(till)
    wish(bet_by_card(pool, card, "1", 100), till)
    for change in ("UPDATE payouts_cashwish SET document = ''", "DELETE FROM payouts_cashwish"):
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(change)


def test_d5_the_job_expires_what_is_due_and_its_second_run_finds_nothing() -> None:
    (card,) = bought(make_till(), days=91)
    go_to(card.card.expires_at)
    for _ in range(2):
        expire_due_cards()
    assert (card.card.state, card.money) == (CardState.EXPIRED, 0)
    assert JournalRecord.objects.filter(act="expire_cards").count() == 1
