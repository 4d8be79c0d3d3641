"""The printed ticket (B3, C64): all its fields, every letter, and a code that reads back as the stored bet."""

from datetime import timedelta
from functools import partial
from urllib.parse import unquote
from zoneinfo import ZoneInfo

import pypdfium2
import pytest
import segno
import zxingcpp
from django.conf import settings
from django.utils import translation

from payouts.queries.tickets import find_ticket
from pools.api.documents import placed_document
from pools.documents.ticket import MarkedCondition, TicketFacts, render_ticket
from pools.models import Bet, LogHead
from pools.queries.printed_heads import forget_printed_heads, head_printed_at
from pools.services.printed_tickets import qr_text
from pools.services.printing import print_copy, print_ticket
from pools.services.public_log import append_to_log
from pools.services.tickets import barcode_digits, read_barcode
from tests.making import bet_from_account, bet_in_cash, make_player, make_pool, make_till, somebody
from tests.refusals import refused
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord
from totalizator.core.pdf import BOLD, REGULAR, missing_glyphs
from totalizator.core.signing import operator_key_id, operator_public_key
from totalizator.engine.coupon import read_selections
from totalizator.engine.instants import instant_text
from totalizator.engine.signatures import OPERATOR, PublicKey
from totalizator.engine.ticket import read_ticket, signer_of

ALPHABETS = (
    "абвгдеёжзийклмнопрстуфхцчшщъыьэюяАБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ"
    "ґўіҐЎІабвгджзйклмнпрстфхцчшʼ'’№₽«»„“—–−…·"
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    "àáâäãåçèéêëìíîïñòóôöõøùúûüýÿšžœæßÀÁÂÄÃÅÇÈÉÊËÌÍÎÏÑÒÓÔÖÕØÙÚÛÜÝŠŽŒÆłŁğşıİ"
)


def text_of(pdf: bytes) -> str:
    page = pypdfium2.PdfDocument(pdf)[0]
    return str(page.get_textpage().get_text_range()).replace("\r\n", "\n").replace("\xa0", " ")


# What a ticket has: any row of black and white can pass for a code of a kind without a check.
KINDS = [zxingcpp.BarcodeFormat.QRCode, zxingcpp.BarcodeFormat.Code128]


def code_in(pdf: bytes, kind: zxingcpp.BarcodeFormat = zxingcpp.BarcodeFormat.QRCode) -> str:
    """Read a code from a picture of the page as a 203 dpi receipt printer makes it."""
    picture = pypdfium2.PdfDocument(pdf)[0].render(scale=203 / 72).to_pil()
    codes = {code.format: code.text for code in zxingcpp.read_barcodes(picture, formats=zxingcpp.BarcodeFormats(KINDS))}
    assert set(codes) == set(KINDS)
    return codes[kind]


@pytest.mark.parametrize("font", [REGULAR, BOLD])
def test_c64_the_fonts_hold_every_letter(font: str) -> None:
    assert missing_glyphs(ALPHABETS, font) - set("ʼ") == set()


def facts(name: str) -> TicketFacts:
    return TicketFacts(
        operator=name,
        game="Спортлото-Позиция",
        pool_code="2411-1",
        pool_name=name,
        ticket="2411-1-7K3M9QX2RA",
        qr="https://example.org/t/2411-1-7K3M9QX2RA/#T3&ABCDE12345WXYZ&1+X",
        barcode=barcode_digits(12, "2411-1-7K3M9QX2RA"),
        check_code="ABCDE12345WXYZ",
        conditions=[MarkedCondition("1", name, "1 X")],
        lines=2,
        stake=123_456,
        shown_time="01.12.2026 09:00:00 (Europe/Minsk)",
        place="P1/1",
        cashier="7",
        claim_term="12 недель",
        terms_digest="sha256:" + "0123456789abcdef" * 4,
        rules_version="sha256:" + "fedcba9876543210" * 4,
    )


def test_c64_cyrillic_stays_itself_and_fonts_are_embedded() -> None:
    name = "Щукин Ёж, № 5, «Динамо» – ўұ"
    with translation.override("ru"):
        pdf = render_ticket(facts(name))
    assert name in text_of(pdf)
    assert "■" not in text_of(pdf)
    assert b"/FontFile2" in pdf
    assert b"/Helvetica" not in pdf


def test_a_letter_outside_the_font_is_replaced_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    pdf = render_ticket(facts("日本"))
    assert "??" in text_of(pdf)
    assert "U+65E5" in caplog.text


def test_the_same_facts_give_the_same_bytes() -> None:
    assert render_ticket(facts("Матч")) == render_ticket(facts("Матч"))
    assert render_ticket(facts("Матч")) != render_ticket(facts("Матчи"))


@pytest.mark.django_db
def test_b3_a_ticket_shows_everything_and_its_code_is_the_stored_bet() -> None:
    pool, till = make_pool(), make_till(time_zone="Asia/Yekaterinburg")
    placed = bet_in_cash(pool, till, "1;X;1+2", 200)
    pdf = print_ticket(placed, language="ru")
    text, bet = text_of(pdf), Bet.objects.get(ticket=placed.bet.ticket)
    code = placed.check_code
    for shown in (
        pool.code,
        bet.ticket,
        f"{code[:5]}-{code[5:10]}-{code[10:]}",
        "1. Матч 1",
        "2,00 BYN",
        "Asia/Yekaterinburg",
        f"{till.point.code}/1",
        bet.terms_digest[7:23],
        bet.rules_version[7:23],
        "12",
    ):
        assert shown in text
    held = code_in(pdf)
    page, _mark, told = held.partition("#")
    version, read_code, *_rest = map(unquote, told.split("&"))
    assert page == f"{settings.SITE_URL}/t/{bet.ticket}/"
    assert (version, read_code) == ("T3", code)
    printed, signature = read_ticket(held)
    operators = {operator_key_id(): PublicKey(operator_public_key(), OPERATOR)}
    assert (printed.ticket, printed.stake, printed.terms) == (bet.ticket, bet.stake, pool.terms_digest)
    assert read_selections(pool.terms, printed.selections).bits == bet.bits
    assert printed.registered_at == bet.registered_at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    assert signer_of(printed, signature, operators) == operator_key_id()
    assert placed_document(placed)["qr"] == held


@pytest.mark.django_db
def test_x2_a_copy_carries_the_same_signature_and_no_check_code() -> None:
    placed = bet_in_cash(make_pool(), make_till(), "1;X;1+2", 200)
    ticket, copy = code_in(print_ticket(placed)), code_in(print_copy(placed.bet, actor="test"))
    assert read_ticket(ticket) == read_ticket(copy)
    assert copy == ticket.replace(f"&{placed.check_code}&", "&&")


@pytest.mark.django_db
def test_the_code_of_a_long_coupon_is_read_from_an_80_mm_ticket() -> None:
    """Fifteen conditions, seven of them with three marks: modules of three dots and more at 203 dpi."""
    pool = make_pool(conditions=15)
    selections = ";".join(["1+X+2"] * 7 + ["1"] * 8)
    placed = bet_in_cash(pool, make_till(), selections, 100 * 3**7, person=somebody())
    held = code_in(print_ticket(placed))
    assert read_ticket(held)[0].selections == selections
    modules = segno.make_qr(held, error="m").symbol_size(border=4)[0]
    assert 38 * 203 // (254 * modules // 10) >= 3  # 38 mm; dots of one module


@pytest.mark.django_db
def test_c59_a_reprint_is_a_copy_without_a_check_code_and_is_journalled() -> None:
    pool, player = make_pool(), make_player(1_000)
    placed = bet_from_account(pool, player, "1;1;1", 100)
    with translation.override("en"):
        pdf = print_copy(placed.bet, actor=player.actor, language="en")
    text = text_of(pdf)
    assert "COPY" in text
    assert placed.bet.ticket in text
    assert placed.check_code[:5] not in text
    assert JournalRecord.objects.filter(act="reprint_ticket", subject=f"bet:{placed.bet.ticket}").count() == 1


@pytest.mark.django_db
def test_the_code_holds_no_names() -> None:
    player = make_player(1_000)
    placed = bet_from_account(make_pool(), player, "1;1;1", 100)
    text = qr_text(placed.bet, placed.check_code)
    assert text.isascii()
    assert player.username not in text


@pytest.mark.django_db
def test_c65_the_barcode_of_a_ticket_holds_digits_with_a_check_digit_and_finds_it() -> None:
    placed = bet_in_cash(make_pool(), make_till(), "1;X;1", 100)
    digits = code_in(print_ticket(placed, language="ru"), zxingcpp.BarcodeFormat.Code128)
    assert digits.isascii()
    assert digits.isdigit()
    assert read_barcode(digits) == (placed.bet.pool_id, placed.bet.ticket.rpartition("-")[2])
    assert find_ticket(digits, placed.check_code) == placed.bet
    # Any one wrong digit is found out.
    for place, digit in enumerate(digits):
        wrong = digits[:place] + str((int(digit) + 1) % 10) + digits[place + 1 :]
        assert read_barcode(wrong) is None
        assert refused(partial(find_ticket, wrong, placed.check_code)).code == Refusal.WRONG_CODE


@pytest.mark.parametrize("digits", ["", "7", "12345678901234567", "1" * 40, "١٢٣٤٥٦٧٨٩٠١٢٣٤٥٦٧٨", "D1-1-7K3M9QX2RA"])
def test_what_is_no_tickets_barcode_is_none(digits: str) -> None:
    assert read_barcode(digits) is None


@pytest.mark.django_db
def test_x6_a_ticket_carries_the_head_that_its_time_leads_to_and_a_copy_the_same() -> None:
    pool, till = make_pool(), make_till()
    assert head_printed_at(bet_in_cash(pool, till, "1;1;1", 100).bet.registered_at) is None
    append_to_log(kind="journal", subject="journal", document=b"1", at=clock.now())
    head = LogHead.objects.get(size=1)
    assert head_printed_at(head.at + timedelta(seconds=59)) is None
    clock.move_clock(timedelta(minutes=3))
    placed = bet_in_cash(pool, till, "1;1;1", 100)
    append_to_log(kind="journal", subject="journal", document=b"2", at=clock.now())
    shown = f"1 {head.root[:32]} {instant_text(head.at)[:19]}Z"
    ticket = print_ticket(placed, language="en")
    assert f"Public log {shown}" in text_of(ticket).replace("\n", " ")
    clock.move_clock(timedelta(minutes=30))
    forget_printed_heads()
    assert print_ticket(placed, language="en") == ticket
    assert shown in text_of(print_copy(placed.bet, actor="test", language="en")).replace("\n", " ")
    assert placed_document(placed)["log_head"] == {"size": 1, "root": head.root, "at": instant_text(head.at)}
    assert head_printed_at(placed.bet.registered_at + timedelta(minutes=9)).size == 2  # type: ignore[union-attr]


@pytest.mark.django_db
def test_c31_a_printed_ticket_tells_the_time_of_its_point() -> None:
    placed = bet_in_cash(make_pool(), make_till(time_zone="Asia/Yekaterinburg"), "1;X;1", 100)
    there = placed.bet.registered_at.astimezone(ZoneInfo("Asia/Yekaterinburg"))
    assert f"{there:%d.%m.%Y %H:%M:%S} (Asia/Yekaterinburg)" in text_of(print_ticket(placed, language="ru"))
