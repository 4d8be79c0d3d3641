"""Many bets in one call (each answered by itself), quotes, bets by card, and what a ticket check tells."""

from functools import partial
from typing import Any

import pytest

from accounts.ledger.balances import balance
from pools.models import Bet
from tests.carding import bought
from tests.concurrency.racing import race
from tests.functional.calling import Caller, told
from tests.making import account_of, bet_in_cash, make_player, make_pool, make_till

RIGHT = {"selections": "1;X;2", "stake": "1.00"}


def batch(caller: Caller, pool: Any, bets: Any) -> Any:
    return caller.post(f"pools/{pool.code}/bets/batch", {"bets": bets}, key=None)


def keyed(number: int, **changed: Any) -> dict[str, Any]:
    return {**RIGHT, "idempotency_key": f"key-{number}", **changed}


@pytest.mark.django_db
def test_five_hundred_bets_are_each_answered_by_itself() -> None:
    pool, player = make_pool(), make_player(60_000)
    wrong: dict[int, dict[str, Any]] = {
        7: keyed(7, selections="1;X;9"),
        30: keyed(30, stake="1.01"),
        31: keyed(31, stake=1.0),
        99: keyed(3),  # the key of the fourth bet, which is the same bet: its answer again
        100: keyed(3, selections="1;1;1"),  # the key of the fourth bet for another one
        499: {"selections": "1;X;2"},
    }
    bets = [wrong.get(number, keyed(number)) for number in range(500)]
    caller = Caller(player)
    answers = batch(caller, pool, bets).json()["answers"]
    assert len(answers) == 500
    codes = {number: answer["problem"]["code"] for number, answer in enumerate(answers) if "problem" in answer}
    assert codes == {7: "bad_selection", 30: "bad_stake", 31: "bad_value", 100: "key_reused", 499: "bad_value"}
    assert answers[99] == {"status": 200, "bet": answers[3]["bet"]}
    placed = [answer["bet"]["ticket"] for answer in answers if answer["status"] == 201]
    assert len(set(placed)) == 494
    assert Bet.objects.count() == 494
    assert balance(account_of(player).ledger_account) == 60_000 - 49_400
    # The same call again: the same tickets, nothing more is done.
    again = batch(caller, pool, bets).json()["answers"]
    assert [answer.get("bet") for answer in again] == [answer.get("bet") for answer in answers]
    assert [answer.get("problem") for answer in again] == [answer.get("problem") for answer in answers]
    assert {answer["status"] for answer in again if "bet" in answer} == {200}
    assert Bet.objects.count() == 494


@pytest.mark.django_db
def test_a_batch_that_money_does_not_suffice_for_places_what_it_can() -> None:
    pool, player = make_pool(), make_player(300)
    answers = batch(Caller(player), pool, [keyed(number) for number in range(5)]).json()["answers"]
    assert [answer["status"] for answer in answers] == [201, 201, 201, 409, 409]
    assert answers[4]["problem"]["code"] == "insufficient_funds"
    assert answers[4]["problem"]["available"] == "0.00"
    assert balance(account_of(player).ledger_account) == 0


@pytest.mark.django_db
@pytest.mark.parametrize("body", [{}, {"bets": []}, {"bets": "1"}, [], {"bets": [keyed(1)], "more": 1}])
def test_a_batch_that_is_none_is_refused_as_a_whole(body: Any) -> None:
    pool = make_pool()
    caller = Caller(make_player(1_000))
    assert told(caller.post(f"pools/{pool.code}/bets/batch", body, key=None)) == (400, "bad_value")
    too_many = [keyed(number) for number in range(501)]
    assert told(batch(caller, pool, too_many)) == (400, "bad_value")
    assert Bet.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_c38_two_like_batches_at_once_place_each_bet_once() -> None:
    pool, player = make_pool(), make_player(10_000)
    caller, bets = Caller(player), [keyed(number) for number in range(40)]
    raced: list[Any] = race([partial(batch, caller, pool, bets) for _ in range(2)])
    answers = [answer.json()["answers"] for answer in raced]
    first, second = ({answer["bet"]["ticket"] for answer in listed if "bet" in answer} for listed in answers)
    assert len(first | second) == Bet.objects.count() == 40
    assert balance(account_of(player).ledger_account) == 10_000 - 4_000


@pytest.mark.django_db
def test_a_quote_tells_lines_and_price_and_places_nothing() -> None:
    fixed, free = make_pool(), make_pool("totolot-position")
    caller = Caller()
    told_fixed = caller.post(f"pools/{fixed.code}/quote", {"selections": "1+X;X;1+2"}, key=None).json()
    assert told_fixed == {
        "selections": "1+X;X;1+2",
        "lines": 4,
        "price": "4.00",
        "least": None,
        "most": None,
        "one_line": "1.00",
    }
    told_free = caller.post(f"pools/{free.code}/quote", {"selections": "1;X;2"}, key=None).json()
    assert (told_free["price"], told_free["least"], told_free["most"]) == (None, "1.00", "1000000.00")
    bad = caller.post(f"pools/{fixed.code}/quote", {"selections": "1;X"}, key=None)
    assert told(bad) == (400, "bad_selection")
    assert Bet.objects.count() == 0


@pytest.mark.django_db
def test_c39_a_quote_of_an_exploding_system_is_refused() -> None:
    pool = make_pool(conditions=10, terms={"price": {"line": 10}})
    answer = Caller().post(f"pools/{pool.code}/quote", {"selections": ";".join(["1+X+2"] * 10)}, key=None)
    assert told(answer) == (400, "too_many_lines")


@pytest.mark.django_db
def test_a_card_pays_for_a_bet_of_nobody_known() -> None:
    pool = make_pool()
    (card,) = bought(make_till())
    shown = {"series": card.series, "number": card.number, "code": card.code}
    caller, path = Caller(), f"pools/{pool.code}/card-bets"
    placed = caller.post(path, {**RIGHT, "card": shown}, key="one")
    assert (placed.status_code, placed.json()["channel"]) == (201, "card")
    assert caller.post(path, {**RIGHT, "card": shown}, key="one").json() == placed.json()
    assert card.money == 900
    wrong = caller.post(path, {**RIGHT, "card": {**shown, "code": "AAAA-AAAA-AAAA"}})
    assert told(wrong) == (400, "card_refused")
    assert card.money == 900


@pytest.mark.django_db
def test_c61_guessing_cards_over_the_api_is_throttled_whatever_header_is_written() -> None:
    pool = make_pool()
    (card,) = bought(make_till())
    body = {**RIGHT, "card": {"series": card.series, "number": card.number, "code": "AAAA-AAAA-AAAA"}}
    caller = Caller()
    answers = [
        told(caller.post(f"pools/{pool.code}/card-bets", body, **{"X-Forwarded-For": f"192.0.2.{number}"}))
        for number in range(12)
    ]
    assert answers == [(400, "card_refused")] * 10 + [(429, "throttled")] * 2


@pytest.mark.django_db
def test_who_holds_a_ticket_is_told_where_it_stands() -> None:
    pool = make_pool()
    slip = bet_in_cash(pool, make_till(), "1;X;2", 100)
    caller = Caller()
    answer = caller.post("tickets/check", {"ticket": slip.bet.ticket, "check_code": slip.check_code}, key=None)
    assert (answer.json()["standing"], answer.json()["stake"], answer.json()["amount"]) == ("in_play", "1.00", "0.00")
    tries = [
        told(caller.post("tickets/check", {"ticket": ticket, "check_code": "0" * 14}, key=None))
        for ticket in [slip.bet.ticket] * 5 + ["NONE-1"] * 6
    ]
    assert tries == [(400, "wrong_code")] * 10 + [(429, "throttled")]


@pytest.mark.django_db
def test_each_bet_of_a_batch_names_who_plays_and_is_asked_as_if_alone() -> None:
    pool, till = make_pool("totolot-position"), make_till()
    large = {"selections": "1;X;2", "stake": "1000.00"}
    adult = {"identity_number": "3310590A001PB1", "birth_date": "1990-05-31"}
    other = {"identity_number": "DESK000002", "birth_date": "1985-01-02"}
    bets = [
        keyed(0, **large),
        keyed(1, **large, person=adult),
        keyed(2, person={**adult, "birth_date": "1990-05-30"}),
        keyed(3, person={"identity_number": "DESK000003", "birth_date": "2020-01-02"}),
        keyed(4, person=other),
        keyed(5, person={"identity_number": "DESK000004"}),
        keyed(6),
    ]
    caller = Caller(till.cashier)
    answers = batch(caller, pool, bets).json()["answers"]
    codes = {number: answer["problem"]["code"] for number, answer in enumerate(answers) if "problem" in answer}
    assert codes == {0: "identity_needed", 2: "bad_value", 3: "under_age", 5: "bad_value"}
    persons = dict(Bet.objects.values_list("ticket", "person_id"))
    named = [persons[answers[number]["bet"]["ticket"]] for number in (1, 4, 6)]
    assert [person is None for person in named] == [False, False, True]
    assert len(set(named)) == 3
    assert balance(till.ledger_account) == 100_000 + 100 + 100
    again = batch(caller, pool, bets).json()["answers"]
    assert [answer["status"] for answer in again] == [403, 200, 400, 403, 200, 400, 200]
    assert Bet.objects.count() == 3


@pytest.mark.django_db
def test_a_player_shows_no_document_in_a_batch() -> None:
    pool, player = make_pool(), make_player(1_000)
    shown = {"identity_number": "3310590A001PB1", "birth_date": "1990-05-31"}
    answers = batch(Caller(player), pool, [keyed(0, person=shown), keyed(1)]).json()["answers"]
    assert [answer["status"] for answer in answers] == [400, 201]
    assert answers[0]["problem"]["field"] == "person"
    assert balance(account_of(player).ledger_account) == 900
