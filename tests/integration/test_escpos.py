"""Strips for receipt printers: the very bytes, in a Cyrillic code page, with the signed ticket's QR code (C65, C68)."""

from pathlib import Path

import pytest
from django.utils import translation

from accounts.documents.escpos import escpos_slip, printable
from accounts.documents.slip import SlipRow
from accounts.services.till_printers import print_at, printer_of
from pools.documents.ticket import escpos_ticket
from pools.services.printed_tickets import TicketVerdict, judge_ticket, qr_text
from pools.services.printing import print_copy, print_ticket
from pools.services.tickets import barcode_digits
from tests.making import bet_in_cash, make_pool, make_till
from tests.refusals import refused
from totalizator.core.errors import Refusal
from totalizator.core.pdf import BOLD

BEGINS = b"\x1b@\x1c.\x1bt\x11"  # as new; one byte a sign; code page 866
PLAIN, BOLD_ONE = b"\x1b!\x00\x1b!\x00\x1b!\x00\x1bE\x00", b"\x1b!\x00\x1b!\x00\x1b!\x00\x1bE\x01"
LARGE = b"\x1b!\x00\x1b!\x00\x1b!0\x1bE\x01"
LEFT, CENTRED = b"\x1ba\x00", b"\x1ba\x01"
ENDS = b"\x1bd\x06\x1dV\x00"  # out of the printer, and cut


def qr_of(content: bytes) -> bytes:
    """The text that the printer is told to draw as a QR code: function 180 of GS ( k."""
    start = content.index(b"\x1d(k", content.index(b"\x31\x50\x30") - 5)
    length = int.from_bytes(content[start + 3 : start + 5], "little")
    assert content[start + 5 : start + 8] == b"\x31\x50\x30"
    return content[start + 8 : start + 5 + length]


def test_c68_a_strip_is_these_very_bytes_in_code_page_866() -> None:
    rows = [
        SlipRow("Тотализатор", 10, BOLD, centred=True),
        SlipRow("Ставка", right="1,00 BYN"),
        SlipRow("Ўсё", 12, BOLD, rule=True),
    ]
    assert escpos_slip("1", rows) == b"".join(
        (
            BEGINS,
            BOLD_ONE + CENTRED + "Тотализатор\n".encode("cp866"),
            PLAIN + LEFT + ("Ставка" + " " * 34 + "1,00 BYN\n").encode("cp866"),
            PLAIN + LEFT + b"-" * 48 + b"\n",
            LARGE + LEFT + "Ўсё\n".encode("cp866"),
            ENDS,
        )
    )


def test_c68_cyrillic_goes_out_after_the_command_for_its_code_page() -> None:
    strip = escpos_slip("1", [SlipRow("Кириллица")])
    assert strip.index(BEGINS) < strip.index(bytes.fromhex("8A A8 E0 A8 AB AB A8 E6 A0"))


def test_c68_what_the_code_page_lacks_is_written_by_what_looks_the_same(caplog: pytest.LogCaptureFixture) -> None:
    assert printable("Гульнявыя рахункі — «Мінск» №\u00a01…") == 'Гульнявыя рахункi - "Мiнск" № 1...'
    assert caplog.messages == []
    assert printable("Ґ 漢 ¶35.3") == "Г ? п. 35.3"
    assert caplog.messages == ["not in CP866: U+6F22"]


def test_c68_no_text_gives_the_printer_an_order(caplog: pytest.LogCaptureFixture) -> None:
    """ESC, GS and the orders that are obeyed at once (DLE), such as to open the drawer, stay text."""
    assert printable("a\x1bm\x1dV\x10\x14\x01b\x00\x7f") == "a?m?V???b??"
    assert "U+001B" in caplog.messages[0]
    orders, body = escpos_slip("1", [SlipRow("")]), escpos_slip("1", [SlipRow("\x1b@\x1dV\x00")])
    assert [body.count(order) for order in b"\x1b\x1d\x10"] == [orders.count(order) for order in b"\x1b\x1d\x10"]


def test_a_long_row_is_broken_and_its_amount_stands_at_the_right() -> None:
    line = escpos_slip("1", [SlipRow("очень " * 12, right="1,00 BYN")])
    words = [part.decode("cp866") for part in line.split(b"\n")]
    assert max(len(word.rpartition("\x1ba\x00")[2]) for word in words[:-1]) <= 48
    assert words[0].endswith("1,00 BYN")


@pytest.mark.django_db
def test_b3_a_printed_ticket_carries_its_signed_qr_code_and_barcode_and_a_copy_no_check_code() -> None:
    placed = bet_in_cash(make_pool(), make_till(), "1;X;2", 100)
    ticket = print_ticket(placed, language="ru", draw=escpos_ticket)
    assert ticket == print_ticket(placed, language="ru", draw=escpos_ticket)
    held = qr_of(ticket).decode()
    assert held == qr_text(placed.bet, placed.check_code)
    assert judge_ticket(held, placed.bet.ticket).verdict == TicketVerdict.BOOKED
    digits = barcode_digits(placed.bet.pool_id, placed.bet.ticket)
    assert b"{B" + digits.encode() in ticket
    code = "-".join(placed.check_code[i : i + 5] for i in range(0, len(placed.check_code), 5))
    assert code.encode() in ticket
    copy = print_copy(placed.bet, actor="test", language="ru", draw=escpos_ticket)
    with translation.override("ru"):
        assert (code.encode() in copy, placed.check_code.encode() in copy) == (False, False)
    assert qr_of(copy).decode() == qr_text(placed.bet, "")
    assert b"?" * 3 not in ticket


@pytest.mark.django_db
def test_what_is_printed_goes_to_the_tills_printer_and_a_silent_one_is_told(tmp_path: Path, settings: object) -> None:
    till, other = make_till(), make_till()
    paper = tmp_path / "lp0"
    paper.write_bytes(b"")
    settings.TILL_PRINTERS = {str(till): str(paper), str(other): "tcp://127.0.0.1:1"}  # type: ignore[attr-defined]
    assert (printer_of(till), printer_of(make_till())) == (str(paper), "")
    print_at(till, b"\x1b@text")
    assert paper.read_bytes() == b"\x1b@text"
    silent = refused(lambda: print_at(other, b"text"))
    assert silent.code == Refusal.BUSY
    settings.TILL_PRINTERS = {str(till): "tcp://127.0.0.1:none"}  # type: ignore[attr-defined]
    assert refused(lambda: print_at(till, b"text")).code == Refusal.BUSY
