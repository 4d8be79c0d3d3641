"""The desk without a mouse: one field, few keys, the same answer to the same form, change to the kopeck (C4, C36)."""

from collections.abc import Mapping
from datetime import timedelta
from html.parser import HTMLParser
from typing import Any

import pytest
from django.test import Client

from accounts.ledger.balances import balance
from accounts.models import Shift, Till
from pools.models import Bet, Pool
from tests.desks import cash_in
from tests.functional.browsing import hidden, text_of, visitor
from tests.making import make_pool, make_till
from totalizator.core import clock

pytestmark = pytest.mark.django_db


class Focused(HTMLParser):
    """The form that Enter sends: the one with the field that has the focus, and how its page names that field."""

    def __init__(self, answer: Any) -> None:
        super().__init__()
        self.action, self.field, self.values = "", "", dict[str, str]()
        self._action, self._values = "", dict[str, str]()
        self._chosen: str | None = None
        self.feed(answer.content.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._action, self._values = given.get("action", ""), {}
        elif tag == "select":
            self._chosen = given["name"]
        elif tag == "option" and "selected" in given and self._chosen:
            self._values[self._chosen] = given["value"]
        elif tag == "input" and "name" in given:
            self._values[given["name"]] = given.get("value", "")
            if "autofocus" in given:
                assert not self.field, "two fields with the focus"
                self.action, self.field, self.values = self._action, given["name"], self._values


class Keyboard:
    """A cashier who has no mouse; every key is counted."""

    def __init__(self, till: Till) -> None:
        self.client: Client = visitor(till.cashier)
        self.answer: Any = self.client.get("/till/")
        self.pressed = 0
        self.sent: tuple[str, Mapping[str, str]] = ("", {})

    def types(self, text: str) -> "Keyboard":
        """Type `text` into the field that has the focus, and press Enter."""
        form = Focused(self.answer)
        assert form.field, "no field has the focus"
        self.pressed += len(text) + 1
        self.sent = (form.action or self.answer.wsgi_request.path, {**form.values, form.field: text})
        self.answer = self.client.post(*self.sent, follow=True)
        return self

    def presses(self, key: str) -> "Keyboard":
        """Press a key that a link of the page names."""
        found = [link for link in Links(self.answer).found if link.get("data-key") == key]
        assert len(found) == 1, key
        assert f">{'Esc' if key == 'Escape' else key}</kbd>" in self.answer.content.decode()
        self.pressed += 1
        self.answer = self.client.get(found[0]["href"])
        return self

    def sends_again(self) -> Any:
        """The same form once more: the answer was lost on the way."""
        return self.client.post(*self.sent)


class Links(HTMLParser):
    """The links of a page."""

    def __init__(self, answer: Any) -> None:
        super().__init__()
        self.found: list[dict[str, str]] = []
        self.feed(answer.content.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self.found.append({name: value or "" for name, value in attrs})


def fifteen(**more: Any) -> Pool:
    return make_pool(conditions=15, **more)


def test_a_coupon_of_fifteen_matches_is_sold_in_at_most_twenty_keys() -> None:
    fifteen()
    till = make_till(500)
    desk = Keyboard(till).types("1X2112X1X2X1122")
    assert "1;X;2;1;1;2;X;1;X;2;X;1;1;2;2" in text_of(desk.answer)
    assert "BYN 1.00 to pay" in text_of(desk.answer)
    assert not Bet.objects.exists()  # read back before money
    desk.types("")
    assert desk.answer.status_code == 201
    assert "ACCEPTED" in text_of(desk.answer)
    assert desk.pressed == 17
    assert Bet.objects.get().stake == 100
    assert cash_in(till) == 600


def test_change_is_reckoned_to_the_kopeck_and_too_little_sells_nothing() -> None:
    fifteen()
    till = make_till()
    desk = Keyboard(till).types("1X2112X1X2X1122")
    for given, said in (("0.99", "BYN 0.01 are missing: nothing was sold."), ("1.005", "at most two decimals")):
        desk.types(given)
        assert (desk.answer.status_code, said in text_of(desk.answer)) == (400, True)
        assert not Bet.objects.exists()
    desk.types("20,05")
    assert "BYN 20.05 given BYN 19.05 change: give it back" in text_of(desk.answer)
    assert cash_in(till) == 100


def test_c36_who_logs_in_again_is_told_of_the_sale_whose_answer_was_lost() -> None:
    fifteen()
    till = make_till()
    Keyboard(till).types("1X2112X1X2X1122").types("5")
    bet, again = Bet.objects.get(), Keyboard(till)
    told = "The last sale of this till, before this log-in, stands:"
    assert f"{told} {bet.ticket} , BYN 1.00" in text_of(again.client.get("/till/"))
    again.types("1X2112X1X2X1122").types("5")
    page = text_of(again.client.get("/till/"))
    assert (told in page, "The last sale of this log-in stands:" in page) == (False, True)
    assert told not in text_of(Keyboard(make_till()).client.get("/till/"))
    clock.move_clock(timedelta(minutes=16))
    assert told not in text_of(Keyboard(till).client.get("/till/"))


def test_c36_a_lost_answer_sells_nothing_twice_and_says_what_the_first_one_said() -> None:
    fifteen()
    till = make_till()
    desk = Keyboard(till).types("1X2112X1X2X1122").types("5")
    again = desk.sends_again()
    bet = Bet.objects.get()
    assert again.status_code == 200
    assert "This bet was registered before ACCEPTED" in text_of(again)
    assert "there is one ticket, and it was paid once. If its money was taken already, take nothing more." in text_of(
        again
    )
    assert "BYN 4.00 change" in text_of(again)
    for answer in (desk.answer, again):
        assert bet.ticket in text_of(answer)
    assert cash_in(till) == 100
    assert f"The last sale of this log-in stands: {bet.ticket} , BYN 1.00" in text_of(desk.client.get("/till/"))


def test_the_token_of_one_sale_sells_no_other_coupon() -> None:
    fifteen()
    till = make_till()
    desk = Keyboard(till).types("1X2112X1X2X1122").types("")
    action, form = desk.sent
    answer = desk.client.post(action, {**form, "selections": ";".join("1" * 15)})
    assert answer.status_code == 409
    assert "REFUSED" in text_of(answer)
    assert Bet.objects.count() == 1
    assert cash_in(till) == 100


def test_a_pool_is_chosen_by_its_code_and_stays_chosen() -> None:
    first, other = make_pool(), make_pool("totolot-position")
    desk = Keyboard(make_till())
    desk.types(other.code.lower()).types("1X2*12,50")
    assert "BYN 12.50 to pay" in text_of(desk.answer)
    desk.types("")
    assert Bet.objects.get().pool == other
    assert Focused(desk.presses("Escape").answer).values["pool"] == other.code
    desk.types("1X2")
    assert desk.answer.status_code == 400
    assert "type it behind a star, as in 1X2*5" in text_of(desk.answer)
    desk.types(first.code).types("1X2").types("")
    assert list(Bet.objects.order_by("registered_at").values_list("pool__code", flat=True)) == [other.code, first.code]


@pytest.mark.parametrize("typed", ["1Ч2", "1ч2", "1Х2", "1x2", "1 X 2", "1;X;2", "1жЧж2"])
def test_a_coupon_is_read_whatever_the_keyboard_is_set_to(typed: str) -> None:
    make_pool()
    desk = Keyboard(make_till()).types(typed).types("")
    assert desk.answer.status_code == 201
    assert "1;X;2" in text_of(desk.answer)


def test_a_star_is_a_line_at_random_and_marks_are_counted_for_the_cashier() -> None:
    fifteen()
    till = make_till()
    desk = Keyboard(till).types("1X2")
    assert "REFUSED Coupon. Marks needed: 15; typed: 3." in text_of(desk.answer)
    desk.types("*").types("")
    assert desk.answer.status_code == 201
    assert (Bet.objects.get().lines, Bet.objects.get().stake, cash_in(till)) == (1, 100, 100)


@pytest.mark.parametrize("typed", ["1X", "1X9", "1(X2", "hello", "\x00", "1X2*7", "1X2*ю", "—" * 50, "1" * 4_001])
def test_what_cannot_be_read_sells_nothing_and_says_why(typed: str) -> None:
    make_pool()
    till = make_till()
    answer = visitor(till.cashier).post("/till/field/", {"scan": typed})
    assert answer.status_code == (302 if len(typed) > 4_000 or typed == "\x00" else 400)
    assert answer.status_code == 302 or "REFUSED" in text_of(answer)
    assert not Bet.objects.exists()
    assert cash_in(till) == 0


def test_a_faulty_form_of_a_sale_is_refused_and_nothing_changes() -> None:
    pool, till = make_pool(), make_till()
    client = visitor(till.cashier)
    good = {"pool": pool.code, "selections": "1;X;2", "stake": "1.00", "token": "t" * 32, "given": ""}
    wrong: list[tuple[dict[str, str], int]] = [
        ({"stake": "2.00"}, 400),
        ({"stake": ""}, 400),
        ({"token": ""}, 400),
        ({"selections": "9;9;9"}, 400),
        ({"pool": "NO-SUCH"}, 404),
        ({"given": "\x00"}, 400),
    ]
    for change, status in wrong:
        assert client.post("/till/sell/", {**good, **change}).status_code == status, change
    assert not Bet.objects.exists()
    assert client.post("/till/sell/", good).status_code == 201


def test_the_day_of_a_cashier_by_keyboard() -> None:
    make_pool()
    till = make_till(10_000, shift=False)
    desk = Keyboard(till)
    assert "No shift is open" in text_of(desk.answer)
    desk.types("1X2")  # it is not even read back
    assert desk.answer.status_code == 409
    assert "REFUSED Open a shift at this till first. What to do now: Open the shift: F9." in text_of(desk.answer)
    desk.presses("F9").types("100")
    assert "Shift no. 1" in text_of(desk.answer)
    desk.types("1X2").types("10")
    assert "BYN 9.00 change" in text_of(desk.answer)
    desk.presses("F8").types("80")
    assert "HANDED OVER" in text_of(desk.answer)
    assert "BYN 21.00 cash in the till" in text_of(desk.answer)
    again = desk.sends_again()
    assert "The form was sent twice; it was booked once." in text_of(again)
    assert cash_in(till) == 2_100
    desk.presses("F9").types("21")
    shift = Shift.objects.get()
    assert (shift.expected, shift.counted) == (2_100, 2_100)
    assert "Nothing is sold or paid without an open shift." in text_of(desk.answer)
    assert desk.presses("F2").answer.content.startswith(b"%PDF")
    assert balance(till.ledger_account) == 2_100


def test_every_key_of_the_desk_is_written_on_what_it_does() -> None:
    make_pool()
    page = Keyboard(make_till()).answer
    keys = [link["data-key"] for link in Links(page).found if "data-key" in link]
    assert keys == ["F1", "Escape", "F4", "F6", "F7", "F8", "F9", "F10"]
    access = [link["accesskey"] for link in Links(page).found if "accesskey" in link]
    assert sorted(set(access)) == sorted(access)  # no two acts by one key
    assert Focused(page).field == "scan"
    assert hidden(page, "csrfmiddlewaretoken")
