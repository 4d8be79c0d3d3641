"""The organizer's pages of the bank: files read once, doubts by two people, our accounts (¶35.5)."""

from datetime import timedelta

import pytest

from accounts.models import (
    BankLineDecision,
    BankStatement,
    OwnBankAccount,
    PostalOperator,
    PostalRegister,
)
from pools.services.receipt_matching import match_receipts
from tests.banking import OURS, PAYER, bank_file, csv_line, in_bank, in_suspense, lines, own_account
from tests.functional.browsing import text_of, visitor
from tests.functional.pressing import a_file, has, pressed_in_vain, refused_at
from tests.integration.test_post import POST, register
from tests.making import make_organizers
from tests.paying import broken
from tests.telling import Payment, camt, mt940, table
from totalizator.core import clock
from totalizator.core.filed_files import MOST_BYTES

pytestmark = pytest.mark.django_db
HERE = "/desk/bank/"


def test_f1_a_file_is_read_once_with_its_sums_and_a_wrong_one_is_told_by_its_line() -> None:
    staff = visitor(make_organizers()[0])
    assert "statements of other accounts are refused" in text_of(staff.get(HERE))
    own_account()
    content = camt([Payment(1_250, "A1"), Payment(30, "A2")])
    for wrong, words in (
        (b"", "The submitted file is empty."),
        (b"x" * (MOST_BYTES + 1), "A file of at most 10 MB is wanted."),
        (b"%PDF-1.7", "Line 1"),
        (bank_file(csv_line(100, "a"), csv_line(0, "b")), "Line 3"),
        (content.replace(b"1012.80", b"1012.81"), "the movements do not lead from the opening to the closing balance."),
        (content.replace(OURS.encode(), PAYER.encode()), "this is no account of the organizer's."),
    ):
        assert words in refused_at(staff, HERE, {"kind": "statement", "file": a_file(wrong)}, "file")
    assert refused_at(staff, HERE, {"kind": "statement"}, "file") == "This field is required."
    assert refused_at(staff, HERE, {"kind": "photo", "file": a_file(content)}, "kind")
    done = staff.post(HERE, {"kind": "statement", "file": a_file(content)}, follow=True)
    assert "Lines booked: 2; known from an earlier file: 0; in doubt: 0." in text_of(done)
    assert (in_bank(), in_suspense(), lines(), broken()) == (1_280, 1_280, 2, [])
    (shown,) = done.context["shown"]
    assert (shown.came_in, shown.went_out, shown.own_lines, shown.standing) == (1_280, 0, 2, "agrees")
    again = staff.post(HERE, {"kind": "statement", "file": a_file(content)}, follow=True)
    assert "This very file was read before, on" in text_of(again)
    assert (in_bank(), lines(), BankStatement.objects.count()) == (1_280, 2, 1)
    other = staff.post(HERE, {"kind": "statement", "file": a_file(mt940([Payment(1_250, "A1"), Payment(30, "A2")]))})
    assert (other.status_code, in_bank(), lines()) == (302, 1_280, 2)
    page = text_of(staff.get(HERE))
    assert "agreed when it was read" in page
    assert "BYN 1,000.00" in page


def test_f1_a_statement_shows_its_lines_and_where_each_stands() -> None:
    staff = visitor(make_organizers()[0])
    own_account()
    content = bank_file(csv_line(700, "за участие"), csv_line(45, "комиссия", debit=True))
    staff.post(HERE, {"kind": "statement", "file": a_file(content)})
    match_receipts()
    statement = BankStatement.objects.get()
    here = f"{HERE}statements/{statement.pk}/"
    page = staff.get(here)
    incoming, outgoing = page.context["page"].object_list
    assert has(staff, here, f"/desk/transfers/{incoming.pk}/")
    assert "no order of ours" in text_of(page)
    for which, found in (("in", [incoming]), ("out", [outgoing]), ("wait", [incoming]), ("odd", [incoming, outgoing])):
        assert list(staff.get(f"{here}?lines={which}").context["page"]) == found
    debits = staff.get("/desk/bank/other-debits/")
    assert list(debits.context["page"]) == [outgoing]
    assert "BYN 0.45" in text_of(debits)
    assert staff.get(f"{HERE}statements/{10**18}/").status_code == 404


def test_f1_two_people_say_what_a_doubtful_line_is() -> None:
    own_account()
    first, second = (visitor(person) for person in make_organizers())
    first.post(HERE, {"kind": "statement", "file": a_file(camt([Payment(1_250, "A1")]))})
    told = first.post(
        HERE, {"kind": "statement", "file": a_file(table([Payment(1_250, "A1")], references=False))}, follow=True
    )
    assert "in doubt: 1" in text_of(told)
    ((line, proposed),) = first.get("/desk/bank/doubts/").context["shown"]
    here = f"/desk/bank/doubts/{line.pk}/"
    assert (proposed, has(first, HERE, "/desk/bank/doubts/"), has(first, "/desk/bank/doubts/", here)) == (
        False,
        True,
        True,
    )
    assert refused_at(first, here, {"same": "", "document": "Letter 3"}, "same")
    assert refused_at(first, here, {"same": "no", "document": " "}, "document")
    for _press in range(2):
        assert first.post(here, {"same": "no", "document": "Letter 3"}).status_code == 302
    earlier, latest = line.proposals.order_by("pk")
    approve = f"/desk/bank/doubts/proposals/{latest.pk}/approve/"
    assert (has(first, here, approve), has(second, here, approve)) == (False, True)
    assert "Another person must approve it." in pressed_in_vain(first, approve)
    late = f"/desk/bank/doubts/proposals/{earlier.pk}/approve/"
    assert "Another proposal has been made meanwhile" in pressed_in_vain(second, late)
    second.get(approve)  # reading decides nothing
    assert (in_bank(), BankLineDecision.objects.count()) == (1_250, 0)
    second.post(approve)
    assert (in_bank(), in_suspense(), broken()) == (2_500, 2_500, [])
    assert "It is decided what the line is." in pressed_in_vain(second, approve)  # pressed twice, decided once
    assert "form" not in first.get(here).context or first.get(here).context["form"] is None
    assert "No line is in doubt." in text_of(first.get("/desk/bank/doubts/"))


def test_f1_our_accounts_and_the_post_are_entered_and_its_register_is_read_once() -> None:
    staff = visitor(make_organizers()[0])
    account = {"iban": OURS, "bank": "AKBBBY2X", "holder": "ООО «Тотализатор»"}
    where = "/desk/bank/accounts/"
    for field, value in (("iban", OURS[:-1] + "8"), ("bank", "X"), ("holder", " ")):
        assert refused_at(staff, where, {**account, field: value}, field)
    for _press in range(2):
        assert staff.post(where, account).status_code == 302
    assert OwnBankAccount.objects.get().iban == OURS
    post = {"name": "Белпочта", "account": POST, "bank": "BPSBBY2X", "agreement": "№ 7", "valid_from": clock.today()}
    where = "/desk/bank/post/"
    for name, told in (("account", "BY00"), ("valid_from", clock.today() - timedelta(days=1)), ("valid_from", "x")):
        assert refused_at(staff, where, {**post, name: told}, name)
    assert staff.post(where, post).status_code == 302
    assert PostalOperator.objects.get().account == POST
    assert "Белпочта" in text_of(staff.get(where))
    paid = csv_line(300, "Реестр R-17", account=POST, payer="Белпочта")
    staff.post(HERE, {"kind": "statement", "file": a_file(bank_file(paid))})
    match_receipts()
    content = register(("1", "А", 200, ""), ("2", "Б", 100, ""))
    assert "register" in refused_at(
        staff, HERE, {"kind": "register", "file": a_file(register(("1", "А", 299, "")))}, "file"
    )
    done = staff.post(HERE, {"kind": "register", "file": a_file(content)}, follow=True)
    assert "remittances: 2." in text_of(done)
    again = staff.post(HERE, {"kind": "register", "file": a_file(content)}, follow=True)
    assert "This very file was read before" in text_of(again)
    assert (PostalRegister.objects.count(), in_suspense(), broken()) == (1, 300, [])
