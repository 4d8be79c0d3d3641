"""Acts over the API: who may, with which key, and that nothing happens twice or by halves."""

import re
from typing import Any

import pytest
from django.test import Client

from accounts.ledger.balances import balance
from accounts.models import ApiToken, Shift
from accounts.services.api_tokens import create_token, revoke_token
from payouts.services.booking import book_payables
from pools.models import Bet
from tests.carding import at_point
from tests.desks import cash_in
from tests.functional.calling import Caller, told
from tests.making import account_of, bet_in_cash, make_organizers, make_player, make_pool, make_till
from tests.paying import go_to, payable_from
from tests.settling import settle
from totalizator.core.api.schema import schema

# Acts that move no money. What is not here needs a key of its own, by the header or, in a batch, bet by bet; the acts
# of the staff are held to theirs in test_api_staff_*.py.
MOVE_NOTHING = {
    "me_publication_consent",
    "me_publication_withdraw",
    "me_credit_wish_sign",
    "me_notice_read",
    "me_ticket_bind",
    "phone_notices_end",
    "me_dispute",
    "ticket_compare",
    "ticket_dispute",
    "conflict_declare",
    "desk_check",
    "evidence_file_new",
    "evidence_of_proposal",
    "key_revocation_approve",
    "key_revocation_propose",
    "large_claim_prepare",
    "large_payment_prepare",
    "late_annulment_note",
    "protocol_dissent",
    "protocol_sign",
    "registration_end",
    "result_correct",
    "result_enter",
    "ticket_claim",
    "ticket_receipt",
    "quote",
    "ticket_check",
    "cash_wish",
    "player_verify",
    "block_propose",
    "block_approve",
    "deposit_begin",
    "limit_remove",
    "limit_confirm",
    "pause",
    "phone_bind",
    "phone_bind_confirm",
    "phone_code",
    "terminal_heartbeat",
    "subscriber_propose",
    "subscriber_approve",
    "subscriber_stop",
    "subscriber_stop_approve",
    "feed_add",
    "result_propose",
    "terminal_synchronise",
}
PLACES = {"{code}": "T-1", "{ticket}": "T-1-0000000000"}


def filled(path: str) -> str:
    """An address of the schema with names of what is not there."""
    for place, name in PLACES.items():
        path = path.replace(place, name)
    return re.sub(r"{\w+}", "1", path).removeprefix("/api/v1/")


def test_every_act_that_moves_money_is_told_to_need_a_key() -> None:
    posts = {told["operationId"]: told for methods in schema()["paths"].values() if (told := methods.get("post"))}
    assert set(posts) >= MOVE_NOTHING
    need_no_header = MOVE_NOTHING | {"bets_batch"}
    for name in [name for name in posts if name not in need_no_header and not name.startswith("staff_")]:
        keys = [each for each in posts[name].get("parameters", ()) if each["name"] == "Idempotency-Key"]
        assert [key["required"] for key in keys] == [True], name
    batch = posts["bets_batch"]["requestBody"]["content"]
    bet = batch["application/json"]["schema"]["properties"]["bets"]["items"]["anyOf"][0]
    assert "idempotency_key" in bet["required"]


@pytest.mark.django_db
def test_every_act_that_moves_money_is_refused_without_a_key() -> None:
    callers = [Caller(make_player(1_000)), Caller(make_till().cashier), Caller(make_organizers()[0])]
    asked = 0
    for path, methods in schema()["paths"].items():
        parameters = [each["name"] for each in methods.get("post", {}).get("parameters", ())]
        if "Idempotency-Key" not in parameters:
            continue
        answers = [caller.post(filled(path), {}, key=None) for caller in callers]
        fields = [answer.json().get("field") for answer in answers if answer.status_code == 400]
        assert fields, path
        assert set(fields) == {"Idempotency-Key"}, path
        asked += 1
    assert asked > 30


@pytest.mark.django_db
def test_nobody_gets_into_what_is_not_public() -> None:
    caller = Caller()
    for path, methods in schema()["paths"].items():
        for method, operation in methods.items():
            if operation.get("security") and {} not in operation["security"]:
                answer = caller._send(method.upper(), filled(path), b"{}", {})
                assert told(answer) == (401, "not_logged_in"), path
                assert answer["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.django_db
def test_a_token_acts_for_its_owner_until_it_is_revoked() -> None:
    player = make_player(1_234)
    made = create_token(user=player, name="my program")
    assert bytes(ApiToken.objects.get().digest).hex() not in made.text
    client = Client(headers={"authorization": f"Bearer {made.text}"})
    mine = client.get("/api/v1/me")
    assert (mine.json()["balance"], mine["Cache-Control"]) == ("12.34", "no-store")
    assert ApiToken.objects.get().last_used_at is not None
    # A token needs no CSRF token: no browser sends it by itself.
    strict = Client(headers={"authorization": f"Bearer {made.text}"}, enforce_csrf_checks=True)
    pool = make_pool()
    body, headers = {"selections": "1;X;2", "stake": "1.00"}, {"Idempotency-Key": "k"}
    path = f"/api/v1/pools/{pool.code}/bets"
    assert strict.post(path, body, headers=headers, content_type="application/json").status_code == 201
    revoke_token(user=player, token_id=made.token.pk)
    assert told(client.get("/api/v1/me")) == (401, "not_logged_in")
    assert told(Client(headers={"authorization": "Bearer tot_guess"}).get("/api/v1/me")) == (401, "not_logged_in")


@pytest.mark.django_db
def test_tokens_are_made_and_revoked_on_a_page() -> None:
    player, other = make_player(), make_player()
    client = Client()
    client.force_login(player)
    page = client.post("/my/tokens/", {"name": "home"}).content.decode()
    text = page.partition("<code>tot_")[2].partition("</code>")[0]
    assert Client(headers={"authorization": f"Bearer tot_{text}"}).get("/api/v1/me").status_code == 200
    assert text not in client.get("/my/tokens/").content.decode()
    token = ApiToken.objects.get()
    stranger = Client()
    stranger.force_login(other)
    assert stranger.post(f"/my/tokens/{token.pk}/revoke/").status_code == 404
    assert client.post(f"/my/tokens/{token.pk}/revoke/").status_code == 302
    assert Client(headers={"authorization": f"Bearer tot_{text}"}).get("/api/v1/me").status_code == 401


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("body", "content_type", "answer"),
    [
        (b'{"selections":"1;X;2","selections":"1;1;1","stake":"1.00"}', "application/json", (400, "parse_error")),
        (b'{"selections":"1;X;2","stake":NaN}', "application/json", (400, "parse_error")),
        (b'{"selections":"\\ud800","stake":"1.00"}', "application/json", (400, "parse_error")),
        (b'{"\\udc00":"1;X;2","stake":"1.00"}', "application/json", (400, "parse_error")),
        (b'{"selections":"\\ud83d\\ude00;X;2","stake":"1.00"}', "application/json", (400, "bad_selection")),
        (b"[" * 100_000, "application/json", (400, "parse_error")),
        (b"\xff", "application/json", (400, "parse_error")),
        (b'{"selections":"\\u0000","stake":"1.00"}', "application/json", (400, "bad_value")),
        (b'{"selections":"1;X;2","stake":"1.00","bonus":"1"}', "application/json", (400, "bad_value")),
        (b'{"selections":1,"stake":"1.00"}', "application/json", (400, "bad_value")),
        (b'{"selections":"1;X;2","stake":"1,00"}', "application/json", (400, "bad_value")),
        (b" " * (1 << 20) + b"{}", "application/json", (413, "body_too_large")),
        (b"selections=1", "application/x-www-form-urlencoded", (415, "unsupported_media_type")),
    ],
)
def test_what_is_not_strictly_a_bet_is_none(body: bytes, content_type: str, answer: tuple[int, str]) -> None:
    pool, player = make_pool(), make_player(1_000)
    caller = Caller(player)
    headers = {"Idempotency-Key": "k", "content_type": content_type}
    assert told(caller._send("POST", f"pools/{pool.code}/bets", body, headers)) == answer
    assert Bet.objects.count() == 0
    assert balance(account_of(player).ledger_account) == 1_000


@pytest.mark.django_db
def test_a_shift_is_opened_and_closed_once() -> None:
    till = make_till(5_000, shift=False)
    assert till.cashier is not None
    caller = Caller(till.cashier)
    assert caller.get("till").json()["shift"] is None
    wrong = caller.post("till/shift", {"counted": "49.00"})
    assert (told(wrong), wrong.json()["expected"]) == ((400, "bad_value"), "50.00")
    opened = [caller.post("till/shift", {"counted": "50.00"}, key="open") for _ in range(2)]
    assert [answer.json() for answer in opened] == [opened[0].json()] * 2
    assert (opened[0].status_code, opened[0].json()["opening_float"]) == (201, "50.00")
    assert told(caller.post("till/shift", {"counted": "50.00"})) == (409, "wrong_state")
    shortage = {"counted": "49.00", "reason": "a coin is missing"}
    closed = [caller.post("till/shift/closing", shortage, key="close") for _ in range(2)]
    assert [answer.json() for answer in closed] == [closed[0].json()] * 2
    assert (closed[0].json()["expected"], closed[0].json()["counted"]) == ("50.00", "49.00")
    assert told(caller.post("till/shift/closing", shortage)) == (409, "no_open_shift")
    assert (Shift.objects.count(), cash_in(till)) == (1, 4_900)


@pytest.mark.django_db
def test_a_cashier_sells_a_card_tops_up_and_pays() -> None:
    till, player = make_till(10_000), make_player()
    (card,) = at_point(till)
    assert till.cashier is not None
    caller = Caller(till.cashier)
    sold = [caller.post("cards/sales", {"series": card.series, "number": card.number}, key="c") for _ in range(2)]
    assert [answer.json()["face_value"] for answer in sold] == ["10.00", "10.00"]
    top_up = {"username": player.username, "amount": "3.00"}
    assert [caller.post("till/top-ups", top_up, key="t").status_code for _ in range(2)] == [201, 201]
    assert balance(account_of(player).ledger_account) == 300
    assert told(caller.post("till/top-ups", {**top_up, "username": "nobody"})) == (404, "not_found")
    pool = make_pool()
    slip = bet_in_cash(pool, till, "1;X;2", 100)
    settle(pool, "1;X;2")
    _pay(caller, pool, slip.bet.ticket, slip.check_code)
    assert cash_in(till) == 10_000 + 1_000 + 300 + 100 - 40


def _pay(caller: Caller, pool: Any, ticket: str, check_code: str) -> None:
    """Pay the ticket, twice with one key, and once more with another."""
    book_payables(code=pool.code)
    path, body = f"tickets/{ticket}/payments", {"check_code": check_code}
    assert told(caller.post(path, body)) == (409, "not_payable_yet")
    go_to(payable_from(pool))
    paid = [caller.post(path, body, key="p") for _ in range(2)]
    assert [answer.status_code for answer in paid] == [201, 201]
    assert paid[0].json() == paid[1].json()
    money = {name: paid[0].json()[name] for name in ("gross", "tax", "net", "handed_over")}
    assert money == {"gross": "0.42", "tax": "0.02", "net": "0.40", "handed_over": "0.40"}
    assert told(caller.post(path, body)) == (409, "already_paid")


@pytest.mark.django_db
def test_a_document_is_asked_at_desks_only() -> None:
    pool, till = make_pool(), make_till()
    body = {
        "selections": "1;X;2",
        "stake": "1.00",
        "person": {"identity_number": "3310590A001PB1", "birth_date": "1990-05-31"},
    }
    assert told(Caller(make_player(1_000)).post(f"pools/{pool.code}/bets", body)) == (400, "bad_value")
    assert till.cashier is not None
    sold = Caller(till.cashier).post(f"pools/{pool.code}/bets", body)
    assert sold.status_code == 201, sold.json()
    assert Bet.objects.get().person is not None
