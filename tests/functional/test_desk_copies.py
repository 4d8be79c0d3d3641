"""The desk's copies, which buy and claim nothing, and coupons that a prepaid card pays there (C36, C59, C61, ¶35.2)."""

from typing import Any

import pypdfium2
import pytest

from accounts.models import Role, Till
from payouts.models import Payment
from pools.models import Bet, Channel
from tests.carding import at_point, bought
from tests.claiming import won
from tests.functional.browsing import hidden, text_of, visitor
from tests.making import bet_in_cash, make_pool, make_till, make_user
from tests.paying import go_to, pay, payable_from
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db


def text_of_pdf(answer: Any) -> str:
    (page,) = pypdfium2.PdfDocument(answer.content)
    return " ".join(page.get_textpage().get_text_range().split())


def desk(till: Till) -> Any:
    assert till.cashier is not None
    return visitor(till.cashier)


def test_c59_the_shifts_sales_are_printed_again_as_copies_that_claim_nothing() -> None:
    till, pool = make_till(), make_pool()
    placed, other = bet_in_cash(pool, till, "1;X;2", 100), bet_in_cash(pool, make_till(), "1;X;2", 100)
    cashier = desk(till)
    page = cashier.get("/till/sales/")
    assert (placed.bet.ticket in text_of(page), other.bet.ticket in text_of(page)) == (True, False)
    where = f"/till/sales/{placed.bet.ticket}/copy/"
    assert f'action="{where}"' in page.content.decode()
    assert (cashier.get(where).status_code, cashier.get(where)["Location"]) == (302, "/till/sales/")
    before = Bet.objects.count()
    copy = cashier.post(where)
    text = text_of_pdf(copy)
    assert (copy["Content-Type"], "COPY" in text, placed.bet.ticket in text) == ("application/pdf", True, True)
    code = placed.check_code
    assert [part for part in (code[:5], code[5:10], code) if part in text] == []
    assert (Bet.objects.count(), Payment.objects.count()) == (before, 0)
    assert JournalRecord.objects.filter(act="reprint_ticket", subject=f"bet:{placed.bet.ticket}").count() == 1
    assert cashier.post(f"/till/sales/{other.bet.ticket}/copy/").status_code == 404
    assert cashier.post("/till/sales/NO-SUCH/copy/").status_code == 404
    assert JournalRecord.objects.filter(act="reprint_ticket").count() == 1
    assert visitor(make_user(Role.ORGANIZER)).post(where).status_code == 403


def test_c59_a_receipt_of_the_shift_is_printed_again_as_a_copy() -> None:
    till = make_till(1_000)
    pool, slip = won(till)
    go_to(payable_from(pool))
    cashier = desk(till)
    paid = pay(slip, till)
    page = cashier.get("/till/sales/").content.decode()
    where = f"/till/receipts/{paid.ticket}/"
    assert f'action="{where}"' in page
    first, again = cashier.post(where), cashier.post(where)
    assert ("COPY" in text_of_pdf(first), "COPY" in text_of_pdf(again)) == (False, True)
    assert Payment.objects.count() == 1


def test_p35_a_card_scanned_while_a_coupon_is_read_back_pays_it() -> None:
    till, pool = make_till(), make_pool()
    card, poor = bought(till, 1, 1_000)[0], bought(till, 1, 200)[0]
    cashier = desk(till)
    read = cashier.post("/till/field/", {"scan": "1X(12)", "pool": pool.code})
    assert "Is this your coupon?" in text_of(read)
    carried = {name: hidden(read, name) for name in ("pool", "selections", "stake", "token")}
    assert carried["stake"] == "2.00"
    scan = {f"carried_{name}": value for name, value in carried.items()}
    again = cashier.post("/till/field/", {"scan": card.number} | scan)
    assert ("Is this your coupon?" in text_of(again), hidden(again, "token")) == (True, carried["token"])
    assert f'value="{card.number}"' in again.content.decode()
    pays = carried | {"by_card": "1", "series": card.series, "number": card.number, "code": card.code}
    for broken in ({"code": ""}, {"code": "WRONG-CODE"}):
        refused = cashier.post("/till/sell/", pays | broken)
        assert (refused.status_code >= 400, "Is this your coupon?" in text_of(refused)) == (True, True)
        assert hidden(refused, "token") == carried["token"]
    assert not Bet.objects.exists()
    assert card.money == 1_000
    sold = cashier.post("/till/sell/", pays)
    text = text_of(sold)
    assert (sold.status_code, "ACCEPTED" in text, "BYN 8.00 is left on it" in text) == (201, True, True)
    bet = Bet.objects.get()
    assert (bet.channel, bet.till, bet.stake, card.money) == (Channel.CARD, till, 200, 800)
    twice = cashier.post("/till/sell/", pays)
    assert (twice.status_code, "registered before" in text_of(twice)) == (200, True)
    in_cash = cashier.post("/till/sell/", carried | {"given": ""})
    assert (in_cash.status_code, "that bet stands" in text_of(in_cash)) == (409, True)
    assert (Bet.objects.count(), card.money, poor.money) == (1, 800, 200)
    ticket = cashier.post(f"/pools/{pool.code}/ticket.pdf", {"held": hidden(sold, "held")})
    assert bet.ticket in text_of_pdf(ticket)
    assert bet.ticket in text_of(cashier.get("/till/sales/"))


def test_c36_a_coupon_that_cash_has_paid_is_not_paid_by_a_card_and_a_poor_card_pays_nothing() -> None:
    till, pool = make_till(), make_pool()
    card = bought(till, 1, 200)[0]
    cashier = desk(till)
    read = cashier.post("/till/field/", {"scan": "(1X)(12)2", "pool": pool.code})
    carried = {name: hidden(read, name) for name in ("pool", "selections", "stake", "token")}
    pays = carried | {"by_card": "1", "series": card.series, "number": card.number, "code": card.code}
    poor = cashier.post("/till/sell/", pays)
    assert (poor.status_code >= 400, "Is this your coupon?" in text_of(poor)) == (True, True)
    assert (Bet.objects.count(), card.money) == (0, 200)
    assert cashier.post("/till/sell/", carried | {"given": "5"}).status_code == 201
    refused = cashier.post("/till/sell/", pays)
    assert (refused.status_code, "that bet stands" in text_of(refused)) == (409, True)
    assert (Bet.objects.count(), card.money) == (1, 200)


def test_a_scanned_card_without_a_coupon_is_still_shown_and_a_spoilt_coupon_is_refused() -> None:
    till = make_till()
    (card,) = at_point(till)
    cashier = desk(till)
    assert "Prepaid card" in text_of(cashier.post("/till/field/", {"scan": card.number}))
    spoilt = cashier.post("/till/field/", {"scan": card.number, "carried_token": "x", "carried_pool": "NO"})
    assert spoilt.status_code == 400


def test_a_card_that_is_scanned_where_money_is_typed_is_no_amount() -> None:
    till, pool = make_till(), make_pool()
    (card,) = at_point(till)
    cashier = desk(till)
    read = cashier.post("/till/field/", {"scan": "1X2", "pool": pool.code})
    carried = {name: hidden(read, name) for name in ("pool", "selections", "stake", "token")}
    again = cashier.post("/till/sell/", carried | {"given": card.number})
    page = again.content.decode()
    assert ("Is this your coupon?" in page, hidden(again, "token"), f'value="{card.number}"' in page) == (
        True,
        carried["token"],
        True,
    )
    shown = cashier.post("/till/field/", {"scan": card.number})
    sale = {name: hidden(shown, name) for name in ("series", "number", "token")}
    twice = cashier.post("/till/cards/sell/", sale | {"given": card.number})
    assert (twice.status_code, "This is the number of a card." in text_of(twice)) == (400, True)
    assert (Bet.objects.count(), card.card.sold_at) == (0, None)


def test_the_change_is_reckoned_while_it_is_typed_wherever_cash_is_taken() -> None:
    till, pool = make_till(), make_pool()
    cashier = desk(till)
    read = cashier.post("/till/field/", {"scan": "1X(12)", "pool": pool.code}).content.decode()
    assert ('data-due="200"' in read, "js/change" in read) == (True, True)
    (card,) = at_point(till)
    assert 'data-due="1000"' in cashier.post("/till/field/", {"scan": card.number}).content.decode()


def test_c68_a_till_with_its_own_printer_prints_there_and_the_desk_says_so(tmp_path: Any, settings: Any) -> None:
    till, pool, paper = make_till(), make_pool(), tmp_path / "lp0"
    paper.write_bytes(b"")
    settings.TILL_PRINTERS = {str(till): str(paper)}
    cashier = desk(till)
    read = cashier.post("/till/field/", {"scan": "1X2", "pool": pool.code})
    carried = {name: hidden(read, name) for name in ("pool", "selections", "stake", "token")}
    sold = cashier.post("/till/sell/", carried | {"given": "5"})
    assert 'target="_blank"' not in sold.content.decode().split('action="/till/tickets/')[1][:200]
    where = f"/till/tickets/{pool.code}/print/"
    printed = cashier.post(where, carried)
    ticket = Bet.objects.get().ticket
    assert (printed.status_code, "PRINTED" in text_of(printed)) == (200, True)
    assert ticket.encode() in paper.read_bytes()
    paper.write_bytes(b"")
    assert "PRINTED" in text_of(cashier.post(f"/till/sales/{ticket}/copy/"))
    assert b"COPY" in paper.read_bytes()
    nothing = cashier.post(where, carried | {"token": "t" * 20})
    assert (nothing.status_code, Bet.objects.count()) == (404, 1)
    assert cashier.get(where).status_code == 302
    settings.TILL_PRINTERS = {str(till): str(tmp_path / "none" / "lp0")}
    silent = cashier.post(where, carried)
    assert (silent.status_code, "printer does not answer" in text_of(silent)) == (503, True)
    assert "What was sold or paid stands" in text_of(silent)
    assert (hidden(silent, "token"), f'action="{where}"' in silent.content.decode()) == (carried["token"], True)
    settings.TILL_PRINTERS = {}
    assert cashier.post(where, carried)["Content-Type"] == "application/pdf"
