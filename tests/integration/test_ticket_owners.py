"""Tickets bound to a game account, and what they win credited there by the player's wish (X10, ¶41)."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from accounts.ledger.kinds import AccountKind
from accounts.models import GameAccount
from payouts import tasks
from payouts.models import CreditWish, Payable, Payment, TicketOwner
from payouts.services.booking import book_payables
from payouts.services.cash_wishes import wish_cash
from payouts.services.crediting import credit_accounts
from payouts.services.phone_binding import ask_for_code
from payouts.services.ticket_owners import bind_to_account, sign_credit_wish
from pools.models import Pool
from pools.services.betting import PlacedBet
from tests.carding import bet_by_card, bought
from tests.claiming import claimed, decided, won
from tests.functional.browsing import visitor
from tests.functional.calling import JSON, Caller, told
from tests.making import account_of, bet_from_account, make_player, make_pool, make_till
from tests.noticing import PHONE, bind, fake_gateway, last_code
from tests.paying import broken, go_to, money_of, pay, payable_from, payable_until, sell_slips
from tests.refusals import refused
from tests.settling import owed, settle
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.legal import forget_legal_numbers
from totalizator.core.models import JournalRecord, LegalNumber

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _gateway(settings: Any) -> Iterator[None]:
    with fake_gateway(settings):
        yield


def own(account: GameAccount, slip: PlacedBet) -> TicketOwner:
    """Bind the slip by its check code."""
    return bind_to_account(account=account, ticket=slip.bet.ticket, check_code=slip.check_code)


def wish(account: GameAccount, *, wanted: bool = True) -> CreditWish:
    return sign_credit_wish(account=account, wanted=wanted, stepped_up=True)


def goes_to(pool: Pool, slip: PlacedBet) -> str:
    """The kind of account that the slip's winning goes to; empty for cash."""
    pay_to = Payable.objects.get(pool=pool, ticket=slip.bet.ticket).pay_to
    return pay_to.kind if pay_to is not None else ""


def test_x10_what_a_bound_ticket_wins_is_credited_by_the_job_once_and_no_till_pays_it() -> None:
    till, player = make_till(1_000), make_player()
    account, pool = account_of(player), make_pool("sportloto-variant")
    mine, other = sell_slips(pool, till, ("1", 100), ("1", 100))
    wish(account)
    assert own(account, mine) == own(account, mine)
    settle(pool, "1")
    book_payables(code=pool.code)
    assert (goes_to(pool, mine), goes_to(pool, other)) == (AccountKind.GAME_ACCOUNT, "")
    go_to(payable_from(pool))
    assert refused(partial(pay, mine, till)).code == Refusal.NOT_ALLOWED
    for _time in range(2):
        tasks.credit_due_accounts()
    assert (money_of(player), Payment.objects.count()) == (66, 1)
    assert refused(partial(pay, mine, till, "again")).code == Refusal.ALREADY_PAID
    assert pay(other, till).net == 66
    assert owed(AccountKind.WINNINGS_DUE, pool) == 0
    assert broken() == []


def test_a_wish_turns_what_is_not_paid_yet_and_taken_back_it_waits_at_desks_again() -> None:
    till, player = make_till(1_000), make_player()
    account = account_of(player)
    pool, slip = won(till)
    own(account, slip)
    assert goes_to(pool, slip) == ""
    wish(account)
    wish(account)
    assert (goes_to(pool, slip), CreditWish.objects.count()) == (AccountKind.GAME_ACCOUNT, 1)
    wish(account, wanted=False)
    assert goes_to(pool, slip) == ""
    go_to(payable_from(pool))
    assert (credit_accounts(code=pool.code), pay(slip, till).net) == (0, 66)
    wish(account)
    assert (goes_to(pool, slip), money_of(player)) == ("", 0)
    turned = JournalRecord.objects.filter(act="credit_by_wish").order_by("pk")
    assert [(row.after or {})["pay_to"] is None for row in turned] == [False, True]
    assert broken() == []


def test_a_bet_by_card_goes_to_the_account_instead_and_back_to_the_card() -> None:
    till, player = make_till(), make_player()
    (card,) = bought(till)
    pool, account = make_pool("sportloto-variant"), account_of(player)
    slip = bet_by_card(pool, card, "1", 100)
    bet_from_account(pool, make_player(100), "1", 100)
    own(account, slip)
    wish(account)
    assert till.cashier is not None
    cash = partial(
        wish_cash, ticket=slip.bet.ticket, check_code=slip.check_code, document="Paper 1", cashier=till.cashier
    )
    assert refused(cash).code == Refusal.NOT_ALLOWED
    settle(pool, "1")
    book_payables(code=pool.code)
    assert goes_to(pool, slip) == AccountKind.GAME_ACCOUNT
    wish(account, wanted=False)
    assert goes_to(pool, slip) == AccountKind.PREPAID_CARD
    wish(account)
    go_to(payable_from(pool))
    credit_accounts(code=pool.code)
    assert (money_of(player), card.money) == (66, 900)


def test_a_ticket_is_bound_once_by_who_holds_it_and_nothing_else_is() -> None:
    till, player, other = make_till(1_000), make_player(1_000), make_player()
    account = account_of(player)
    pool, slip = won(till)
    wrong = partial(bind_to_account, account=account, ticket=slip.bet.ticket, check_code="AAAAAAAAAAAAAA")
    assert refused(wrong).code == Refusal.WRONG_CODE
    unknown = account_of(make_player(may_bet=False))
    assert refused(partial(own, unknown, slip)).code == Refusal.NOT_VERIFIED
    claim = claimed(slip, till)
    assert refused(partial(own, account, slip)).code == Refusal.TICKET_HELD
    decided(claim, grant=False)
    own(account, slip)
    assert refused(partial(own, account_of(other), slip)).code == Refusal.WRONG_STATE
    unsigned = partial(sign_credit_wish, account=account, wanted=True, stepped_up=False)
    assert refused(unsigned).code == Refusal.STEP_UP_NEEDED
    open_pool = make_pool()
    from_account = bet_from_account(open_pool, player, "1;1;1", 100)
    assert refused(partial(own, account, from_account)).code == Refusal.NOT_ALLOWED
    pool, paid = won(till)
    _second, late = won(till)
    go_to(payable_from(pool))
    pay(paid, till)
    assert refused(partial(own, account, paid)).code == Refusal.WRONG_STATE
    go_to(payable_until(_second))
    assert refused(partial(own, account, late)).code == Refusal.WRONG_STATE


def test_a_large_winning_goes_to_an_account_only_if_it_was_bound_before_anybody_knew() -> None:
    LegalNumber.objects.create(name="large_winning_from", valid_from=clock.today(), value="70", source="A test's")
    forget_legal_numbers()
    till, player, pool = make_till(), make_player(), make_pool("sportloto-variant")
    early, late = sell_slips(pool, till, ("1", 100), ("1", 100))
    account = account_of(player)
    wish(account)
    own(account, early)
    settle(pool, "1")
    book_payables(code=pool.code)
    assert refused(partial(own, account, late)).code == Refusal.CENTRAL_DESK_ONLY
    assert (goes_to(pool, early), goes_to(pool, late)) == (AccountKind.GAME_ACCOUNT, "")


def test_a_ticket_claimed_as_lost_goes_nowhere_before_that_is_decided() -> None:
    till, player, pool = make_till(1_000), make_player(), make_pool("sportloto-variant")
    (slip, _other) = sell_slips(pool, till, ("1", 100), ("1", 100))
    account = account_of(player)
    own(account, slip)
    claim = claimed(slip, till)
    wish(account)
    settle(pool, "1")
    book_payables(code=pool.code)
    assert goes_to(pool, slip) == ""
    decided(claim, grant=False)
    wish(account, wanted=False)
    wish(account)
    assert goes_to(pool, slip) == AccountKind.GAME_ACCOUNT
    assert refused(partial(claimed, slip, till, "CLAIM00002")).code == Refusal.NOT_ALLOWED


def test_a_ticket_bound_to_a_phone_needs_a_code_of_that_phone_which_is_enough() -> None:
    till, player = make_till(1_000), make_player()
    account = account_of(player)
    _pool, slip = won(till)
    bind(slip, tell=False)
    assert refused(partial(own, account, slip)).code == Refusal.PHONE_CODE_NEEDED
    ask_for_code(ticket=slip.bet.ticket, phone=PHONE)
    code = last_code()
    by_phone = partial(bind_to_account, account=account, ticket=slip.bet.ticket, phone_code=code)
    assert refused(partial(by_phone, phone="+375297654321")).code == Refusal.PHONE_CODE_NEEDED
    assert by_phone(phone=PHONE).by_phone
    assert refused(partial(by_phone, phone=PHONE)).code == Refusal.PHONE_CODE_NEEDED  # it is used up


def test_over_the_api_a_browser_signs_after_the_password_and_a_token_never() -> None:
    player, till = make_player(), make_till()
    pool, slip = won(till)
    caller, browser = Caller(player), visitor(player)
    body = {"ticket": slip.bet.ticket, "check_code": slip.check_code}
    assert told(Caller(till.cashier).post("me/tickets", body, key=None)) == (403, "not_allowed")
    bound = caller.post("me/tickets", body, key=None)
    assert (bound.status_code, bound.json()["by_phone"]) == (201, False)
    (listed,) = caller.get("me/tickets").json()["tickets"]
    assert (listed["ticket"], listed["pool"]) == (slip.bet.ticket, pool.code)
    assert Caller(make_player()).get("me/tickets").json()["tickets"] == []
    assert told(caller.post("me/credit-wish", {"wanted": True}, key=None)) == (403, "step_up_needed")
    path = "/api/v1/me/credit-wish"
    assert told(browser.post(path, {"wanted": True}, content_type=JSON)) == (403, "step_up_needed")
    browser.post("/account/reauthenticate/", {"password": "correct horse battery"})
    assert browser.post(path, {"wanted": True}, content_type=JSON).json() == {"wanted": True}
    assert caller.get("me/credit-wish").json() == {"wanted": True}
    assert goes_to(pool, slip) == AccountKind.GAME_ACCOUNT
