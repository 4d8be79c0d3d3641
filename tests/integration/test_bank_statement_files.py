"""Bank files of three kinds are read into the same movements; whatever else they hold is refused by line and field."""

import logging
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import pytest
import xmlschema
from hypothesis import given
from hypothesis import strategies as st

from accounts.services.bank_files.entries import ParsedStatement, StatementEntry
from accounts.services.bank_files.reading import BankFileFormat, read_bank_file
from totalizator.core.errors import DomainError, Refusal

FIXTURES = Path(__file__).parent / "fixtures"
CAMT, MT940, UTF8 = (
    (FIXTURES / "bank" / name).read_bytes()
    for name in ("statement.camt053.xml", "statement.mt940", "statement-utf8.csv")
)
CP1251 = UTF8.decode("utf-8-sig").replace("\n", "\r\n").encode("cp1251")


def movements(content: bytes) -> list[tuple[object, ...]]:
    (statement,) = read_bank_file(content)[1]
    return [
        (e.booked_on, e.is_credit, e.amount, e.bank_reference, e.end_to_end_id, e.party_account)
        for e in statement.entries
    ]


def refused(content: bytes) -> tuple[object, object]:
    with pytest.raises(DomainError) as caught:
        read_bank_file(content)
    assert caught.value.code == Refusal.BAD_VALUE
    assert caught.value.field == "file"
    return caught.value.details["line"], caught.value.details["element"]


def test_the_sample_is_a_camt053_by_the_official_schema() -> None:
    xmlschema.XMLSchema(FIXTURES / "iso20022" / "camt.053.001.08.xsd").validate(CAMT.decode())


@pytest.mark.parametrize(
    ("content", "form"),
    [
        (CAMT, BankFileFormat.CAMT053),
        (MT940, BankFileFormat.MT940),
        (UTF8, BankFileFormat.CSV),
        (CP1251, BankFileFormat.CSV),
    ],
)
def test_each_format_tells_the_same_movements(content: bytes, form: BankFileFormat) -> None:
    day = date(2026, 11, 30)
    assert read_bank_file(content)[0] == form
    assert movements(content) == [
        (day, True, 5_000, "B0000000001", "", "BY17ALFA30140000000000000042"),
        (day, True, 1_000, "B0000000002", "P-1", ""),
        (day, True, 500, "B0000000002", "P-2", ""),
        (day, False, 270, "B0000000003", "", ""),
    ]


@pytest.mark.parametrize(
    ("content", "balances", "purpose"),
    [
        (CAMT, (100_000, 106_230), "Пополнение игрового счёта ACC-00000017-53"),
        (
            MT940,
            (100_000, 106_230),
            "Пополнение игрового счёта ACC-00000017-53 Иванова Анна Петровна BY17ALFA30140000000000000042",
        ),
        (CP1251, (None, None), "Пополнение игрового счёта; ACC-00000017-53"),
    ],
)
def test_account_balances_and_purpose(content: bytes, balances: tuple[int, int], purpose: str) -> None:
    (statement,) = read_bank_file(content)[1]
    assert statement.account == "BY04AKBB30120000000000000017"
    assert (statement.opening, statement.closing) == balances
    assert statement.entries[0].purpose == purpose


def test_names_with_a_prefix_and_the_second_version_are_read_too() -> None:
    text = CAMT.decode().replace("camt.053.001.08", "camt.053.001.02").replace('xmlns="', 'xmlns:b="')
    text = text.replace("<Pty>", "").replace("</Pty>", "").replace("<Sts><Cd>BOOK</Cd></Sts>", "<Sts>BOOK</Sts>")
    text = text.replace("<", "<b:").replace("<b:/", "</b:").replace("<b:?", "<?").replace("BICFI", "BIC")
    assert movements(text.encode()) == movements(CAMT)


def test_a_swift_envelope_and_windows_line_ends_are_read_too() -> None:
    wrapped = b"{1:F01AKBBBY2XAXXX0000000000}{2:I940AKBBBY2XXXXXN}{4:\r\n" + MT940.replace(b"\n", b"\r\n") + b"}"
    assert movements(wrapped) == movements(MT940)


@pytest.mark.parametrize(
    ("content", "old", "new", "place"),
    [
        (CAMT, b'<Amt Ccy="BYN">50.00', b'<Amt Ccy="BYN">50.001', (19, "Amt")),
        (CAMT, b'<Amt Ccy="BYN">50.00', b'<Amt Ccy="USD">50.00', (19, "Ccy")),
        (CAMT, b'<Amt Ccy="BYN">15.00', b'<Amt Ccy="BYN">16.00', (34, "TxDtls")),
        (CAMT, b"1062.30", b"1062.31", (5, "balance")),
        (CAMT, b"<CdtDbtInd>DBIT", b"<CdtDbtInd>CREDIT", (54, "CdtDbtInd")),
        (CAMT, b"<BookgDt><Dt>2026-11-30", b"<BookgDt><Dt>2026-11-31", (20, "BookgDt")),
        (CAMT, b"<Cd>PDNG", b"<Cd>LOST", (60, "Sts")),
        (CAMT, b"camt.053.001.08", b"camt.054.001.08", (2, "Document")),
        (CAMT, b"</Stmt>", b"</Stnt>", (65, "XML")),
        (MT940, b"C50,00NTRF", b"Cfifty", (5, ":61:")),
        (MT940, b"C261130BYN1000,00", b"C2611", (4, ":60F:")),
        (MT940, b"BYN1062,30", b"BYN1062,31", (1, "balance")),
        (MT940, b"BYN", b"EUR", (1, ":60F:")),
        (MT940, b"1130C5,N", b"1130C5,001N", (10, ":61:")),
        (UTF8, b"50,00", b"50,005", (2, "credit")),
        (UTF8, b"0,00;5,00", b"1,00;5,00", (4, "credit")),
        (UTF8, b"30.11.2026;B0000000002", b"30.13.2026;B0000000002", (3, "date")),
        (UTF8, b"BYN", b"RUB", (2, "currency")),
        (UTF8, "Дебет".encode(), "Убыль".encode(), (1, "debit")),
        (UTF8, b";BYN;;;", b";BYN;;", (3, "CSV")),
    ],
)
def test_a_fault_names_its_line_and_field(content: bytes, old: bytes, new: bytes, place: tuple[int, str]) -> None:
    assert old in content
    assert refused(content.replace(old, new)) == place


@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>',
        '<!DOCTYPE d [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE d SYSTEM "http://192.0.2.1/d.dtd">',
        "<!DOCTYPE d>",
    ],
)
def test_no_entity_and_no_dtd_is_read(doctype: str) -> None:
    head, body = CAMT.decode().split("\n", 1)
    assert refused(f"{head}{doctype}\n{body}".encode()) == (0, "DOCTYPE")


def test_too_deep_too_large_and_too_long_are_refused() -> None:
    assert refused(b"<a>" * 41 + b"</a>" * 41) == (1, "a")
    assert refused(b" " * (8 * 1024 * 1024 + 1)) == (0, "file")
    assert refused(UTF8.replace("Плата".encode(), b"a" * 4_001)) == (5, "purpose")


def test_what_cannot_be_read_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    assert refused(MT940.replace(b"C50,00NTRF", b"Cfifty")) == (5, ":61:")
    assert "B0000000001" not in caplog.text


def test_a_text_that_names_a_file_is_not_that_file() -> None:
    assert refused(b"/etc/passwd") == (1, "account")


def test_a_reference_in_windows_1251_with_a_letter_that_no_code_page_has_is_refused() -> None:
    assert refused(b"\x98\xff") == (0, "file")


def mutations(sample: bytes) -> st.SearchStrategy[bytes]:
    """The sample with a few bytes replaced by others, somewhere."""
    return st.builds(
        lambda at, length, put: sample[:at] + put + sample[at + length :],
        st.integers(0, len(sample)),
        st.integers(0, 12),
        st.one_of(st.binary(max_size=12), st.text(max_size=6).map(str.encode)),
    )


@given(
    st.one_of(
        st.binary(max_size=300),
        st.text(max_size=300).map(str.encode),
        *(mutations(sample) for sample in (CAMT, MT940, UTF8, CP1251)),
        st.tuples(st.sampled_from([b"<", b":20:x\n:25:y\n", UTF8]), st.binary(max_size=80)).map(b"".join),
    )
)
def test_whatever_the_bytes_are_they_are_movements_or_a_refusal(content: bytes) -> None:
    refusal: DomainError | None = None
    statements: Sequence[ParsedStatement] = ()
    try:
        _form, statements = read_bank_file(content)
    except DomainError as caught:
        refusal = caught
    assert refusal is None or (refusal.code == Refusal.BAD_VALUE and {"line", "element"} <= set(refusal.details))
    for statement in statements:
        assert statement.account
        assert all(is_sound(entry) for entry in statement.entries)


def is_sound(entry: StatementEntry) -> bool:
    texts = (entry.bank_reference, entry.end_to_end_id, entry.party_name, entry.party_account, entry.purpose)
    return entry.amount > 0 and entry.line > 0 and all(text.isprintable() for text in texts)
