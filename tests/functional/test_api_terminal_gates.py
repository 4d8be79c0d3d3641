"""Whatever a terminal asks for, a terminal's gates stand before it: its link, its certificate, its till's shift."""

from functools import partial
from typing import Any

import pytest

from accounts.models import Terminal, Till
from accounts.services.exclusion import cool_off
from payouts.models import Payment
from payouts.services.booking import book_payables
from payouts.services.cash import pay_in_cash
from pools.models import Bet, Pool
from tests.carding import Bought, at_point, bought
from tests.desks import cash_in, end_shift, make_terminal
from tests.functional.calling import Caller, told
from tests.making import keep_register_fresh, make_player, make_pool, make_till, somebody
from tests.paying import go_to, payable_from, sell_slips
from tests.refusals import refused
from tests.settling import settle
from totalizator.core.errors import Refusal

pytestmark = pytest.mark.django_db
THRESHOLD = 100_000


def bet_by_card(caller: Caller, pool: Pool, card: Bought) -> Any:
    body = {"selections": "1;X;2", "stake": "1.00"}
    return caller.post(
        f"pools/{pool.code}/card-bets",
        body | {"card": {"series": card.series, "number": card.number, "code": card.code}},
    )


def test_a_bet_by_card_at_a_terminal_asks_for_the_terminals_link_and_certificate() -> None:
    pool, till = make_pool(), make_till()
    (card,) = bought(till)
    new = Caller(make_terminal(till, ready=False))
    assert told(bet_by_card(new, pool, card)) == (409, "not_certified")
    ready = make_terminal(till)
    Terminal.objects.filter(pk=ready.terminal.pk).update(seen_at=None)
    assert told(bet_by_card(Caller(ready), pool, card)) == (409, "link_lost")
    assert (Bet.objects.count(), card.money) == (0, 1_000)
    assert bet_by_card(Caller(make_terminal(till)), pool, card).status_code == 201


def test_a_bet_by_card_at_a_terminal_without_a_cashier_is_no_bet_of_anybodys() -> None:
    pool, till = make_pool(), make_till()
    (card,) = bought(till)
    caller = Caller(make_terminal(till))
    end_shift(till)
    Till.objects.filter(pk=till.pk).update(cashier=None)
    assert told(bet_by_card(caller, pool, card)) == (403, "switched_off")
    assert (Bet.objects.count(), card.money) == (0, 1_000)


def test_a_terminal_out_of_touch_sells_no_card_and_takes_no_cash_onto_an_account() -> None:
    till, player = make_till(), make_player()
    (card,) = at_point(till)
    caller = Caller(make_terminal(till, ready=False))
    sale = {"series": card.series, "number": card.number}
    top_up = {"username": player.username, "amount": "5.00"}
    assert told(caller.post("cards/sales", sale)) == (409, "not_certified")
    assert told(caller.post("till/top-ups", top_up)) == (409, "not_certified")
    assert cash_in(till) == 0
    ready = Caller(make_terminal(till))
    assert ready.post("cards/sales", sale).status_code == 201
    assert ready.post("till/top-ups", top_up).status_code == 201
    assert cash_in(till) == 1_500


def test_a_terminal_that_was_switched_off_meanwhile_pays_nothing() -> None:
    pool, till = make_pool("sportloto-variant"), make_till(10_000)
    winner, _loser = sell_slips(pool, till, ("1", 100), ("X", 100))
    settle(pool, "1")
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    terminal = make_terminal(till).terminal
    Terminal.objects.filter(pk=terminal.pk).update(enabled=False)
    assert till.cashier is not None
    act = partial(
        pay_in_cash,
        ticket=winner.bet.ticket,
        check_code=winner.check_code,
        cashier=till.cashier,
        idempotency_key="k",
    )
    assert refused(partial(act, terminal=terminal)).code is Refusal.SWITCHED_OFF
    assert Payment.objects.count() == 0
    assert act().ticket == winner.bet.ticket


def test_q1_a_card_of_a_large_value_is_sold_over_the_api_to_who_shows_a_document() -> None:
    till = make_till()
    keep_register_fresh()
    (card,) = at_point(till, 1, THRESHOLD)
    caller, sale = Caller(till.cashier), {"series": card.series, "number": card.number}
    assert told(caller.post("cards/sales", sale)) == (403, "identity_needed")
    shown = {"identity_number": "DESK000001", "birth_date": "1990-05-31"}
    assert caller.post("cards/sales", sale | {"person": shown}).status_code == 201


def test_p2_no_card_is_sold_to_a_known_person_who_stays_away_from_play() -> None:
    till = make_till()
    keep_register_fresh()
    (card,) = at_point(till)
    cool_off(person=somebody(), days=7, actor="test")
    shown = {"identity_number": "DESK000001", "birth_date": "1990-05-31"}
    sale = {"series": card.series, "number": card.number, "person": shown}
    assert told(Caller(till.cashier).post("cards/sales", sale)) == (403, "may_not_play")
    assert cash_in(till) == 0
