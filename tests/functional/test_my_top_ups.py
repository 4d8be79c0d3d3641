"""A player's pages of money onto the account: a payment system, a prepaid card, what came (¶35, C36)."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.utils import translation

from accounts.models import Currency, LimitKind, LimitPeriod, ProviderDeposit, TopUp
from accounts.services.exclusion import cool_off
from accounts.services.limits import set_limit
from accounts.services.persons import person_of
from tests.carding import bought
from tests.fakes.provider import DEBIT_CARD, FakeProvider, running, settings_of
from tests.functional.browsing import hidden, text_of, visitor
from tests.functional.page_policy import refused
from tests.making import make_player, make_till
from tests.paying import broken, money_of
from tests.topping_up import hear, make_rate

pytestmark = pytest.mark.django_db
HERE = "/my/top-ups/"


@pytest.fixture
def provider(settings: Any) -> Iterator[FakeProvider]:
    with running() as fake:
        settings.PAYMENT_PROVIDERS = settings_of(fake)
        settings.PAYMENT_PROVIDERS["fake"]["title"] = "ЕРИП"
        yield fake


def wish(token: str, amount: str = "20", currency: str = "BYN") -> dict[str, str]:
    return {"provider": "fake", "currency": currency, "amount": amount, "token": token}


def test_c36_money_is_paid_at_the_payment_system_once_however_often_the_form_is_sent(provider: FakeProvider) -> None:
    player = make_player()
    client, other = visitor(player), visitor(make_player())
    page = client.get(HERE)
    assert ("No money has come onto this account yet." in text_of(page), "ЕРИП" in text_of(page)) == (True, False)
    form = wish(hidden(page, "token"))
    answers = [client.post(HERE, form) for _ in range(2)]
    (deposit,) = ProviderDeposit.objects.all()
    here = f"{HERE}{deposit.pk}/"
    assert [(answer.status_code, answer["Location"]) for answer in answers] == [(302, here)] * 2
    assert provider.calls == []
    pages = [client.get(here) for _ in range(2)]
    assert all(f'href="https://pay.example/D-{deposit.pk}"' in page.content.decode() for page in pages)
    assert provider.calls == ["POST /deposits"]  # a page that is read again asks nobody
    assert "BYN 20.00" in text_of(pages[0])
    assert "ЕРИП" in text_of(pages[0])
    assert other.get(here).status_code == 404
    changed = client.post(HERE, {**form, "amount": "30"})
    assert (changed.status_code, "dealt with before" in text_of(changed)) == (400, True)
    assert hidden(changed, "token") != form["token"]
    assert (ProviderDeposit.objects.count(), money_of(player)) == (1, 0)
    assert f'href="{here}"' in client.get(HERE).content.decode()
    assert f'hx-get="{here}"' in pages[0].content.decode()
    assert refused(pages[0]) == []  # the policy lets a form send to nobody but this site
    by_itself = {"HX-Request": "true", "X-By-Itself": "1"}
    assert client.get(here, headers=by_itself).status_code == 204
    hear(provider.message("deposit", deposit.reference, instrument=DEBIT_CARD))
    assert client.get(here, headers=by_itself)["HX-Refresh"] == "true"
    settled = client.get(here)
    assert "hx-get" not in settled.content.decode()
    assert "The money is on your game account." in text_of(settled)
    assert "pay.example" not in settled.content.decode()
    listed = client.get(HERE)
    assert "Payment system •••• 1881 BYN 20.00 BYN 20.00" in text_of(listed)
    assert f'href="{here}"' not in listed.content.decode()
    assert (money_of(player), broken()) == (2_000, [])


def test_another_currency_is_told_by_the_rate_of_today(provider: FakeProvider) -> None:
    player = make_player()
    client = visitor(player)
    token = hidden(client.get(HERE), "token")
    stale = client.post(HERE, wish(token, "10.01", "USD"))
    assert "There is no rate of USD for today." in str(stale.context["form"].errors["currency"])
    make_rate(Currency.USD, "3.2159")
    assert client.post(HERE, wish(token, "10.01", "USD")).status_code == 302
    page = text_of(client.get(f"{HERE}{ProviderDeposit.objects.get().pk}/"))
    assert "Amount 10.01 USD By today's rate BYN 32.19" in page.replace("&#x27;", "'")


@pytest.mark.parametrize(
    ("amount", "words"),
    [("0", "above zero"), ("-5", "at most two decimals"), ("1.999", "at most two decimals"), ("", "required")],
)
def test_an_amount_that_is_none_is_told_at_its_field(provider: FakeProvider, amount: str, words: str) -> None:
    client = visitor(make_player())
    page = client.post(HERE, wish(hidden(client.get(HERE), "token"), amount))
    assert (page.status_code, words in str(page.context["form"].errors["amount"])) == (400, True)
    assert not ProviderDeposit.objects.exists()


def test_a_payment_system_that_is_away_or_leads_astray_takes_nothing(provider: FakeProvider) -> None:
    client = visitor(make_player())
    provider.broken = True
    client.post(HERE, wish(hidden(client.get(HERE), "token")))
    here = f"{HERE}{ProviderDeposit.objects.get().pk}/"
    assert "The payment system does not answer. Nothing was taken from you." in text_of(client.get(here))
    provider.broken, provider.answer = False, lambda *_: (200, {"pay_at": "javascript:alert(1)"})  # type: ignore[method-assign]
    page = client.get(here)
    assert ("javascript:" in page.content.decode(), "has refused to begin" in text_of(page)) == (False, True)


def test_p1_p2_limits_and_what_bars_are_told_before_and_refused_after(provider: FakeProvider) -> None:
    player = make_player(1_000)
    client, person = visitor(player), person_of(player)
    set_limit(person=person, kind=LimitKind.DEPOSIT, period=LimitPeriod.DAY, amount=2_500, actor="test")
    page = client.get(HERE)
    assert "BYN 15.00 left of your limit of BYN 25.00 in 24 hours" in text_of(page)
    over = client.post(HERE, wish(hidden(page, "token"), "15.01"))
    assert (over.status_code, "Your limit is BYN 25.00" in text_of(over)) == (400, True)
    cool_off(person=person, days=7, actor="test")
    shown = client.get(HERE)
    assert "Play is excluded until" in text_of(shown)
    assert 'name="amount"' not in shown.content.decode()
    assert client.post(HERE, wish(hidden(page, "token"), "1")).status_code == 400
    assert not ProviderDeposit.objects.exists()


def test_c36_a_card_is_moved_once_and_one_that_is_wrong_not_at_all() -> None:
    player, (card, _rest) = make_player(), bought(make_till(), 2, 1_000)
    client = visitor(player)
    assert "No payment system is connected now." in text_of(client.get(HERE))
    form = {"series": card.series, "number": card.number, "code": card.code, "amount": "4", "token": "t" * 24}
    assert client.get(f"{HERE}card/").status_code == 302
    wrong = client.post(f"{HERE}card/", {**form, "code": "AAAA-AAAA-AAAA"})
    assert (wrong.status_code, bool(wrong.context["card_form"].errors), money_of(player)) == (400, True, 0)
    for _ in range(2):
        done = client.post(f"{HERE}card/", form, follow=True)
        assert "BYN 4.00 of the card is on your game account." in text_of(done)
    assert (money_of(player), card.money, TopUp.objects.filter(account__player=player).count()) == (400, 600, 1)
    assert client.post(f"{HERE}card/", {**form, "amount": "", "token": "u" * 24}).status_code == 302
    assert (money_of(player), card.money, broken()) == (1_000, 0, [])


def test_who_has_no_payment_system_is_told_the_other_ways() -> None:
    player = make_player()
    with translation.override("en"):
        page = text_of(visitor(player).get(HERE))
    assert f"tell the cashier your log-in name, {player.username}" in page
    assert "ACC-0" in page
