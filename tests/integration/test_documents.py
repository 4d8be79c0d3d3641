"""Documents on paper: same data, same bytes; a number for each; printed again only as copies (C59, C64, N5)."""

from collections.abc import Callable
from datetime import UTC, datetime

import pypdfium2
import pytest
from django.db import transaction
from django.db.utils import DatabaseError
from django.utils import translation

from accounts.documents.account_slips import AccountSlip, render_account_slip
from accounts.documents.handover import HandoverFacts, render_handover
from accounts.documents.payment_order import OrderFacts, render_payment_order
from accounts.ledger.balances import trial_balance
from accounts.models import Entry, NumberedDocument, NumberedKind, OwnBankAccount, PaymentOrder, Till, TopUp
from accounts.services.account_slips import print_top_up_slip, print_withdrawal_slip
from accounts.services.document_numbers import facts_of, issue_document
from accounts.services.payment_order_pages import payment_order_page
from accounts.services.topups import top_up_in_cash
from payouts.documents.receipt import ReceiptFacts, render_receipt
from payouts.models import Payment
from payouts.services.booking import book_payables
from payouts.services.receipts import print_receipt
from tests.functional.browsing import visitor
from tests.making import account_of, make_organizers, make_player, make_pool, make_till
from tests.paying import go_to, pay, payable_from, sell_slips
from tests.refusals import refused
from tests.settling import settle
from tests.topping_up import ask_back, named_bank, pay_in
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord
from totalizator.core.sums_in_words import byn_in_words

pytestmark = pytest.mark.django_db
DIGEST = "sha256:" + "a" * 64
RECEIPT = ReceiptFacts("О", "17/2026", "T-1", "Выигрыш", 77_500, 3_875, 25, "30.11.2026", "П", "К", DIGEST)
SLIP = AccountSlip("О", "Пополнение", "1/2026", "7", 100, [("Куда", "•••• 4242")], ["Подпись"], DIGEST)
ORDER = OrderFacts(
    operator="О",
    number="PO-1",
    day="30.11.2026",
    amount=125_050,
    payer="О",
    payer_account="BY13NBRB3600900000002Z00AB00",
    payer_bank="NBRBBY2X",
    payee="Ўладзімір",
    payee_account="BY20",
    payee_bank="",
    purpose="П",
    state="с",
    made="м",
    version="в",
)
HANDOVER = HandoverFacts("О", 1, "м", "П", 1_000, "А", "тогда", "Б", "потом", 900, "причина", "")
ALL: list[Callable[[], bytes]] = [
    lambda: render_receipt(RECEIPT),
    lambda: render_account_slip(SLIP),
    lambda: render_payment_order(ORDER),
    lambda: render_handover(HANDOVER),
]


def text_of(content: bytes) -> str:
    return "\n".join(page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(content))


def paid() -> tuple[Till, Payment]:
    """A winning of 0.70 that was paid in cash, 0.66 after tax."""
    till = make_till(1_000)
    pool = make_pool("sportloto-variant")
    (slip,) = sell_slips(pool, till, ("1", 100))
    settle(pool, "1")
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    return till, pay(slip, till)


@pytest.mark.parametrize("language", ["ru", "be", "en"])
@pytest.mark.parametrize("render", ALL)
def test_the_same_data_is_the_same_bytes(render: Callable[[], bytes], language: str) -> None:
    with translation.override(language):
        assert render() == render()


@pytest.mark.parametrize("render", ALL)
def test_c64_fonts_are_embedded(render: Callable[[], bytes]) -> None:
    content = render()
    assert content.count(b"/FontFile2") >= 2
    assert b"/Helvetica" not in content


def test_c64_belarusian_letters_and_accounts_are_readable() -> None:
    text = text_of(render_payment_order(ORDER))
    assert "Ўладзімір" in text
    assert "BY13 NBRB 3600 9000 0000 2Z00 AB00" in text


def test_c59_a_receipt_printed_again_is_a_copy_with_the_same_number_and_moves_nothing() -> None:
    till, payment = paid()
    assert till.cashier is not None
    before = (Entry.objects.count(), trial_balance())
    with translation.override("en"):
        first, *again = [text_of(print_receipt(payment=payment, asked_by=till.cashier)) for _ in range(3)]
    year = clock.today().year
    assert f"Receipt No. 1/{year}" in first
    assert "COPY" not in first
    assert "BYN 0.66" in first
    for copy in again:
        assert f"Receipt No. 1/{year}" in copy
        assert "COPY" in copy
        assert copy.replace("COPY\r\n", "") == first
    assert (Entry.objects.count(), trial_balance(), Payment.objects.count()) == (*before, 1)
    acts = JournalRecord.objects.filter(subject=f"bet:{payment.ticket}").order_by("pk").values_list("act", "actor")
    actor = till.cashier.actor
    assert list(acts)[-3:] == [("print_receipt", actor), ("reprint", actor), ("reprint", actor)]


def test_c59_a_copy_is_drawn_from_what_was_kept_not_from_what_is_there_now() -> None:
    till, payment = paid()
    assert till.cashier is not None
    print_receipt(payment=payment, asked_by=till.cashier)
    till.point.name = "Another name"
    till.point.save()
    again = Payment.objects.select_related("till__point", "paid_by").get(pk=payment.pk)
    assert "Another name" not in text_of(print_receipt(payment=again, asked_by=till.cashier))


def test_a_receipt_is_printed_at_the_till_that_paid_and_nowhere_else() -> None:
    till, payment = paid()
    assert till.cashier is not None
    address = f"/till/receipts/{payment.ticket}/"
    answer = visitor(till.cashier).post(address)
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/pdf")
    other = make_till()
    assert other.cashier is not None
    assert visitor(other.cashier).post(address).status_code == 404
    assert visitor(till.cashier).get(address).status_code == 302
    assert NumberedDocument.objects.count() == 1


def test_what_was_not_paid_in_cash_has_no_receipt() -> None:
    till, payment = paid()
    assert till.cashier is not None
    payment.till, cashier = None, till.cashier
    refusal = refused(lambda: print_receipt(payment=payment, asked_by=cashier))
    assert refusal.code == Refusal.NOT_FOUND


def test_numbers_begin_anew_with_the_legal_year() -> None:
    go_to(datetime(2030, 12, 31, 20, 59, 50, tzinfo=UTC))

    def number_of(subject: str) -> str:
        return str(issue_document(kind=NumberedKind.RECEIPT, subject=subject, facts={}, actor="test")[0])

    assert [number_of("a"), number_of("b")] == ["1/2030", "2/2030"]
    go_to(datetime(2030, 12, 31, 21, 0, 0, tzinfo=UTC))
    assert [number_of("c"), number_of("a")] == ["1/2031", "1/2030"]


def test_a_kept_document_cannot_be_changed() -> None:
    document, _new = issue_document(kind=NumberedKind.RECEIPT, subject="a", facts={"b": 1}, actor="test")
    assert facts_of(document) == {"b": 1}
    for change in (lambda: NumberedDocument.objects.update(text="{}"), NumberedDocument.objects.all().delete):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()


def test_a_top_up_in_cash_has_a_slip_with_its_sum_in_words() -> None:
    till, player = make_till(), make_player()
    assert till.cashier is not None
    top_up = top_up_in_cash(account=account_of(player), amount=1_250, cashier=till.cashier, idempotency_key="k")
    with translation.override("en"):
        text = text_of(print_top_up_slip(top_up=top_up, asked_by=till.cashier))
        copy = text_of(print_top_up_slip(top_up=TopUp.objects.get(), asked_by=till.cashier))
    assert "BYN 12.50" in text
    assert "Twelve roubles, fifty kopeks" in text
    assert "COPY" not in text
    assert copy.replace("COPY\r\n", "") == text


def test_a_withdrawal_has_a_slip_and_its_order_a_page() -> None:
    player, (staff, _other) = make_player(), make_organizers()
    pay_in(player, 5_000)
    withdrawal = ask_back(player, 5_000, named_bank(player))
    with translation.override("en"):
        slip = text_of(print_withdrawal_slip(withdrawal=withdrawal, asked_by=staff))
        own = OwnBankAccount(iban="BY20OLMP31350000001000000933", bank="NBRBBY2X", holder="The operator")
        page = text_of(payment_order_page(order=PaymentOrder.objects.get(), account=own, asked_by=staff))
    assert withdrawal.reference in slip
    assert "BYN 50.00" in slip
    assert page.count("BY13 NBRB 3600 9000 0000 2Z00 AB00") == 1
    assert "Fifty roubles, zero kopeks" in page
    refusal = refused(lambda: payment_order_page(order=PaymentOrder.objects.get(), account=own, asked_by=player))
    assert refusal.code == Refusal.NOT_ALLOWED


@pytest.mark.parametrize(
    ("kopecks", "language", "words"),
    [
        (1, "ru", "Ноль белорусских рублей, одна копейка"),
        (123_402, "ru", "Одна тысяча двести тридцать четыре белорусских рубля, две копейки"),
        (2_100, "be", "Дваццаць адзін беларускі рубель, нуль капеек"),
        (1_000_000_050, "en", "Ten million roubles, fifty kopeks"),
    ],
)
def test_sums_in_words(kopecks: int, language: str, words: str) -> None:
    with translation.override(language):
        assert byn_in_words(kopecks) == words
