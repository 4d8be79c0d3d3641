"""Large operations in cash: who shows no document is refused, and only a token is kept (Q1)."""

from functools import partial

import pytest
from django.db import DatabaseError, transaction

from accounts.models import (
    IdentifiedOperation,
    Person,
)
from accounts.services.card_sale import sell_card
from accounts.services.topups import top_up_in_cash
from payouts.services.booking import book_payables
from pools.models import Bet, Pool
from pools.services.coupon_files import check_file, sell_file
from pools.services.sources import from_game_account, from_till
from tests.carding import at_point
from tests.making import (
    account_of,
    bet_from_account,
    bet_in_cash,
    keep_register_fresh,
    make_player,
    make_pool,
    make_till,
    somebody,
)
from tests.paying import go_to, pay, payable_from, sell_slips
from tests.refusals import refused
from tests.settling import settle
from totalizator.core.errors import Refusal
from totalizator.core.legal import forget_legal_numbers
from totalizator.core.models import LegalNumber

pytestmark = pytest.mark.django_db
THRESHOLD = 100_000


def free_pool() -> Pool:
    """A pool in which every stake from 0.01 on is taken."""
    return make_pool("totolot-variant", terms={"price": {"min": 1, "max": 100_000_000}})


def test_q1_a_stake_in_cash_from_the_threshold_on_needs_a_document() -> None:
    pool, till = free_pool(), make_till()
    assert bet_in_cash(pool, till, "1", THRESHOLD - 1).bet.person is None
    refusal = refused(partial(bet_in_cash, pool, till, "1", THRESHOLD))
    assert (refusal.code, refusal.field, refusal.details) == (
        Refusal.IDENTITY_NEEDED,
        "person",
        {"threshold": THRESHOLD},
    )
    shown = somebody()
    assert bet_in_cash(pool, till, "1", THRESHOLD, person=shown).bet.person == shown


def test_q1_a_file_of_coupons_is_one_payment_in_cash() -> None:
    pool, till, player = free_pool(), make_till(), make_player(THRESHOLD)
    assert till.cashier is not None
    checked = check_file(pool_code=pool.code, text="1\n1\n", stake=THRESHOLD // 2)
    act = partial(sell_file, pool_code=pool.code, checked=checked, idempotency_key="f")
    assert refused(partial(act, source=from_till(till.cashier))).code is Refusal.IDENTITY_NEEDED
    assert Bet.objects.count() == 0
    assert len(act(source=from_till(till.cashier, somebody()))) == 2
    assert len(act(source=from_game_account(player))) == 2


def test_q1_a_person_without_a_number_is_not_identified() -> None:
    pool, till, player = free_pool(), make_till(), make_player(may_bet=False)
    nameless = Person.objects.get(player=player)
    refusal = refused(partial(bet_in_cash, pool, till, "1", THRESHOLD, person=nameless))
    assert refusal.code in (Refusal.IDENTITY_NEEDED, Refusal.NOT_VERIFIED)


def test_q1_a_stake_from_an_account_needs_none_at_a_desk() -> None:
    pool, player = free_pool(), make_player(THRESHOLD)
    assert bet_from_account(pool, player, "1", THRESHOLD).bet.stake == THRESHOLD


def test_q1_the_threshold_is_dated() -> None:
    pool, till = free_pool(), make_till()
    LegalNumber.objects.filter(name="aml_identify_from").update(value="500")
    forget_legal_numbers()
    assert refused(partial(bet_in_cash, pool, till, "1", 500)).code == Refusal.IDENTITY_NEEDED


def test_q1_a_payout_in_cash_from_the_threshold_on_needs_a_document_which_is_kept_as_a_token() -> None:
    LegalNumber.objects.filter(name="winning_tax_rate").update(value="0")
    till, pool = make_till(THRESHOLD), make_pool("sportloto-variant", terms={"price": {"line": 99_999}, "fund": "1"})
    winner, _loser = sell_slips(pool, till, ("1", 99_999), ("X", 99_999))
    settle(pool, "1")
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    assert refused(partial(pay, winner, till)).code == Refusal.IDENTITY_NEEDED
    shown = somebody()
    assert pay(winner, till, person=shown).handed_over == 199_998
    kept = IdentifiedOperation.objects.get()
    assert (kept.operation, kept.person, kept.noted_by) == (f"winning-paid:{winner.bet.ticket}", shown, till.cashier)
    with pytest.raises(DatabaseError), transaction.atomic():
        IdentifiedOperation.objects.all().delete()


def test_q1_a_top_up_in_cash_from_the_threshold_on_needs_a_verified_owner() -> None:
    till, unknown, known = make_till(), make_player(may_bet=False), make_player()
    assert till.cashier is not None
    act = partial(top_up_in_cash, amount=THRESHOLD, cashier=till.cashier, idempotency_key="k")
    assert refused(partial(act, account=account_of(unknown))).code in (Refusal.IDENTITY_NEEDED, Refusal.REGISTER_STALE)
    assert act(account=account_of(known)).amount == THRESHOLD


def test_q1_a_card_of_a_large_value_needs_a_document() -> None:
    till = make_till()
    (card,) = at_point(till, 1, THRESHOLD)
    assert till.cashier is not None
    act = partial(sell_card, series=card.series, number=card.number, cashier=till.cashier, idempotency_key="k")
    assert refused(act).code == Refusal.IDENTITY_NEEDED
    shown = somebody()
    keep_register_fresh()
    act(person=shown)
    kept = IdentifiedOperation.objects.get()
    assert (kept.operation, kept.person) == (f"card-sold:{card.number}", shown)
