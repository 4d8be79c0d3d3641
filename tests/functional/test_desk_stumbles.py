"""Where a cashier stumbled: tickets of a file, receipts, what was mistyped, the customer's screen, logging in."""

from datetime import timedelta
from typing import Any

import pypdfium2
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Handover, NumberedDocument, Role, TopUp
from accounts.services.bank_terms import record_cash_limit
from pools.models import Bet
from pools.services.printed_tickets import qr_text
from pools.views import files
from tests.carding import at_point
from tests.desks import FIRST, cash_in, end_shift, keeper
from tests.functional.browsing import hidden, text_of, visitor
from tests.functional.test_desk_keyboard import Focused, Keyboard, fifteen
from tests.functional.test_desk_scans import ready
from tests.making import make_player, make_pool, make_till, make_user
from tests.paying import go_to
from totalizator.core import clock
from totalizator.core.plain_words import grouped, without_decisions, without_references

pytestmark = pytest.mark.django_db


def pages_of(answer: Any) -> list[str]:
    pages = pypdfium2.PdfDocument(answer.content)
    return [" ".join(page.get_textpage().get_text_range().split()) for page in pages]


def test_b7_the_tickets_of_a_file_are_printed_with_their_codes_in_one_run(
    settings: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool, till = make_pool(), make_till()
    cashier = visitor(till.cashier)
    form = {"text": "1X2\n\n1(X2)2\n222", "stake": ""}
    checked = cashier.post(f"/pools/{pool.code}/upload/", form)
    assert "BYN 0.00 cash in the till" in text_of(checked)
    form["token"] = hidden(checked, "token")
    where = f"/till/batches/{pool.code}/print/"
    unsold = cashier.post(where, {**form, "first": "1"})
    assert ("Nothing was bought with this form" in text_of(unsold), Bet.objects.count()) == (True, 0)
    sold = cashier.post(f"/pools/{pool.code}/upload/sell/", form)
    assert (f'action="{where}"' in sold.content.decode(), "BYN 4.00 cash in the till" in text_of(sold)) == (True, True)
    printed = cashier.post(where, {**form, "first": "1"})
    codes = [one.check_code for one in sold.context["placed"]]
    pages = pages_of(printed)
    assert [(grouped(code) in page, "COPY" in page) for code, page in zip(codes, pages, strict=True)] == [
        (True, False)
    ] * 3
    assert all(grouped(code) in text_of(sold) for code in codes)
    assert (Bet.objects.count(), cash_in(till)) == (3, 400)
    assert [cashier.post(where, {**form, "first": first}).status_code for first in ("0", "2", "x", "")] == [404] * 4
    assert visitor(make_till().cashier).post(where, {**form, "first": "1"}).status_code == 404
    assert cashier.get(where).status_code == 302
    monkeypatch.setattr(files, "PRINTED_AT_ONCE", 2)
    again = cashier.post(f"/pools/{pool.code}/upload/sell/", form)
    assert "Print tickets 1–2" in text_of(again)
    assert len(pages_of(cashier.post(where, {**form, "first": "3"}))) == 1
    settings.TILL_PRINTERS = {str(till): str(tmp_path / "printer")}
    (tmp_path / "printer").touch()
    assert "PRINTED" in text_of(cashier.post(where, {**form, "first": "1"}))
    assert all(grouped(code).encode() in (tmp_path / "printer").read_bytes() for code in codes[:2])
    assert (Bet.objects.count(), cash_in(till)) == (3, 400)


def test_c59_top_ups_and_cards_have_receipts_and_later_copies(settings: Any, tmp_path: Any) -> None:
    till, player = make_till(), make_player()
    cashier = visitor(till.cashier)
    (card,) = at_point(till)
    read = cashier.post("/till/top-up/", {"username": player.username, "amount": "12,50"})
    form = {name: hidden(read, name) for name in ("username", "amount", "token")}
    done = cashier.post("/till/top-up/", {**form, "given": ""})
    shown = cashier.post("/till/field/", {"scan": card.number})
    sale = {name: hidden(shown, name) for name in ("series", "number", "token")}
    sold = cashier.post("/till/cards/sell/", {**sale, "given": ""})
    top_up = f"/till/top-ups/{TopUp.objects.get().pk}/receipt/"
    of_card = f"/till/cards/{card.number}/receipt/"
    for page, where, said in ((done, top_up, "12.50"), (sold, of_card, f"{card.series} {card.number}")):
        assert (f'action="{where}"' in page.content.decode(), 'data-key="F2"' in page.content.decode()) == (True, True)
        (first,), (again,) = pages_of(cashier.post(where)), pages_of(cashier.post(where))
        assert (said in first, "COPY" in first, "COPY" in again) == (True, False, True)
        assert cashier.get(where).status_code == 302
        assert visitor(make_till().cashier).post(where).status_code == 404
        assert f'action="{where}"' in cashier.get("/till/sales/").content.decode()
    assert NumberedDocument.objects.count() == 2
    assert cash_in(till) == 1_250 + 1_000
    settings.TILL_PRINTERS = {str(till): str(tmp_path / "printer")}
    (tmp_path / "printer").touch()
    assert "PRINTED" in text_of(cashier.post(of_card))
    assert card.number.encode() in (tmp_path / "printer").read_bytes()


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("1X2", "Coupon. Marks needed: 15; typed: 3."),
        ("1X2112X1X2X112!", "Coupon. "),
        ("T-1-7K3M9QX2R", "Ticket. A ticket's number ends in a dash and 10 letters and digits; typed: 9."),
        ("T-1-7K3M9QX2RA 12345", "Ticket. The check code has 14 letters and digits; typed: 5."),
        ("t-999", "Code of the pool. No pool on sale has the code T-999. On sale: "),
        ("12345678901", "Prepaid card. A card's number has 12 digits; typed: 11."),
        ("123456789013", "Prepaid card. A digit of the card's number is wrong"),
    ],
)
def test_what_was_mistyped_is_named_with_what_was_expected_and_stays_in_the_field(typed: str, said: str) -> None:
    fifteen()
    till = make_till()
    desk = Keyboard(till).types(typed)
    assert desk.answer.status_code == 400
    assert f"REFUSED {said}" in text_of(desk.answer).replace("&#x27;", "'")
    assert (Focused(desk.answer).field, Focused(desk.answer).values["scan"]) == ("scan", typed)
    assert (Bet.objects.count(), cash_in(till)) == (0, 0)


def test_a_code_of_the_wrong_length_says_so_and_stays() -> None:
    till = make_till(1_000)
    slip = ready(till)
    desk = Keyboard(till).types(slip.bet.ticket).types("ABC")
    assert "The check code has 14 letters and digits; typed: 3." in text_of(desk.answer)
    assert Focused(desk.answer).values["check_code"] == "ABC"
    desk.types("A" * 14)
    assert "There is no ticket with this number and check code." in text_of(desk.answer)
    assert Focused(desk.answer).values == {
        "csrfmiddlewaretoken": hidden(desk.answer, "csrfmiddlewaretoken"),
        "ticket": slip.bet.ticket,
        "check_code": "A" * 14,
    }


def test_without_a_shift_nothing_is_read_back_and_the_first_word_is_to_open_one() -> None:
    make_pool()
    till = make_till(shift=False)
    (card,) = at_point(till)
    for typed in ("1X2", "1X", "*", card.number):
        page = Keyboard(till).types(typed).answer
        assert page.status_code == 409
        assert "Open a shift at this till first. What to do now: Open the shift: F9. Open a shift Enter" in text_of(
            page
        )
        assert 'href="/till/shift/open/" data-main' in page.content.decode()
    assert "Open a shift at this till first." in text_of(Keyboard(till).presses("F7").answer)


def test_more_than_the_till_holds_is_refused_at_the_sum_with_what_it_holds() -> None:
    till = make_till(500)
    desk = Keyboard(till).presses("F8").types("5.01")
    assert "The till holds BYN 5.00 by the books: no more can be handed over." in text_of(desk.answer)
    assert (Focused(desk.answer).field, Focused(desk.answer).values["amount"]) == ("amount", "5.01")
    assert (Handover.objects.count(), cash_in(till)) == (0, 500)


def test_the_customers_screen_is_empty_after_the_next_act_after_a_while_and_after_the_shift() -> None:
    till = make_till(1_000)
    slip = ready(till)
    text, screen = qr_text(slip.bet, slip.check_code), visitor(till.cashier)

    def shows() -> bool:
        return slip.bet.ticket in text_of(screen.get("/till/customer/now/"))

    desk = Keyboard(till).types(text)
    assert shows()
    desk.types("AAAA")  # what cannot be read is still about this customer
    assert shows()
    desk.presses("Escape")
    assert not shows()
    desk.types(text)
    assert shows()
    make_pool()
    desk.types("1X2")
    assert not shows()
    Keyboard(till).types(text)
    at = clock.now()
    go_to(at + timedelta(minutes=1, seconds=50))
    screen = visitor(till.cashier)
    assert shows()
    go_to(at + timedelta(minutes=2, seconds=1))
    assert not shows()
    Keyboard(till).types(text)
    assert shows()
    end_shift(till)
    assert not shows()


def test_a_log_in_leads_to_the_own_desk_and_the_name_has_the_focus() -> None:
    page = visitor().get("/account/login/")
    assert Focused(page).field == "login"
    assert "autofocus" not in visitor().post("/account/login/", {"login": "x", "password": "y"}).content.decode()
    till = make_till()
    assert till.cashier is not None
    for person, desk in (
        (till.cashier, "/till/"),
        (make_user(Role.CASHIER), "/"),  # who has no till yet
        (make_user(Role.COMMISSION), "/commission/"),
        (make_user(Role.ORGANIZER), "/desk/"),
        (make_player(), "/"),
    ):
        form = {"login": person.username, "password": "correct horse battery"}
        assert visitor().post("/account/login/", form)["Location"] == desk
        assert visitor().post("/account/login/?next=/rules/", {**form, "next": "/rules/"})["Location"] == "/rules/"


def test_cash_and_its_limit_are_in_sight_wherever_a_cashier_works_and_no_rule_is_cited_there() -> None:
    pool, till = make_pool(), make_till(500)
    record_cash_limit(point=till.point, amount=550, valid_from=FIRST, document="Letter 1", by=keeper())
    cashier = visitor(till.cashier)
    read = cashier.post("/till/field/", {"scan": "1X2"})
    checked = cashier.post(f"/pools/{pool.code}/upload/", {"text": "1X2"})
    pages = [
        cashier.get(f"/till/{page}/") for page in ("sales", "top-up", "handover", "phone", "claims", "shift/close")
    ]
    for page in (*pages, read, checked, cashier.get(f"/pools/{pool.code}/upload/")):
        assert "BYN 5.00 in all tills of the point, of BYN 5.50 allowed" in text_of(page)
        assert "¶" not in text_of(page)
    refused = cashier.post(
        "/till/sell/", {name: hidden(read, name) for name in ("pool", "selections", "stake", "token")}
    )
    assert "The bank lets this point hold BYN 5.50; hand cash over first." in text_of(refused)
    with CaptureQueriesContext(connection) as asked:
        cashier.get("/till/")
    assert len([one for one in asked if "totalizator_now" not in (one["sql"] or "")]) <= 11


def test_words_for_people_in_a_queue() -> None:
    assert without_references("Neither changed nor cancelled (¶27).") == "Neither changed nor cancelled."
    assert without_references("Not in force (¶11, D-6): (see below).") == "Not in force: (see below)."
    assert without_decisions("Rounded down (¶11, D-6). Returned (D-12, D-16). Of both (¶23).") == (
        "Rounded down (¶11). Returned. Of both (¶23)."
    )
    assert grouped("0123456789ABCD") == "01234-56789-ABCD"


def test_a_pool_is_managed_with_few_questions_whatever_its_state() -> None:
    pool, staff = make_pool(), make_user(Role.ORGANIZER)
    client = visitor(staff)
    page = f"/desk/pools/{pool.code}/"
    client.get(page)
    with CaptureQueriesContext(connection) as asked:
        assert client.get(page).status_code == 200
    assert len(asked) <= 15
