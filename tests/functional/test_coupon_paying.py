"""Paying for a coupon: back button, two tabs, a log-in that ends, a pool that closes meanwhile, a card (C36)."""

from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from accounts.ledger.balances import balance
from accounts.models import User
from pools.models import Bet, Channel, Pool
from pools.services.closing import close_pool
from tests.carding import Bought, bought
from tests.functional.browsing import hidden, text_of, visitor
from tests.functional.test_coupon import checked
from tests.making import account_of, make_organizers, make_player, make_pool, make_till
from totalizator.core import clock

pytestmark = pytest.mark.django_db
MARKS = {"mark-1": ["1"], "mark-2": ["X"], "mark-3": ["1", "2"]}


def read_back(client: Client, pool: Pool, **posted: Any) -> Any:
    return client.post(f"/pools/{pool.code}/coupon/", posted or MARKS)


def payment(answer: Any) -> dict[str, str]:
    return {name: hidden(answer, name) for name in ("selections", "stake", "token")}


def pay(client: Client, pool: Pool, form: dict[str, str], card: Bought | None = None) -> Any:
    if card is not None:
        form = form | {"series": card.series, "number": card.number, "code": card.code, "by_card": "1"}
    return client.post(f"/pools/{pool.code}/pay/", form)


def money_of(player: User) -> int:
    return balance(account_of(player).ledger_account)


def close(pool: Pool) -> None:
    organizer, _other = make_organizers()
    close_pool(code=pool.code, actor=organizer.actor, early_by=organizer)


def log_in(player: User, client: Client, address: str) -> Any:
    """Log in on the page that a refused act led to, and follow to where that leads back."""
    form = {"login": player.username, "password": "correct horse battery", "next": address}
    answer = client.post("/account/login/", form)
    assert (answer.status_code, answer["Location"]) == (302, address)
    return client.get(answer["Location"])


def next_of(answer: Any) -> str:
    """Where the log-in page that an answer leads to goes on."""
    assert answer.status_code == 302
    parts = urlsplit(answer["Location"])
    assert parts.path == "/account/login/"
    return str(parse_qs(parts.query)["next"][0])


def test_c36_two_tabs_and_the_back_button_pay_the_same_form_once() -> None:
    pool, player = make_pool(), make_player(1_000)
    tab, other_tab = visitor(player), visitor(player)
    form = payment(read_back(tab, pool))
    first = pay(tab, pool, form)
    again = pay(other_tab, pool, form)  # as after Back, a reload, or a second tab of the same page
    ticket = Bet.objects.get().ticket
    assert (first.status_code, again.status_code) == (201, 200)
    assert text_of(first).count(ticket) == text_of(again).count(ticket) > 0
    assert "The bet is registered" in text_of(first)
    assert "This bet was registered before" in text_of(again)
    assert money_of(player) == 800


def test_two_tabs_that_read_two_coupons_back_pay_for_both() -> None:
    pool, player = make_pool(), make_player(1_000)
    client = visitor(player)
    forms = [payment(read_back(client, pool)) for _tab in range(2)]
    assert forms[0]["token"] != forms[1]["token"]
    assert [pay(client, pool, form).status_code for form in forms] == [201, 201]
    assert money_of(player) == 600


def test_a_pool_that_closes_while_paying_says_that_nothing_was_taken() -> None:
    pool, player = make_pool(lasts=timedelta(minutes=5)), make_player(1_000)
    client = visitor(player)
    form = payment(read_back(client, pool))
    clock.move_clock(pool.closes_at - clock.now() + timedelta(seconds=1))
    answer = pay(client, pool, form)
    text = text_of(answer)
    assert answer.status_code == 409
    assert "The bet was not made Nothing was changed and no money was taken." in text
    assert "The pool is closed: bets are no longer taken." in text
    assert "Back to the coupon" not in text
    assert (Bet.objects.count(), money_of(player)) == (0, 1_000)
    assert pay(client, pool, form).status_code == 409  # and the same when it is sent once more
    assert (Bet.objects.count(), money_of(player)) == (0, 1_000)


def test_c36_a_bet_whose_answer_was_lost_stands_after_the_pool_has_closed() -> None:
    pool, player = make_pool(), make_player(1_000)
    client = visitor(player)
    form = payment(read_back(client, pool))
    pay(client, pool, form)
    close(pool)
    again = pay(client, pool, form)
    assert again.status_code == 200
    assert "This bet was registered before" in text_of(again)
    assert Bet.objects.get().ticket in text_of(again)
    assert money_of(player) == 800


def test_a_coupon_is_not_read_back_for_a_pool_that_takes_no_bets() -> None:
    pool, player = make_pool(), make_player(1_000)
    client = visitor(player)
    close(pool)
    answer = read_back(client, pool)
    assert answer.status_code == 409
    assert "The coupon was not taken The pool takes no bets now. Nothing was paid." in text_of(answer)
    assert 'name="token"' not in answer.content.decode()


def test_a_log_in_that_ends_while_marking_keeps_the_coupon() -> None:
    pool, player = make_pool(), make_player(1_000)
    client = visitor(player)
    client.get(f"/pools/{pool.code}/")
    clock.move_clock(timedelta(hours=13))
    address = next_of(client.post(f"/pools/{pool.code}/coupon/", {"mark-1": ["1"], "mark-3": ["2", "1"]}))
    answer = log_in(player, client, address)
    assert checked(answer) == [("mark-1", "1"), ("mark-3", "1"), ("mark-3", "2")]
    assert "The coupon is marked. Nothing has been paid for it." in text_of(answer)
    assert (Bet.objects.count(), money_of(player)) == (0, 1_000)


def test_a_stake_of_ones_own_is_kept_too() -> None:
    pool, player = make_pool("totolot-position"), make_player(10_000)
    client = visitor()
    answer = log_in(player, client, next_of(read_back(client, pool, **MARKS, stake="12.50")))
    assert 'name="stake" inputmode="decimal" value="12.50"' in answer.content.decode()
    assert len(checked(answer)) == 4


def test_a_log_in_that_ends_before_paying_leads_back_to_the_same_form() -> None:
    pool, player = make_pool(), make_player(1_000)
    client = visitor(player)
    form = payment(read_back(client, pool))
    clock.move_clock(timedelta(hours=13))
    answer = log_in(player, client, next_of(pay(client, pool, form)))
    assert payment(answer) == form
    assert "Nothing is paid yet." in text_of(answer)
    assert (Bet.objects.count(), money_of(player)) == (0, 1_000)
    assert pay(client, pool, payment(answer)).status_code == 201
    assert money_of(player) == 800


def test_c36_a_log_in_that_ends_after_paying_shows_that_the_bet_stands() -> None:
    pool, player = make_pool(), make_player(1_000)
    client = visitor(player)
    form = payment(read_back(client, pool))
    pay(client, pool, form)  # its answer is lost
    close(pool)
    clock.move_clock(timedelta(hours=13))
    answer = log_in(player, client, next_of(pay(client, pool, form)))
    assert "This bet was registered before" in text_of(answer)
    assert Bet.objects.get().ticket in text_of(answer)
    assert money_of(player) == 800


def test_c36_after_a_log_in_that_ended_the_account_does_not_pay_what_a_card_has_paid() -> None:
    pool, player = make_pool(lasts=timedelta(days=2)), make_player(1_000)
    (card,) = bought(make_till(10_000))
    client = visitor(player)
    form = payment(read_back(client, pool))
    pay(client, pool, form, card)  # its answer is lost
    clock.move_clock(timedelta(hours=13))
    answer = log_in(player, client, next_of(pay(client, pool, form)))
    assert (answer.status_code, "that bet stands" in text_of(answer)) == (409, True)
    assert pay(client, pool, form).status_code == 409
    assert (Bet.objects.count(), money_of(player), card.money) == (1, 1_000, 800)


def test_another_player_with_the_same_form_is_shown_nothing_of_it() -> None:
    pool, player, other = make_pool(), make_player(1_000), make_player(1_000)
    form = payment(read_back(visitor(player), pool))
    pay(visitor(player), pool, form)
    answer = visitor(other).get(f"/pools/{pool.code}/coupon/", form)
    assert Bet.objects.get().ticket not in text_of(answer)
    assert "Nothing is paid yet." in text_of(answer)


def test_a_prepaid_card_pays_and_its_ticket_is_printed() -> None:
    pool, player, till = make_pool(), make_player(), make_till(10_000)
    (card,) = bought(till)
    client = visitor(player)
    form = payment(read_back(client, pool))
    sold = pay(client, pool, form, card)
    bet = Bet.objects.get()
    assert (sold.status_code, bet.channel, bet.stake, card.money) == (201, Channel.CARD, 200, 800)
    assert "A winning is credited to the prepaid card that paid." in text_of(sold)
    assert card.code not in sold.content.decode()
    pdf = client.post(f"/pools/{pool.code}/ticket.pdf", {"held": hidden(sold, "held")})
    assert (pdf.status_code, pdf["Content-Type"], pdf.content[:5]) == (200, "application/pdf", b"%PDF-")
    forged = client.post(f"/pools/{pool.code}/ticket.pdf", {"held": hidden(sold, "held") + "x"})
    assert forged.status_code == 404
    again = pay(client, pool, form, card)
    assert (again.status_code, Bet.objects.count(), card.money) == (200, 1, 800)


def test_c36_one_form_is_not_paid_by_card_and_then_from_the_account() -> None:
    pool, player, till = make_pool(), make_player(1_000), make_till(10_000)
    (card,) = bought(till)
    client = visitor(player)
    form = payment(read_back(client, pool))
    pay(client, pool, form, card)
    refused = pay(client, pool, form)
    assert refused.status_code == 409
    assert "This form has paid for a bet already; that bet stands." in text_of(refused)
    assert (Bet.objects.count(), money_of(player), card.money) == (1, 1_000, 800)
    other = payment(read_back(client, pool))
    pay(client, pool, other)
    assert pay(client, pool, other, card).status_code == 409
    assert pay(client, pool, form, card).status_code == 200  # the card's own form is answered once more
    assert (Bet.objects.count(), money_of(player), card.money) == (2, 800, 800)


def test_a_card_that_does_not_pay_is_told_beside_its_fields_and_takes_nothing() -> None:
    pool, player, till = make_pool(), make_player(1_000), make_till(10_000)
    (card,) = bought(till)
    client = visitor(player)
    form = payment(read_back(client, pool))
    wrong = Bought(card.series, card.number, "ABCDE-ABCDE-ABCDE")
    refused = pay(client, pool, form, wrong)
    assert refused.status_code == 400
    assert "There is no usable card with this series, number and activation code." in text_of(refused)
    assert payment(refused) == form
    assert f'value="{card.number}"' in refused.content.decode()
    missing = client.post(f"/pools/{pool.code}/pay/", form | {"series": card.series, "by_card": "1"})
    assert missing.status_code == 400
    assert text_of(missing).count("This field is required.") == 2
    assert (Bet.objects.count(), money_of(player), card.money) == (0, 1_000, 1_000)
    assert pay(client, pool, form, card).status_code == 201


def test_the_receipt_has_a_qr_code_a_pdf_two_addresses_and_a_proof() -> None:
    pool, player = make_pool(), make_player(1_000)
    client = visitor(player)
    page = pay(client, pool, payment(read_back(client, pool)))
    text, bet = page.content.decode(), Bet.objects.get()
    assert '<img class="qr" src="data:image/svg+xml' in text
    assert f"/t/{bet.ticket}/" in text
    assert f"/pools/{pool.code}/?coupon=1%3BX%3B1%2B2" in text
    code = hidden(page, "check_code")
    proof = client.post(f"/t/{bet.ticket}/", {"check_code": code})
    assert (proof.status_code, "Its proof" in text_of(proof)) == (200, True)
    assert code not in text.split('id="ticket_address"')[1].split(">")[0]


def test_a_log_in_in_another_tab_costs_neither_the_price_nor_the_coupon() -> None:
    pool, player = make_pool(), make_player(1_000)
    client = Client(enforce_csrf_checks=True, headers={"accept-language": "en"})
    client.force_login(player)
    stale = MARKS | {"csrfmiddlewaretoken": "of-before-the-log-in"}
    assert "BYN 2.00 2 lines" in text_of(client.post(f"/pools/{pool.code}/quote/", stale))
    answer = client.post(f"/pools/{pool.code}/coupon/", stale)
    form = payment(answer)
    refused = client.post(f"/pools/{pool.code}/pay/", form | {"csrfmiddlewaretoken": "of-before-the-log-in"})
    assert (refused.status_code, Bet.objects.count(), money_of(player)) == (403, 0, 1_000)
    fresh = hidden(answer, "csrfmiddlewaretoken")
    assert client.post(f"/pools/{pool.code}/pay/", form | {"csrfmiddlewaretoken": fresh}).status_code == 201
    assert money_of(player) == 800


def test_who_cannot_pay_is_led_to_where_that_is_put_right() -> None:
    pool, poor, unseen = make_pool(), make_player(), make_player(1_000, may_bet=False)
    to_identity, to_top_ups = 'href="/my/identity/"', 'href="/my/top-ups/"'
    page = read_back(visitor(poor), pool).content.decode()
    assert (page.count(to_top_ups), 'class="large whole"' in page) == (1, False)
    client = visitor(unseen)
    foreseen = read_back(client, pool).content.decode()
    assert (foreseen.count(to_identity), 'class="large whole"' in foreseen) == (1, False)
    refused = pay(client, pool, {"selections": "1;X;1+2", "stake": "2.00", "token": "a token of another page's form"})
    assert (refused.status_code, refused.content.decode().count(to_identity)) == (403, 1)
    assert [visitor(one).get("/my/").content.decode().count(to_identity) for one in (poor, unseen)] == [1, 2]
    assert (Bet.objects.count(), money_of(unseen)) == (0, 1_000)
