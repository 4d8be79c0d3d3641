"""Money that came in doubt, over the API: lines told twice, held deposits; and answers told again (F1, ¶35.5)."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from accounts.ledger.balances import balance
from accounts.models import CardState, HeldDeposit, LimitKind, LimitPeriod, UnmatchedItem, Withdrawal
from accounts.services.bank_statements import import_bank_file
from accounts.services.card_blocking import block_cards
from accounts.services.limits import set_limit
from accounts.services.persons import person_of
from tests.banking import in_bank, own_account
from tests.carding import bought, range_of
from tests.fakes.provider import FakeProvider, running, settings_of
from tests.functional.calling import Caller, told
from tests.making import account_of, make_organizers, make_player, make_pool, make_till
from tests.paying import broken, money_of
from tests.telling import Payment, camt, table
from tests.topping_up import begin, hear, named_bank
from totalizator.core import clock

pytestmark = pytest.mark.django_db


@pytest.fixture
def provider(settings: object) -> Iterator[FakeProvider]:
    with running() as fake:
        settings.PAYMENT_PROVIDERS = settings_of(fake)  # type: ignore[attr-defined]
        yield fake


def test_two_people_say_whether_a_line_was_known() -> None:
    own_account()
    one, other = (Caller(person) for person in make_organizers())
    import_bank_file(content=camt([Payment(1_250, "A1")]), actor="test")
    import_bank_file(content=table([Payment(1_250, "A1")], references=False), actor="test")
    (row,) = one.get("staff/bank-doubts").json()["lines"]
    assert (row["line"]["form"], row["resembles"]["form"], row["line"]["amount"]) == ("csv", "camt.053", "12.50")
    assert (row["resembles"]["bank_reference"], row["proposal"], row["same"]) == ("A1", None, None)
    number = row["line"]["number"]
    body = {"same": False, "document": "Letter 3"}
    proposed = one.post(f"staff/bank-doubts/{number}/proposals", body)
    assert (proposed.status_code, proposed.json()["same"], proposed.json()["decided"]) == (201, False, False)
    where = f"staff/bank-doubt-proposals/{proposed.json()['proposal']}/approval"
    assert told(one.post(where, {})) == (403, "same_person")
    assert in_bank() == 1_250
    done = [other.post(where, {}, key="k") for _ in range(2)]
    assert [(answer.status_code, answer.json()["decided"]) for answer in done] == [(200, True)] * 2
    assert (in_bank(), one.get("staff/bank-doubts").json()["lines"], broken()) == (2_500, [], [])
    assert told(one.post("staff/bank-doubts/999999/proposals", body)) == (404, "not_found")


def test_two_people_give_a_held_deposit_back(provider: FakeProvider) -> None:
    one, other = (Caller(person) for person in make_organizers())
    player = make_player()
    reference = begin(player, 1_000)
    set_limit(person=person_of(player), kind=LimitKind.DEPOSIT, period=LimitPeriod.DAY, amount=1, actor="test")
    provider.payments[reference]["outcome"] = "done"
    hear(provider.message("deposit", reference, amount=1_000))
    item, held = UnmatchedItem.objects.get(), HeldDeposit.objects.get()
    assert told(one.post(f"staff/unmatched/{item.pk}/closing", {"decision": "a text"})) == (409, "wrong_state")
    (row,) = one.get("staff/held-deposits").json()["deposits"]
    assert (row["reference"], row["amount"], row["why"]) == (reference, "10.00", "limit_reached")
    assert one.post(f"staff/unmatched/{item.pk}/hold", {}).json() == row
    proposed = one.post(f"staff/held-deposits/{held.pk}/returns", {"reason": "Excluded", "document": "Letter 4"})
    assert (proposed.status_code, proposed.json()["state"]) == (201, "proposed")
    where = f"staff/deposit-returns/{proposed.json()['number']}/approval"
    assert told(one.post(where, {})) == (403, "same_person")
    assert other.post(where, {}).json()["state"] == "done"
    assert [each["state"] for each in one.get("staff/deposit-returns").json()["returns"]] == ["done"]
    assert (one.get("staff/held-deposits").json()["deposits"], money_of(player), broken()) == ([], 0, [])


def test_the_verified_bank_account_is_listed_before_the_first_withdrawal() -> None:
    player = make_player(10_000)
    assert Caller(player).get("me/instruments").json() == {"instruments": []}
    bank = named_bank(player)
    bank.delete()
    (listed,) = Caller(player).get("me/instruments").json()["instruments"]
    assert (listed["kind"], listed["shown_as"]) == ("bank", "•••• AB00")
    assert Caller(player).get("me/instruments").json()["instruments"] == [listed]


def test_a_withdrawal_is_told_again_when_the_second_factor_is_long_ago() -> None:
    player = make_player(10_000)
    named_bank(player)
    browser = Client()
    browser.force_login(player)
    browser.post("/account/reauthenticate/", {"password": "correct horse battery"})

    def ask(amount: str, key: str = "w") -> Any:
        body, headers = {"amount": amount}, {"Idempotency-Key": key}
        return browser.post("/api/v1/me/withdrawals", body, headers=headers, content_type="application/json")

    first = ask("1.00")
    session = browser.session
    for record in session["account_authentication_methods"]:
        record["at"] -= 301
    session.save()
    again = ask("1.00")
    assert (first.status_code, again.status_code, again.json()) == (201, 201, first.json())
    assert told(ask("1.00", "another")) == (403, "step_up_needed")
    assert told(ask("2.00")) == (409, "key_reused")
    assert Withdrawal.objects.count() == 1


def test_a_bet_by_card_is_told_again_when_the_card_pays_no_more() -> None:
    pool, (staff, _other) = make_pool(), make_organizers()
    (card,) = bought(make_till())
    where = f"pools/{pool.code}/card-bets"

    def bet(key: str, **changes: str) -> Any:
        printed = {"series": card.series, "number": card.number, "code": card.code} | changes
        return Caller().post(where, {"selections": "1;X;2", "stake": "1.00", "card": printed}, key=key)

    first = bet("k")
    block_cards(cards=range_of([card]), reason="Stolen.", blocked_by=staff)
    again = bet("k")
    assert (first.status_code, again.status_code, again.json()) == (201, 200, first.json())
    assert told(bet("other")) == (400, "card_refused")
    assert told(bet("k", code="AAAA-AAAA-AAAA")) == (400, "card_refused")
    guesses = [bet("guess", code="AAAA-AAAA-AAAA") for _ in range(20)]  # until the throttle stops who guesses
    assert told(guesses[-1]) == (429, "throttled")
    assert bet("k").json() == first.json()
    assert told(bet("k", code="AAAA-AAAA-AAAA")) == (429, "throttled")
    assert (card.money, card.card.state) == (900, CardState.BLOCKED)


def test_a_card_put_onto_an_account_is_told_again_when_it_has_expired() -> None:
    player = make_player()
    (card,) = bought(make_till(), days=100)
    body = {"card": {"series": card.series, "number": card.number, "code": card.code}, "amount": "4.00"}
    first = Caller(player).post("me/deposits/card", body, key="one")
    clock.move_clock(timedelta(days=101))
    again = Caller(player).post("me/deposits/card", body, key="one")
    assert (first.status_code, again.status_code, again.json()) == (201, 201, first.json())
    assert told(Caller(player).post("me/deposits/card", body, key="two")) == (400, "card_refused")
    other = body | {"amount": "5.00"}
    assert told(Caller(player).post("me/deposits/card", other, key="one")) == (409, "key_reused")
    assert balance(account_of(player).ledger_account) == 400
