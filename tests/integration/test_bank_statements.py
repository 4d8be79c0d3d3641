"""A bank's statement is booked line by line, each once, whatever file or format it comes in (¶35.5)."""

from datetime import date
from pathlib import Path

import pytest
from django.db import DatabaseError, connection, transaction

from accounts.models import BankLine, Receipt, WhyOpen
from accounts.services.bank_statements import enter_own_account, import_bank_file
from tests.banking import OURS, bank_file, csv_line, in_bank, in_suspense, lines, own_account, take_in
from tests.making import make_organizers
from tests.paying import broken
from tests.refusals import refused
from totalizator.core.errors import Refusal

pytestmark = pytest.mark.django_db

SAMPLES = Path(__file__).parent / "fixtures" / "bank"
CAMT, MT940, UTF8 = (
    (SAMPLES / name).read_bytes() for name in ("statement.camt053.xml", "statement.mt940", "statement-utf8.csv")
)
EVERY_FORMAT = (CAMT, MT940, UTF8, UTF8.decode("utf-8-sig").encode("cp1251"))


@pytest.mark.parametrize("first", EVERY_FORMAT, ids=["camt.053", "MT940", "CSV in UTF-8", "CSV in Windows-1251"])
def test_the_same_movements_in_every_other_format_book_nothing_twice(first: bytes) -> None:
    own_account()
    done = import_bank_file(content=first, actor="user:1")
    assert (done.new, done.known) == (4, 0)
    for other in EVERY_FORMAT:
        again = import_bank_file(content=other, actor="user:1")
        assert (again.new, again.known) == (0, 4)
    assert lines() == 4
    # The debit of 2.70 is nobody's business of ours: it is listed, not booked.
    assert in_suspense() == in_bank() == 6_500
    assert broken() == []


def test_credits_wait_as_receipts_and_tell_who_paid() -> None:
    own_account()
    import_bank_file(content=CAMT, actor="user:1")
    receipts = Receipt.objects.order_by("pk").select_related("line__words")
    assert [(r.open_amount, r.why) for r in receipts] == [
        (5_000, WhyOpen.NEW),
        (1_000, WhyOpen.NEW),
        (500, WhyOpen.NEW),
    ]
    words = receipts[0].line.words
    assert (words.party_name, words.party_account) == ("Иванова Анна Петровна", "BY17ALFA30140000000000000042")
    with connection.cursor() as cursor:
        cursor.execute("SELECT string_agg(w::text, '') FROM accounts_banklinewords w")
        (stored,) = cursor.fetchone()
    assert "Иванова" not in stored
    assert "ALFA" not in stored


def test_a_collective_entry_told_as_one_sum_is_known_when_its_parts_are() -> None:
    take_in(csv_line(1_000, reference="B2", document="P-1"), csv_line(500, reference="B2", document="P-2"))
    again = take_in(csv_line(1_500, "всего", reference="B2"))
    assert (again.new, again.known) == (0, 1)
    assert in_suspense() == 1_500
    other = take_in(csv_line(700, "иное", reference="B2"))
    assert (other.new, other.known) == (1, 0)


def test_two_like_lines_in_one_file_are_two_and_stay_two() -> None:
    line = csv_line(1_000, "без ссылки", reference="")
    assert take_in(line, line).new == 2
    assert take_in(line, line, csv_line(5, "ещё", reference="")).new == 1
    assert in_suspense() == 2_005


def test_an_overlapping_statement_adds_only_what_is_new() -> None:
    one, two, three = (csv_line(amount, "п") for amount in (100, 200, 300))
    take_in(one, two)
    done = take_in(two, three)
    assert (done.new, done.known) == (1, 1)
    assert in_suspense() == 600


def test_a_statement_of_another_account_is_refused_whole() -> None:
    own_account()
    stranger = csv_line(500, "чужое").replace(OURS, "BY19BLBB30140000000000000099")
    refusal = refused(lambda: import_bank_file(content=bank_file(csv_line(100, "наше"), stranger), actor="test"))
    assert (refusal.code, refusal.details["element"]) == (Refusal.BAD_VALUE, "account")


def test_a_fault_in_the_last_line_books_none() -> None:
    own_account()
    refusal = refused(lambda: import_bank_file(content=bank_file(csv_line(100, "a"), csv_line(0, "b")), actor="test"))
    assert (refusal.code, refusal.details["line"]) == (Refusal.BAD_VALUE, 3)


@pytest.mark.parametrize(
    ("iban", "bank", "field"),
    [("BY05AKBB30120000000000000017", "AKBBBY2X", "iban"), (OURS, "AKBB", "bank"), ("17", "AKBBBY2X", "iban")],
)
def test_an_account_of_ours_needs_a_right_iban_and_bic(iban: str, bank: str, field: str) -> None:
    staff = make_organizers()[0]
    refusal = refused(lambda: enter_own_account(iban=iban, bank=bank, holder="Мы", by=staff))
    assert (refusal.code, refusal.field) == (Refusal.BAD_VALUE, field)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE accounts_bankline SET amount = 1",
        "DELETE FROM accounts_bankstatement",
        "UPDATE accounts_receipt SET open_amount = open_amount + 1",
        "DELETE FROM accounts_receipt",
    ],
)
def test_the_database_lets_nobody_change_what_the_bank_said(statement: str) -> None:
    take_in(csv_line(100, "a", on=date(2026, 11, 30)))
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert list(BankLine.objects.values_list("amount", "booked_on")) == [(100, date(2026, 11, 30))]
