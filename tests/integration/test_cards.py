"""Batches and the life of a prepaid card: two people, one export, no code in the database, one table (D1-D5)."""

import math
import re
from datetime import date, timedelta
from functools import partial
from pathlib import Path

import pypdfium2
import pytest
import zxingcpp
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.utils import translation

from accounts.documents.card_sheet import PrintedCard, render_card_sheet
from accounts.models import BatchState, CardBatch, CardState, PrepaidCard, Role, User
from accounts.models.cards import MOVES, move_card
from accounts.services.card_batches import (
    approve_card_batch,
    export_card_batch,
    print_card_batch,
    propose_card_batch,
)
from accounts.services.card_numbers import (
    ALPHABET,
    CODE_LENGTH,
    card_number,
    check_digit,
    code_matches,
    new_code,
    normal_letters,
    read_number,
)
from tests.carding import PRINTER, approved_batch, bought, printed
from tests.making import make_organizers, make_till, make_user
from tests.refusals import refused
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.models import JournalRecord
from totalizator.core.sealed import open_sealed, seal


def propose(person: User, **changes: object) -> CardBatch:
    wanted: dict[str, object] = {
        "series": "AB",
        "quantity": 2,
        "face_value": 1_000,
        "valid_until": clock.today() + timedelta(days=400),
        "proposed_by": person,
        **changes,
    }
    return propose_card_batch(**wanted)  # type: ignore[arg-type]


@pytest.mark.django_db
def test_d1_a_batch_needs_two_people_and_is_exported_once() -> None:
    one, other = make_organizers()
    batch = propose(one)
    export = partial(export_card_batch, batch=batch, passphrase=PRINTER, exported_by=one)
    assert refused(export).code is Refusal.WRONG_STATE
    assert refused(lambda: approve_card_batch(batch=batch, approved_by=one)).code is Refusal.SAME_PERSON
    approve_card_batch(batch=batch, approved_by=other)
    assert refused(lambda: approve_card_batch(batch=batch, approved_by=other)).code is Refusal.WRONG_STATE
    assert PrepaidCard.objects.count() == 0
    first = export()
    assert refused(export).code is Refusal.WRONG_STATE
    assert refused(lambda: print_card_batch(batch=batch, exported_by=other)).code is Refusal.WRONG_STATE
    batch.refresh_from_db()
    assert batch.state == BatchState.EXPORTED
    acts = JournalRecord.objects.filter(subject=batch.subject).order_by("pk").values_list("act", flat=True)
    assert list(acts) == ["propose_card_batch", "approve_card_batch", "export_card_batch"]
    record = JournalRecord.objects.get(act="export_card_batch")
    assert record.after is not None
    assert (record.after["rows"], record.after["sum"], record.after["digest"]) == (2, 2_000, batch.export_digest)
    assert len(first.content) > 100


@pytest.mark.django_db
def test_d1_no_code_is_anywhere_in_the_database() -> None:
    cards = printed(approved_batch(3))
    with connection.cursor() as cursor:
        cursor.execute("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'")
        for (table,) in cursor.fetchall():
            cursor.execute(f'SELECT t::text FROM "{table}" t')
            rows = "\n".join(row for (row,) in cursor.fetchall()).upper()
            for card in cards:
                code = normal_letters(card.code)
                assert code not in rows.replace("-", ""), table
                assert code.encode().hex().upper() not in rows, table
    assert all(code_matches(card.card, card.number, card.code) for card in cards)


@pytest.mark.django_db
def test_d1_the_database_itself_wants_two_people_and_a_possible_size() -> None:
    one, _other = make_organizers()
    batch = propose(one)
    for change in ("approved_by_id = proposed_by_id, state = 'approved'", "state = 'exported'", "quantity = 0"):
        with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"UPDATE accounts_cardbatch SET {change} WHERE id = {batch.pk}")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"series": ""}, "series"),
        ({"series": "ABCDEFG"}, "series"),
        ({"quantity": 0}, "quantity"),
        ({"quantity": 100_001}, "quantity"),
        ({"face_value": 0}, "face_value"),
        ({"valid_until": date(2020, 1, 1)}, "valid_until"),
    ],
)
def test_a_batch_that_cannot_be_is_refused(changes: dict[str, object], field: str) -> None:
    one, _other = make_organizers()
    refusal = refused(lambda: propose(one, **changes))
    assert (refusal.code, refusal.field) == (Refusal.BAD_VALUE, field)


@pytest.mark.django_db
@pytest.mark.parametrize("role", [Role.PLAYER, Role.CASHIER, Role.COMMISSION])
def test_only_the_organizers_staff_make_cards(role: Role) -> None:
    person, batch = make_user(role), approved_batch()
    assert refused(lambda: propose(person)).code is Refusal.NOT_ALLOWED
    assert refused(lambda: approve_card_batch(batch=batch, approved_by=person)).code is Refusal.NOT_ALLOWED
    assert refused(lambda: print_card_batch(batch=batch, exported_by=person)).code is Refusal.NOT_ALLOWED


@pytest.mark.django_db
def test_numbers_run_on_from_batch_to_batch_and_check_themselves() -> None:
    first, second = printed(approved_batch(2)), printed(approved_batch(2, series="ВС"))
    numbers = [card.number for card in first + second]
    assert numbers == sorted(numbers)
    serials = [int(number[:-1]) for number in numbers]
    assert serials == list(range(serials[0], serials[0] + 4))
    assert second[0].series == "BC"  # typed in Cyrillic, printed in Latin letters
    assert all(read_number(number) == number for number in numbers)


def test_every_single_wrong_digit_is_found() -> None:
    assert card_number(7_992_739_871) == "079927398713"  # the example of the standard: 7992739871-3
    number = card_number(123_456)
    for place, right in enumerate(number):
        for wrong in set("0123456789") - {right}:
            with pytest.raises(DomainError):
                read_number(number[:place] + wrong + number[place + 1 :])
    with pytest.raises(DomainError):
        read_number(number[:-1])
    assert check_digit(number[:-1]) == number[-1]


def test_c61_codes_are_random_enough_and_have_no_look_alikes() -> None:
    assert len(ALPHABET) == len(set(ALPHABET)) == 31
    assert not set(ALPHABET) & set("01OIL")
    assert CODE_LENGTH * math.log2(len(ALPHABET)) >= 59
    codes = {new_code() for _ in range(2_000)}
    assert len(codes) == 2_000
    assert {len(code) for code in codes} == {12}
    assert set("".join(codes)) == set(ALPHABET)


@pytest.mark.parametrize("typed", ["abeh-kmxy-2345", " ABEH KMXY 2345 ", "ABEHKMXY2345", "АВЕН-КМХУ-2345"])
def test_d3_a_code_may_be_typed_with_dashes_spaces_small_and_cyrillic_letters(typed: str) -> None:
    assert normal_letters(typed) == "ABEHKMXY2345"


@pytest.mark.django_db
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
        assert re.fullmatch(rf"AB,\d{{12}},[{ALPHABET}]{{4}}(-[{ALPHABET}]{{4}}){{2}},12\.50,{batch.valid_until}", row)
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
    code = re.search(rf"[{ALPHABET}]{{4}}(-[{ALPHABET}]{{4}}){{2}}", text)
    assert code is not None
    assert code_matches(PrepaidCard.objects.get(number=numbers[-1]), numbers[-1], code.group())


def test_a_sheet_has_every_letter_and_the_same_bytes_each_time() -> None:
    card = PrintedCard("AB", card_number(7), "7K3M-9QX2-RATF", 123_450, date(2029, 12, 31))
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


def card_in(state: CardState) -> PrepaidCard:
    """A card of which nothing but the state is as it would be."""
    (held,) = bought(make_till())
    card, (staff, _other) = held.card, make_organizers()
    changes: dict[str, object] = {"state": state}
    if state in (CardState.PRINTED, CardState.SHIPPED, CardState.AT_POINT):
        changes["ledger_account"] = None
    if state == CardState.BLOCKED:
        changes |= {"blocked_from": CardState.ACTIVE, "blocked_by": staff}
    PrepaidCard.objects.filter(pk=card.pk).update(**changes)
    return PrepaidCard.objects.get(pk=card.pk)


@pytest.mark.django_db
def test_a_card_moves_as_the_table_says_and_no_other_way() -> None:
    for came_from in CardState:
        card = card_in(came_from)
        for to in CardState:
            if to in MOVES[came_from]:
                with transaction.atomic():
                    fresh = PrepaidCard.objects.get(pk=card.pk)
                    account = fresh.ledger_account if to not in ("printed", "shipped", "at_point") else None
                    account = account or (bought(make_till())[0].card.ledger_account if to == "active" else account)
                    if to == CardState.ACTIVE:
                        PrepaidCard.objects.filter(ledger_account=account).exclude(pk=card.pk).update(state="replaced")
                    blocked = {"blocked_from": came_from, "blocked_by": make_organizers()[0]}
                    free = {"blocked_from": "", "blocked_by": None}
                    move_card(fresh, to, ledger_account=account, **(blocked if to == "blocked" else free))
                    assert PrepaidCard.objects.get(pk=card.pk).state == to
                    transaction.set_rollback(True)
            else:
                refusal = refused(lambda card=card, to=to: move_card(card, to))  # type: ignore[misc]
                assert (refusal.code, refusal.details["state"]) == (Refusal.WRONG_STATE, came_from)


@pytest.mark.django_db
def test_a_card_that_moved_on_meanwhile_is_not_moved_again() -> None:
    card = card_in(CardState.ACTIVE)
    stale = PrepaidCard.objects.get(pk=card.pk)
    move_card(card, CardState.EXPIRED)
    assert refused(lambda: move_card(stale, CardState.EXPIRED)).code is Refusal.WRONG_STATE


def test_the_page_tells_the_cards_moves() -> None:
    page = Path("docs/states.md").read_text(encoding="utf-8")
    section = page.partition("\n## Prepaid card\n")[2].partition("\n## ")[0]
    labels = {state.value.replace("_", " "): state for state in CardState}
    rows = re.findall(r"^\| ([a-z ]+) \| ([a-z ]+) \|", section, flags=re.MULTILINE)
    told = {(labels[a], labels[b]) for a, b in rows if a != "from"}
    assert told == {(came_from, to) for came_from, ends in MOVES.items() for to in ends}
