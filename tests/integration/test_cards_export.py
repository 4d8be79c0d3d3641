"""What a batch is handed out as: a sealed file for the printer, or sheets with a barcode that reads back (D1, C65)."""

import re
from datetime import date
from pathlib import Path

import pypdfium2
import pytest
import zxingcpp
from django.core.management import CommandError, call_command
from django.utils import translation

from accounts.documents.card_sheet import PrintedCard, render_card_sheet
from accounts.models import PrepaidCard
from accounts.services.card_batches import (
    export_card_batch,
    print_card_batch,
)
from accounts.services.card_numbers import (
    ALPHABET,
    card_number,
    check_digit,
    code_matches,
)
from tests.carding import PRINTER, approved_batch
from tests.making import make_organizers
from totalizator.core.errors import DomainError
from totalizator.core.sealed import open_sealed, seal

CODE = rf"[{ALPHABET}]{{5}}-[{ALPHABET}]{{5}}-[{ALPHABET}]{{4}}"


def test_the_sealed_file_opens_with_its_passphrase_only() -> None:
    sealed = seal(b"content", PRINTER)
    assert open_sealed(sealed, PRINTER) == b"content"
    assert sealed != seal(b"content", PRINTER)
    assert b"content" not in sealed
    changed = [sealed[:place] + bytes([sealed[place] ^ 1]) + sealed[place + 1 :] for place in (0, 30, 45, 60)]
    for wrong, passphrase in [(sealed, "another passphrase"), (b"", PRINTER), *((text, PRINTER) for text in changed)]:
        with pytest.raises(DomainError):
            open_sealed(wrong, passphrase)
    with pytest.raises(DomainError):
        seal(b"content", "fifteen letters")


@pytest.mark.django_db
def test_the_printer_opens_the_export_by_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    staff, _other = make_organizers()
    batch = approved_batch(2, 1_250)
    path = tmp_path / "export.sealed"
    path.write_bytes(export_card_batch(batch=batch, passphrase=PRINTER, exported_by=staff).content)
    monkeypatch.setattr("getpass.getpass", lambda _prompt: PRINTER)
    call_command("open_card_export", str(path))
    head, *rows = capsys.readouterr().out.splitlines()
    assert head == "series,number,activation_code,face_value,valid_until"
    assert len(rows) == 2
    for row in rows:
        assert re.fullmatch(rf"AB,\d{{12}},{CODE},12\.50,{batch.valid_until}", row)
    monkeypatch.setattr("getpass.getpass", lambda _prompt: "another passphrase")
    with pytest.raises(CommandError):
        call_command("open_card_export", str(path))


def test_the_format_of_the_sealed_file_is_opened_without_this_program() -> None:
    """As the docstring of core/sealed.py tells it, with nothing but the library."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

    sealed = seal(b"content", PRINTER)
    magic, rest = sealed[:21], sealed[21:]
    assert magic == b"TOTALIZATOR SEALED 1\n"
    key = Scrypt(salt=rest[1:17], length=32, n=2 ** rest[0], r=8, p=1).derive(PRINTER.encode())
    assert AESGCM(key).decrypt(rest[17:29], rest[29:], sealed[:50]) == b"content"


@pytest.mark.django_db
def test_c65_the_barcode_of_a_sheet_holds_the_number_and_nothing_else() -> None:
    staff, _other = make_organizers()
    with translation.override("ru"):
        export = print_card_batch(batch=approved_batch(11), exported_by=staff)
    pages = pypdfium2.PdfDocument(export.content)
    found: list[str] = []
    for page in pages:
        codes = zxingcpp.read_barcodes(page.render(scale=203 / 72).to_pil())
        assert {code.format for code in codes} == {zxingcpp.BarcodeFormat.Code128}
        found += [code.text for code in codes]
    numbers = list(PrepaidCard.objects.order_by("number").values_list("number", flat=True))
    assert sorted(found) == numbers
    assert (len(pages), len(numbers)) == (2, 11)
    assert all(text.isdigit() and check_digit(text[:-1]) == text[-1] for text in found)
    text = pages[1].get_textpage().get_text_range().replace("\xa0", " ")
    assert numbers[-1] in text
    assert "10,00 BYN" in text
    code = re.search(CODE, text)
    assert code is not None
    assert code_matches(PrepaidCard.objects.get(number=numbers[-1]), numbers[-1], code.group())


def test_a_sheet_has_every_letter_and_the_same_bytes_each_time() -> None:
    card = PrintedCard("AB", card_number(7), "7K3M9-QX2RA-TF5H", 123_450, date(2029, 12, 31))
    with translation.override("be"):
        pdf = render_card_sheet([card], "Щукин Ёж, ў «Динамо»")
        assert pdf == render_card_sheet([card], "Щукин Ёж, ў «Динамо»")
    text = pypdfium2.PdfDocument(pdf)[0].get_textpage().get_text_range()
    assert "Щукин Ёж, ў «Динамо»" in text
    assert "■" not in text
    assert b"/FontFile2" in pdf
    assert b"/Helvetica" not in pdf
    with pytest.raises(ValueError, match="digits only"):
        render_card_sheet([PrintedCard("AB", "12Ж", "X", 1, date(2029, 12, 31))], "")
