"""Tickets at the desk's field: whatever layout, paid or told why not, shown to who brought them, on a slip (C7)."""

from typing import Any

import pypdfium2
import pytest

from accounts.models import Till
from payouts.models import Dispute, DisputeKind, LargePayment, Payment, TicketScan
from pools.services.betting import PlacedBet
from pools.services.printed_tickets import qr_text
from pools.services.tickets import barcode_digits
from tests.carding import at_point
from tests.claiming import approved, claimed, make_central, won
from tests.desks import cash_in
from tests.functional.browsing import text_of, visitor
from tests.functional.test_desk_keyboard import Keyboard
from tests.integration.test_keyboard import RUSSIAN, written
from tests.making import make_pool, make_till
from tests.noticing import PHONE, bind, fake_gateway, last_code
from tests.paying import go_to, payable_from
from totalizator.core import clock
from totalizator.core.legal import forget_legal_numbers
from totalizator.core.models import JournalRecord, LegalNumber

pytestmark = pytest.mark.django_db


def ready(till: Till, line: int = 100) -> PlacedBet:
    """A ticket that has won 70 % of a line, on the first day it is paid."""
    pool, slip = won(till, line)
    go_to(payable_from(pool))
    return slip


def posted(desk: Keyboard, address: str, **changes: str) -> Any:
    """Send the page's form of this address: what it asks beside the ticket comes with `changes`."""
    page = desk.answer.content.decode()
    form = page[page.index(f'action="{address}"') :]
    values = {name: form.split(f'name="{name}" value="', 1)[1].split('"', 1)[0] for name in ("ticket", "check_code")}
    values["token"] = form.split('name="token" value="', 1)[1].split('"', 1)[0]
    desk.sent = (address, {**values, **changes})
    desk.answer = desk.client.post(*desk.sent)
    return desk.answer


def words_of(pdf: bytes) -> str:
    return " ".join(" ".join(page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(pdf)).split())


def test_c65_a_scanned_qr_code_is_read_under_a_russian_layout_too() -> None:
    till = make_till(1_000)
    slip = ready(till)
    text = qr_text(slip.bet, slip.check_code)
    desk = Keyboard(till)
    for spelling in (text, written(text, RUSSIAN), text.replace(slip.check_code, slip.check_code.lower())):
        desk.types(spelling)
        assert desk.answer.status_code == 200
        assert "TO BE PAID: BYN 0.70" in text_of(desk.answer)
    paid = posted(desk, "/till/pay/")
    assert "Hand out BYN 0.66" in text_of(paid)
    assert cash_in(till) == 1_000 + 200 - 66


def test_a_ticket_is_typed_with_its_code_or_its_barcode_is_read_and_the_code_asked_for() -> None:
    till = make_till(1_000)
    slip = ready(till)
    assert "TO BE PAID" in text_of(Keyboard(till).types(f"{slip.bet.ticket.lower()} {slip.check_code}").answer)
    for number in (barcode_digits(slip.bet.pool_id, slip.bet.ticket), slip.bet.ticket, qr_text(slip.bet, "")):
        desk = Keyboard(till).types(number)
        assert "TO BE PAID" not in text_of(desk.answer)
        assert "TO BE PAID: BYN 0.70" in text_of(desk.types(slip.check_code).answer)


def test_a_wrong_code_is_refused_kept_nowhere_and_slow_to_guess() -> None:
    till = make_till(1_000)
    slip = ready(till)
    desk = Keyboard(till).types(slip.bet.ticket)
    for _try in range(10):
        desk.types("AAAAAAAAAAAAAA")
        assert desk.answer.status_code == 400
    assert "REFUSED There is no ticket with this number and check code." in text_of(desk.answer)
    assert set(TicketScan.objects.values_list("ticket", "amount")) == {("", 0)}
    assert not JournalRecord.objects.filter(act="scan_ticket").exists()
    desk.types(slip.check_code)
    assert desk.answer.status_code == 429
    assert "Too many wrong codes came from this desk" in text_of(desk.answer)
    assert not Payment.objects.exists()


def test_what_the_customer_sees_is_what_the_cashier_was_told_and_no_code() -> None:
    till, other = make_till(1_000), make_till(1_000)
    slip = ready(till)
    screen = visitor(till.cashier)
    assert "What your ticket has won is shown here" in text_of(screen.get("/till/customer/"))
    desk = Keyboard(till).types(qr_text(slip.bet, slip.check_code))
    shown = screen.get("/till/customer/now/")
    assert "TO BE PAID: BYN 0.70" in text_of(shown)
    assert slip.bet.ticket in text_of(shown)
    posted(desk, "/till/pay/")
    shown = screen.get("/till/customer/")
    assert f"PAID: BYN 0.66 Point {till.point.code}, {till}, " in text_of(shown)
    again = Keyboard(other).types(qr_text(slip.bet, slip.check_code))
    assert f"PAID: BYN 0.66 Point {till.point.code}, {till}, " in text_of(again.answer)  # where and when (C58)
    for page in (shown, visitor(other.cashier).get("/till/customer/")):
        assert "PAID: BYN 0.66" in text_of(page)
        assert slip.check_code not in page.content.decode()
    self_check = visitor().post("/check/", {"ticket": slip.bet.ticket, "check_code": slip.check_code})
    assert f"Paid: BYN 0.70 Ticket {slip.bet.ticket}" in text_of(self_check)


def test_every_check_is_journalled_and_has_a_slip_of_its_till_alone() -> None:
    till, other = make_till(1_000), make_till(1_000)
    slip = ready(till)
    Keyboard(till).types(qr_text(slip.bet, slip.check_code))
    scan = TicketScan.objects.get()
    record = JournalRecord.objects.get(act="scan_ticket")
    assert (record.subject, record.actor) == (f"bet:{slip.bet.ticket}", till.cashier and till.cashier.actor)
    assert record.after == {"till": till.pk, "slip": scan.pk, "standing": "payable", "amount": 70}
    printed = visitor(till.cashier).get(f"/till/checks/{scan.pk}/slip/")
    told = words_of(printed.content)
    assert "TO BE PAID: BYN 0.70" in told
    assert slip.bet.ticket in told
    assert slip.check_code not in told
    width = pypdfium2.PdfDocument(printed.content)[0].get_width()
    assert 226 < width < 227  # 80 mm
    assert visitor(till.cashier).get(f"/till/checks/{scan.pk}/slip/").content == printed.content
    assert visitor(other.cashier).get(f"/till/checks/{scan.pk}/slip/").status_code == 404


def test_x9_a_bound_ticket_is_paid_with_the_code_of_its_phone(settings: Any) -> None:
    with fake_gateway(settings):
        till = make_till(1_000)
        pool, slip = won(till)
        bind(slip, tell=False)
        go_to(payable_from(pool))
        desk = Keyboard(till).types(qr_text(slip.bet, slip.check_code))
        assert "This ticket is bound to a phone" in text_of(desk.answer)
        without = posted(desk, "/till/pay/")
        assert "Type the code that was sent to the phone" in text_of(without)
        assert posted(desk, "/till/pay/phone-code/", phone="12").status_code == 400
        assert "A code is on its way" in text_of(posted(desk, "/till/pay/phone-code/", phone=PHONE))
        code = last_code()
        wrong = f"{(int(code) + 1) % 10**6:06d}"
        assert "Type the code that was sent" in text_of(posted(desk, "/till/pay/", phone_code=wrong))
        assert not Payment.objects.exists()
        assert "Hand out BYN 0.66" in text_of(posted(desk, "/till/pay/", phone_code=code))
        assert cash_in(till) == 1_000 + 200 - 66
        assert TicketScan.objects.count() == 2  # the check, and that it was paid; asking once more is no check


def test_x9_a_lost_ticket_is_paid_by_its_phone(settings: Any) -> None:
    with fake_gateway(settings):
        till = make_till(1_000)
        pool, slip = won(till)
        bind(slip, tell=False)
        go_to(payable_from(pool))
        desk = Keyboard(till).presses("F4")
        token = desk.answer.content.decode().split('name="token" value="', 1)[1].split('"', 1)[0]
        form = {"ticket": slip.bet.ticket, "phone": PHONE, "phone_code": "", "token": token}
        assert desk.client.post("/till/phone/", {**form, "phone": "x"}).status_code == 400
        assert "A code is on its way" in text_of(desk.client.post("/till/phone/", form))
        form["phone_code"] = last_code()
        answers = [desk.client.post("/till/phone/", form) for _time in range(2)]
        assert ["Hand out BYN 0.66" in text_of(answer) for answer in answers] == [True, True]
        assert ["hand out nothing more" in text_of(answer) for answer in answers] == [False, True]
        assert cash_in(till) == 1_000 + 200 - 66


def test_k1_a_large_winning_says_what_to_do_next_at_each_step() -> None:
    LegalNumber.objects.create(name="large_winning_from", valid_from=clock.today(), value="700", source="A test's")
    forget_legal_numbers()
    till, central = make_till(), make_central(make_till(1_000))
    slip = ready(till, 1_000)
    text = qr_text(slip.bet, slip.check_code)
    here = Keyboard(till).types(text)
    assert "It is paid only at a central desk" in text_of(here.answer)
    assert central.point.name in text_of(here.answer)
    assert "Pay in cash" not in text_of(here.answer)
    desk = Keyboard(central).types(text)
    shown = {"full_name": "Янка Купала", "identity_number": "CLAIM00001", "birth_date": "1990-05-31"}
    assert posted(desk, "/till/pay/large/", **shown).status_code == 400
    assert not LargePayment.objects.exists()
    waits = posted(desk, "/till/pay/large/", **shown, document="MP1234567")
    assert "One of the organizer's staff approves it" in text_of(waits).replace("&#x27;", "'")
    assert "Pay in cash" not in text_of(waits)
    assert "One of the organizer" in text_of(desk.sends_again())
    approved(LargePayment.objects.get())
    desk.types(text)
    assert "Hand out BYN 6.65" in text_of(posted(desk, "/till/pay/"))
    assert Payment.objects.get().till == central


def test_a_held_ticket_is_paid_to_nobody_and_the_supervisor_is_called() -> None:
    till = make_till(1_000)
    slip = ready(till)
    desk = Keyboard(till).types(qr_text(slip.bet, slip.check_code))
    claimed(slip, till)
    refused = posted(desk, "/till/pay/")
    assert (refused.status_code, "REFUSED" in text_of(refused)) == (409, True)
    assert "What to do now: Pay nothing, and call the supervisor." in text_of(refused)
    assert "NOT NOW" in text_of(desk.types(qr_text(slip.bet, slip.check_code)).answer)
    assert not Payment.objects.exists()


def test_who_brings_a_ticket_disputes_it_at_the_desk_once_and_it_is_paid_to_nobody() -> None:
    till = make_till(1_000)
    slip = ready(till)
    text = qr_text(slip.bet, slip.check_code)
    desk = Keyboard(till).types(text)
    silent = posted(desk, "/till/dispute/", story="")
    assert (silent.status_code, Dispute.objects.count()) == (400, 0)
    wrong = posted(desk, "/till/dispute/", story="It won more.", check_code="AAAAAAAAAAAAAA")
    assert (wrong.status_code, Dispute.objects.count()) == (400, 0)
    desk.types(text)
    desk_before = desk.answer
    told = posted(desk, "/till/dispute/", story="It won more.")
    opened = Dispute.objects.get()
    assert (told.status_code, f"DISPUTE NO. {opened.pk}" in text_of(told)) == (201, True)
    assert (opened.ticket, opened.kind, opened.opened_by) == (slip.bet.ticket, DisputeKind.DESK, till.cashier)
    assert f"DISPUTE NO. {opened.pk}" in text_of(desk.sends_again())
    held = desk.types(text).answer
    assert "IN DISPUTE" in text_of(held)
    desk.answer = desk_before
    again = posted(desk, "/till/dispute/", story="Again.")
    assert (again.status_code, Dispute.objects.count(), Payment.objects.count()) == (409, 1, 0)
    assert desk.client.get("/till/dispute/").status_code == 302


def test_d2_a_card_is_typed_as_it_is_printed_with_its_series() -> None:
    make_pool()
    till = make_till()
    (card,) = at_point(till)
    for typed in (f"{card.series} {card.number}", f"{card.series.lower()} № {card.number}"):
        assert f"{card.series} {card.number}" in text_of(Keyboard(till).types(typed).answer)
    mistyped = Keyboard(till).types(f"{card.series} {card.number[:-1]}")
    assert (mistyped.answer.status_code, "number has 12 digits; typed: 11." in text_of(mistyped.answer)) == (400, True)
