"""A player is told before pressing what would be refused, and where to go on; never a bare code (P1, E1, ¶45)."""

import re
from collections.abc import Callable
from datetime import timedelta
from html import unescape

import pytest
from django.test import Client
from django.utils import translation

from accounts.ledger.balances import balance
from accounts.models import LimitKind, LimitPeriod, User
from accounts.services.exclusion import cool_off
from accounts.services.limits import set_limit
from accounts.services.persons import person_of
from payouts.models import Payable, PayableKind, PayableState
from payouts.services.booking import book_payables
from payouts.services.crediting import credit_accounts
from pools.models import Bet
from tests.functional.browsing import text_of, visitor
from tests.making import account_of, admit, bet_from_account, make_player, make_pool, make_till
from tests.paying import go_to, payable_from
from tests.settling import settle

pytestmark = pytest.mark.django_db
COUPON = {"mark-1": ["1"], "mark-2": ["X"], "mark-3": ["2"]}
PASSWORD = "correct horse battery"


def limited(player: User) -> None:
    set_limit(person=person_of(player), kind=LimitKind.STAKE, period=LimitPeriod.DAY, amount=50, actor=player.actor)


def excluded(player: User) -> None:
    cool_off(person=person_of(player), days=7, actor=player.actor)


def as_is(_player: User) -> None:
    """Nobody has seen the player's document."""


@pytest.mark.parametrize(
    ("hindered", "may_bet", "said", "way"),
    [
        (as_is, False, "Bets are taken only from who has shown a document, once.", "/my/identity/"),
        (excluded, True, "Play is excluded until", "/my/exclusion/"),
        (limited, True, "limit", "/my/limits/"),
    ],
    ids=["unverified", "excluded", "limited"],
)
def test_p1_who_may_not_bet_is_told_so_and_where_to_go_before_there_is_a_button(
    hindered: Callable[[User], None], may_bet: bool, said: str, way: str
) -> None:
    pool, player = make_pool(), make_player(1_000, may_bet=may_bet)
    hindered(player)
    client = visitor(player)
    page = client.post(f"/pools/{pool.code}/coupon/", COUPON)
    written = page.content.decode()
    refused = written[written.index('id="refused"') :].split("</div>")[0]
    assert said in text_of(page)
    assert f'href="{way}"' in refused
    assert f"/pools/{pool.code}/pay/" not in written
    assert "Change the coupon" in written  # the marks are not lost
    # The page foresaw what paying answers, by the same gates.
    form = {"selections": "1;X;2", "stake": "1.00", "token": "a token that is long enough"}
    answer = client.post(f"/pools/{pool.code}/pay/", form)
    assert page.context["problem"]["detail"] == answer.context["problem"]["detail"]
    assert answer.context["problem"]["code"] == page.context["problem"]["code"]
    assert f'href="{way}"' in answer.content.decode()
    assert "<code>" not in answer.content.decode()
    assert (Bet.objects.count(), balance(account_of(player).ledger_account)) == (0, 1_000)


def test_who_may_bet_finds_the_button_and_nothing_is_held_or_written_by_looking() -> None:
    pool, player = make_pool(), make_player(1_000)
    client = visitor(player)
    page = client.post(f"/pools/{pool.code}/coupon/", COUPON)
    assert page.context["problem"] is None
    assert f'action="/pools/{pool.code}/pay/"' in page.content.decode()
    assert Bet.objects.count() == 0
    assert 'id="refused"' not in page.content.decode()


def test_a_refusal_names_its_code_to_staff_only() -> None:
    pool, till = make_pool(), make_till(1_000)
    form = {"selections": "1;X;9", "stake": "1.00", "token": "a token that is long enough"}
    seller = visitor(till.cashier).post(f"/pools/{pool.code}/pay/", form)
    assert "<code>bad_selection</code>" in seller.content.decode()
    player = visitor(make_player(1_000)).post(f"/pools/{pool.code}/pay/", form)
    assert player.status_code == seller.status_code == 400
    assert "bad_selection" not in player.content.decode()
    assert player.context["problem"]["detail"] in unescape(text_of(player))
    assert Bet.objects.count() == 0


def test_signing_up_leads_on_to_the_document_and_says_log_in_name() -> None:
    make_pool()
    client = visitor()
    assert "Log-in name" in text_of(client.get("/account/signup/"))
    assert "Log-in name" in text_of(client.get("/account/login/"))
    told = {"username": "newcomer", "email": "new@example.org", "password1": PASSWORD, "password2": PASSWORD}
    answer = client.post("/account/signup/", told | {"of_age": "on", "consent": "on"}, follow=True)
    assert 'Bets are taken only from who has shown a document, once. <a href="/my/identity/">' in (
        answer.content.decode()
    )
    assert "say who you are under My page, Identity" in text_of(visitor().get("/account/confirm-email/"))
    wrong = visitor().post("/account/login/", {"login": "newcomer", "password": "wrong"})
    assert "Log-in name and password do not belong together." in text_of(wrong)
    for page in (client.get("/account/signup/"), wrong):
        assert "sername " not in text_of(page)
    newcomer = User.objects.get(username="newcomer")
    admit(newcomer)
    again = visitor()
    page = again.post("/account/login/", {"login": "newcomer", "password": PASSWORD}, follow=True)
    assert "shown a document" not in text_of(page)


def test_what_guards_the_log_in_leads_back_to_security() -> None:
    client = Client(headers={"accept-language": "en"})
    player = make_player()
    client.post("/account/login/", {"login": player.username, "password": PASSWORD})
    client.post("/account/reauthenticate/", {"password": PASSWORD})
    for address in ("2fa/", "2fa/totp/activate/", "2fa/webauthn/", "2fa/webauthn/add/", "sessions/", "email/"):
        assert '<a href="/my/security/">' in client.get(f"/account/{address}").content.decode(), address
    assert '<a href="/my/security/">' in client.get("/account/password/change/").content.decode()
    cashier = visitor(make_till().cashier)
    assert '<a href="/my/security/">' not in cashier.get("/account/password/change/").content.decode()


def test_p45_a_paid_bet_offers_its_coupon_where_it_can_be_played_and_its_dispute_says_what_stays_paid() -> None:
    pool, player = make_pool(), make_player(1_000)
    ticket = bet_from_account(pool, player, "1;1;2", 100).bet.ticket
    client, here = visitor(player), f"/my/bets/{ticket}/"
    assert f"/pools/{pool.code}/?coupon=" in client.get(here).context["coupon_address"]
    open_case = client.post("/my/disputes/", {"ticket": ticket, "story": "Not my coupon."}, follow=True)
    assert "nothing is paid on the ticket meanwhile" in text_of(open_case)
    other = bet_from_account(pool, player, "1;1;2", 100).bet.ticket
    settle(pool, "1;1;2")
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    credit_accounts(code=pool.code)
    client = visitor(player)
    page = client.get(f"/my/bets/{other}/")
    assert page.context["coupon_address"] == ""
    assert 'id="coupon_address"' not in page.content.decode()
    later = make_pool(lasts=timedelta(hours=3))
    client = visitor(player)
    assert f"/pools/{later.code}/?coupon=" in client.get(f"/my/bets/{other}/").context["coupon_address"]
    assert set(Payable.objects.filter(ticket=other).values_list("state", flat=True)) == {PayableState.PAID}
    case = client.post("/my/disputes/", {"ticket": other, "story": "It is too little."}, follow=True)
    assert "what was paid on the ticket stays paid" in text_of(case)
    assert "nothing is paid" not in text_of(case)


def test_amounts_say_their_currency_and_states_agree_with_what_they_are_said_of() -> None:
    client = visitor(make_player(1_000))
    assert re.search(r"At most, BYN", text_of(client.get("/my/limits/")))
    assert "Amount, BYN" in text_of(client.get("/my/top-ups/"))
    for kind in PayableKind:
        for state in PayableState:
            payable = Payable(kind=kind, state=state)
            with translation.override("en"):
                assert str(payable.state_said) == str(PayableState(state).label)
