"""Payment orders for the bank: the official structure, each order in one file, a copy is the same message (¶41-42)."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
import xmlschema
from hypothesis import given
from hypothesis import strategies as st

from accounts.documents.pain001 import TransferFile, TransferLine, render_pain001
from accounts.models import OrderState, Outcome, PaymentFile, PaymentOrder
from accounts.services.payment_files import export_again, export_payment_orders
from accounts.services.payment_orders import Payee, draw_up_anew, draw_up_order, note_returned
from tests.banking import OURS, PAYER, csv_line, decide, own_account, take_in, transfer
from tests.desks import keeper
from tests.making import make_organizers, make_player
from tests.paying import money_of
from tests.refusals import refused
from tests.topping_up import ask_back, due, named_bank
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord

SCHEMA = Path(__file__).parent / "fixtures" / "iso20022" / "pain.001.001.09.xsd"


@pytest.fixture(scope="module")
def schema() -> xmlschema.XMLSchema:
    """The official schema: it takes a second to read."""
    return xmlschema.XMLSchema(SCHEMA)


def transfers_of(content: bytes, schema: xmlschema.XMLSchema) -> dict[str, Any]:
    """The one payment of a file that is valid by the official schema, its totals checked."""
    document: Any = schema.to_dict(content.decode())
    message = document["CstmrCdtTrfInitn"]
    (payment,) = message["PmtInf"]
    amounts = [line["Amt"]["InstdAmt"]["$"] for line in payment["CdtTrfTxInf"]]
    for head in (message["GrpHdr"], payment):
        assert (int(head["NbOfTxs"]), head["CtrlSum"]) == (len(amounts), sum(amounts))
    assert isinstance(payment, dict)
    return payment


def two_orders() -> list[PaymentOrder]:
    """Two payments that go back to their payers."""
    for amount in (300, 45_001):
        decide(transfer(amount, "за участие"), Outcome.RETURNED)
    return list(PaymentOrder.objects.order_by("pk"))


@pytest.mark.django_db
def test_who_wrote_the_payee_down_by_hand_does_not_give_the_order_to_the_bank() -> None:
    (one, other), account = make_organizers(), own_account()
    decide(transfer(300, "за участие"), Outcome.RETURNED)
    export_payment_orders(account=account, made_by=one)
    note_returned(order=PaymentOrder.objects.get(), reason="No such account", by=keeper())
    anew = draw_up_anew(order=PaymentOrder.objects.get(), payee=Payee("Кто-то", PAYER), drawn_up_by=one)
    assert refused(lambda: export_payment_orders(account=account, made_by=one)).code is Refusal.SAME_PERSON
    assert (PaymentFile.objects.count(), PaymentOrder.objects.get(pk=anew.pk).state) == (1, OrderState.DRAWN_UP)
    export_payment_orders(account=account, made_by=other)
    assert PaymentOrder.objects.get(pk=anew.pk).state == OrderState.EXPORTED


@pytest.mark.django_db
def test_orders_become_a_file_of_the_official_structure(schema: xmlschema.XMLSchema) -> None:
    orders = two_orders()
    given_file = export_payment_orders(account=own_account(), made_by=make_organizers()[0])
    payment = transfers_of(given_file.content, schema)
    assert payment["DbtrAcct"]["Id"]["IBAN"] == OURS
    lines = payment["CdtTrfTxInf"]
    assert [line["PmtId"]["EndToEndId"] for line in lines] == [order.number for order in orders]
    assert [str(line["Amt"]["InstdAmt"]["$"]) for line in lines] == ["3.00", "450.01"]
    assert {line["CdtrAcct"]["Id"]["IBAN"] for line in lines} == {PAYER}
    assert (given_file.file.orders, given_file.file.total, given_file.is_copy) == (2, 45_301, False)
    for order in orders:
        order.refresh_from_db()
        assert (order.state, order.file_digest) == (OrderState.EXPORTED, given_file.file.digest)


@pytest.mark.django_db
def test_an_order_stands_in_one_file_and_a_copy_is_the_same_message() -> None:
    two_orders()
    account, (one, other) = own_account(), make_organizers()
    first = export_payment_orders(account=account, made_by=one)
    assert refused(lambda: export_payment_orders(account=account, made_by=other)).code == Refusal.NOTHING_TO_PAY
    copy = export_again(message_id=first.file.message_id, asked_by=other)
    assert (copy.content, copy.is_copy) == (first.content, True)
    assert (first.name, copy.name) == (f"{first.file.message_id}.xml", f"{first.file.message_id}-copy.xml")
    assert JournalRecord.objects.filter(act="copy_payment_file", actor=other.actor).count() == 1
    assert PaymentFile.objects.count() == 1


@pytest.mark.django_db
def test_an_account_that_cannot_be_right_is_left_out_and_told() -> None:
    two_orders()
    wrong = draw_up_order(
        cause="winning:X", payee=Payee("Анна", PAYER[:-1] + "3"), amount=5, purpose="p", at=clock.now(), actor="test"
    )
    given_file = export_payment_orders(account=own_account(), made_by=make_organizers()[0])
    assert (given_file.file.orders, list(given_file.left_out)) == (2, [wrong])
    wrong.refresh_from_db()
    assert wrong.state == OrderState.DRAWN_UP


@pytest.mark.django_db
def test_what_no_file_takes_comes_back_and_is_drawn_up_anew() -> None:
    (one, other), ours, impossible = make_organizers(), own_account(), PAYER[:-1] + "3"
    wrong = draw_up_order(
        cause="winning:X", payee=Payee("Анна", impossible), amount=5, purpose="p", at=clock.now(), actor="test"
    )
    right = draw_up_order(
        cause="winning:Y", payee=Payee("Анна", PAYER), amount=6, purpose="p", at=clock.now(), actor="test"
    )
    assert refused(lambda: note_returned(order=right, reason="no", by=one)).code is Refusal.WRONG_STATE
    note_returned(order=wrong, reason="No such account", by=one)
    act = refused(lambda: draw_up_anew(order=wrong, payee=Payee("Анна", impossible), drawn_up_by=one))
    assert (act.code, act.field) == (Refusal.BAD_VALUE, "payee_account")
    anew = draw_up_anew(order=wrong, payee=Payee("Анна", PAYER), drawn_up_by=one)
    given_file = export_payment_orders(account=ours, made_by=other)
    assert (given_file.file.orders, given_file.file.total, list(given_file.left_out)) == (2, 11, [])
    assert PaymentOrder.objects.get(pk=anew.pk).state == OrderState.EXPORTED


@pytest.mark.django_db
def test_a_withdrawal_to_an_account_that_cannot_be_right_is_back_on_the_game_account() -> None:
    player, staff = make_player(1_000), keeper()
    bank = named_bank(player)
    withdrawal = ask_back(player, 600, bank)
    order = PaymentOrder.objects.select_related("withdrawal").get(withdrawal=withdrawal)
    PaymentOrder.objects.filter(pk=order.pk).update(payee_account=PAYER[:-1] + "3")
    order.refresh_from_db()
    note_returned(order=order, reason="No such account", by=staff)
    withdrawal.refresh_from_db()
    assert (withdrawal.state, money_of(player), due()) == ("failed", 1_000, 0)


@pytest.mark.django_db
def test_only_staff_export_and_a_file_has_to_exist() -> None:
    account, player = own_account(), make_player()
    assert refused(lambda: export_payment_orders(account=account, made_by=player)).code == Refusal.NOT_ALLOWED
    assert refused(lambda: export_again(message_id="TOT-1", asked_by=player)).code == Refusal.NOT_ALLOWED
    one = make_organizers()[0]
    assert refused(lambda: export_again(message_id="TOT-1", asked_by=one)).code == Refusal.NOT_FOUND


@pytest.mark.django_db
def test_the_bank_confirms_by_number_and_whole_amount_only() -> None:
    first, second = two_orders()
    export_payment_orders(account=own_account(), made_by=make_organizers()[0])
    take_in(
        csv_line(300, "возврат", debit=True, document=first.number),
        csv_line(45_000, "возврат", debit=True, document=second.number),
        csv_line(300, "возврат", debit=True, document="PO-999999"),
    )
    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.state, second.state) == (OrderState.EXECUTED, OrderState.EXPORTED)


@pytest.mark.django_db
def test_an_order_that_was_not_given_to_the_bank_is_not_confirmed() -> None:
    first, _second = two_orders()
    take_in(csv_line(300, "возврат", debit=True, document=first.number))
    first.refresh_from_db()
    assert first.state == OrderState.DRAWN_UP


texts = st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=140).filter(str.strip)


@given(st.lists(st.tuples(st.integers(1, 10**13), texts, texts), min_size=1, max_size=5))
def test_whatever_is_paid_for_the_file_is_valid_and_adds_up(
    schema: xmlschema.XMLSchema, lines: list[tuple[int, str, str]]
) -> None:
    file = TransferFile(
        message_id="TOT-20261130-000001",
        made_at=datetime(2026, 11, 30, 9, 0, 0, 123456, tzinfo=UTC),
        execute_on=date(2026, 11, 30),
        holder="ООО «Тотализатор»",
        iban=OURS,
        bank="AKBBBY2X",
        lines=[
            TransferLine(f"PO-{number}", amount, name, PAYER, is_iban=True, payee_bank="ALFABY2X", purpose=purpose)
            for number, (amount, name, purpose) in enumerate(lines)
        ],
    )
    content = render_pain001(file)
    assert content == render_pain001(file)
    payment = transfers_of(content, schema)
    assert [int(line["Amt"]["InstdAmt"]["$"] * 100) for line in payment["CdtTrfTxInf"]] == [line[0] for line in lines]
