"""Money that comes and goes by post: one line and a register of remittances, and back to an address (¶35.5, ¶41-43)."""

from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
import xmlschema
from django.core.management import call_command
from django.db import connection
from django.utils.translation import override

from accounts.models import (
    BankLine,
    Outcome,
    PaymentOrder,
    PostalOperator,
    PostalRegister,
    Receipt,
    TopUp,
    TopUpWay,
    WhyOpen,
)
from accounts.services.instruments import postal_address_of
from accounts.services.payment_files import export_payment_orders
from accounts.services.payment_order_pages import payment_order_page
from accounts.services.post import enter_postal_operator
from accounts.services.postal_registers import import_postal_register
from accounts.services.transfer_references import ReferenceKind, TransferReference
from payouts.services.booking import book_payables
from payouts.services.crediting import credit_accounts
from pools.models import Bet, BetOrder, Pool
from pools.services.bet_orders import Payer, make_bet_order, reference_of
from pools.services.receipt_matching import match_receipts
from tests.banking import PAYER, csv_line, decide, in_bank, in_suspense, order_bet, own_account, take_in, transfers
from tests.desks import keeper
from tests.making import account_of, make_organizers, make_player, make_pool
from tests.paying import broken, go_to, money_of, payable_from
from tests.refusals import refused
from tests.settling import settle
from tests.topping_up import ask_back, due
from totalizator.core import clock
from totalizator.core.errors import Refusal

pytestmark = pytest.mark.django_db

POST = "BY19BLBB30140000000000000099"
ADDRESS = "220030, г. Минск, ул. Ленина, д. 5, кв. 12"
SCHEMA = Path(__file__).parent / "fixtures" / "iso20022" / "pain.001.001.09.xsd"


def with_post() -> PostalOperator:
    """The post, whose agreement somebody has entered who gives nothing to the bank in these tests."""
    return enter_postal_operator(
        name="РУП «Белпочта»",
        account=POST,
        bank="BLBBBY2X",
        agreement="Договор 12",
        valid_from=clock.today(),
        entered_by=keeper(),
    )


def register(*remittances: tuple[str, str, int, str], number: str = "R-17") -> bytes:
    """The post's file of (number, sender, kopecks, words)."""
    rows = [
        f"{number};{each};{sender};{ADDRESS};{amount // 100},{amount % 100:02d};{words}"
        for each, sender, amount, words in remittances
    ]
    heading = "Реестр;Номер перевода;Отправитель;Адрес отправителя;Сумма;Сообщение"
    return "\r\n".join([heading, *rows, ""]).encode("cp1251")


def paid_by_post(amount: int, purpose: str = "Переводы по реестру R-17") -> Receipt:
    (receipt,) = transfers(csv_line(amount, purpose, payer="РУП «Белпочта»", account=POST))
    return receipt


def order_by_post(pool: Pool, name: str = "Иванова Анна") -> BetOrder:
    return make_bet_order(
        pool_code=pool.code,
        selections="1",
        stake=100,
        payer=Payer(name, address=ADDRESS),
        consent=True,
        actor="user:1",
        idempotency_key="by post",
    )


def test_a_register_tells_one_line_part_by_part_and_each_finds_its_place() -> None:
    with_post()
    player, pool = make_player(), make_pool("sportloto-variant")
    order = order_by_post(pool)
    whole = paid_by_post(2_900)
    assert (whole.why, whole.open_amount) == (WhyOpen.AWAITS_REGISTER, 2_900)
    account = str(TransferReference(ReferenceKind.GAME_ACCOUNT, account_of(player).pk))
    content = register(
        ("1", "Петров Пётр", 2_500, account), ("2", "ИВАНОВА  Анна", 100, str(reference_of(order))), ("3", "Х", 300, "")
    )
    told = import_postal_register(content=content, imported_by=keeper())
    assert import_postal_register(content=content, imported_by=keeper()) == told
    assert (told.line_id, told.remittances, in_suspense(), in_bank()) == (whole.pk, 3, 2_900, 2_900)
    assert broken() == []
    match_receipts()
    top_up = TopUp.objects.get()
    assert (top_up.way, top_up.amount, money_of(player)) == (TopUpWay.POSTAL_TRANSFER, 2_500, 2_500)
    assert Bet.objects.get().ticket == BetOrder.objects.get().ticket
    last = Receipt.objects.get(line__bank_reference="3")
    assert (last.why, in_suspense()) == (WhyOpen.NO_REFERENCE, 300)
    decide(last, Outcome.RETURNED)
    back = PaymentOrder.objects.get()
    assert (back.amount, back.payee_name, back.payee_address, back.payee_account) == (300, "Х", ADDRESS, POST)
    assert broken() == []


def test_control_a_register_that_lost_a_remittance_is_found() -> None:
    with_post()
    whole = paid_by_post(300)
    import_postal_register(content=register(("1", "А", 200, ""), ("2", "Б", 100, "")), imported_by=keeper())
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE accounts_bankline DISABLE TRIGGER append_only_rows")
        cursor.execute("UPDATE accounts_bankline SET amount = 90 WHERE part_of_id = %s AND amount = 100", [whole.pk])
        cursor.execute("ALTER TABLE accounts_bankline ENABLE TRIGGER append_only_rows")
    assert len(broken()) == 2


def test_a_register_of_another_sum_number_or_fault_books_nothing() -> None:
    with_post()
    paid_by_post(300)
    staff, player = keeper(), make_player()
    fits = ("1", "А", 300, "")
    for content, code in (
        (register(("1", "А", 299, "")), Refusal.NOT_FOUND),
        (register(fits, number="R-1"), Refusal.NOT_FOUND),
        (register(("1", "А", 150, ""), ("1", "Б", 150, "")), Refusal.BAD_VALUE),
        (register(("1", "", 300, "")), Refusal.BAD_VALUE),
        (register(("1", "А", 0, "")), Refusal.BAD_VALUE),
        (register(), Refusal.BAD_VALUE),
        (register(fits) + register(("2", "Б", 5, ""), number="R-18").partition(b"\r\n")[2], Refusal.BAD_VALUE),
        (b"", Refusal.BAD_VALUE),
    ):
        assert refused(lambda: import_postal_register(content=content, imported_by=staff)).code is code  # noqa: B023
    act = refused(lambda: import_postal_register(content=register(fits), imported_by=player))
    assert (act.code, PostalRegister.objects.count(), BankLine.objects.count()) == (Refusal.NOT_ALLOWED, 0, 1)


def test_one_remittance_by_a_line_of_its_own_is_a_postal_transfer() -> None:
    with_post()
    player = make_player()
    paid_by_post(700, str(TransferReference(ReferenceKind.GAME_ACCOUNT, account_of(player).pk)))
    assert (TopUp.objects.get().way, money_of(player)) == (TopUpWay.POSTAL_TRANSFER, 700)


def test_what_the_posts_account_paid_before_the_agreement_is_no_postal_transfer() -> None:
    enter_postal_operator(
        name="РУП «Белпочта»",
        account=POST,
        bank="BLBBBY2X",
        agreement="Договор 12",
        valid_from=clock.today() + timedelta(days=1),
        entered_by=keeper(),
    )
    assert paid_by_post(700).why == WhyOpen.NO_REFERENCE


def test_another_sender_by_post_does_not_pay_the_order() -> None:
    with_post()
    order = order_by_post(make_pool("sportloto-variant"))
    paid_by_post(100)
    content = register(("1", "Сидоров Иван", 100, str(reference_of(order))))
    import_postal_register(content=content, imported_by=keeper())
    match_receipts()
    receipt = Receipt.objects.get(line__part_of__isnull=False)
    assert (receipt.why, Bet.objects.count(), in_suspense()) == (WhyOpen.OTHER_PAYER, 0, 100)


def test_what_a_bet_by_post_wins_goes_back_by_post_with_a_document() -> None:
    with_post()
    pool = make_pool("sportloto-variant")
    order = order_by_post(pool)
    paid_by_post(100)
    content = register(("1", "Иванова Анна", 100, str(reference_of(order))))
    import_postal_register(content=content, imported_by=keeper())
    match_receipts()
    settle(pool, "1")
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    credit_accounts(code=pool.code)
    payment_order = PaymentOrder.objects.select_related("post").get()
    assert (payment_order.payee_name, payment_order.payee_address) == ("Иванова Анна", ADDRESS)
    with connection.cursor() as cursor:
        cursor.execute("SELECT payee_address FROM accounts_paymentorder")
        assert "Минск" not in cursor.fetchone()[0]
    given = export_payment_orders(account=own_account(), made_by=make_organizers()[0])
    document = xmlschema.XMLSchema(SCHEMA).to_dict(given.content.decode())
    (line,) = document["CstmrCdtTrfInitn"]["PmtInf"][0]["CdtTrfTxInf"]  # type: ignore[index, call-overload]
    assert (line["Cdtr"]["Nm"], line["CdtrAcct"]["Id"]["IBAN"]) == ("РУП «Белпочта»", POST)
    assert line["UltmtCdtr"] == {"Nm": "Иванова Анна", "PstlAdr": {"AdrLine": [ADDRESS]}}
    page = payment_order_page(order=payment_order, account=own_account(), asked_by=make_organizers()[0])
    assert page.startswith(b"%PDF")
    take_in(csv_line(payment_order.amount, "", debit=True, document=payment_order.number, account=POST))
    payment_order.refresh_from_db()
    assert payment_order.state == "executed"
    assert broken() == []


def test_a_withdrawal_by_post_goes_to_the_verified_name_at_the_address() -> None:
    player, staff = make_player(1_000), keeper()
    assert refused(lambda: postal_address_of(account_of(player), ADDRESS)).code is Refusal.NO_AGREEMENT
    with_post()
    withdrawal = ask_back(player, 600, postal_address_of(account_of(player), f" {ADDRESS} "))
    order = PaymentOrder.objects.get(withdrawal=withdrawal)
    assert (order.payee_account, order.payee_address, due(), money_of(player)) == (POST, ADDRESS, 600, 400)
    assert order.payee_name == player.person.identity.full_name
    ours = own_account()
    act = refused(lambda: export_payment_orders(account=ours, made_by=staff))
    assert act.code is Refusal.SAME_PERSON  # who entered the account of the post
    export_payment_orders(account=own_account(), made_by=make_organizers()[1])
    take_in(csv_line(600, "", debit=True, document=order.number, account=POST))
    withdrawal.refresh_from_db()
    assert (withdrawal.state, due()) == ("confirmed", 0)
    assert broken() == []


def test_the_address_of_another_player_takes_nothing() -> None:
    with_post()
    player, other = make_player(1_000), make_player()
    theirs = postal_address_of(account_of(other), ADDRESS)
    assert refused(lambda: ask_back(player, 600, theirs)).code is Refusal.OTHER_WAY


def test_an_order_is_paid_from_an_account_or_by_post() -> None:
    pool = make_pool("sportloto-variant")
    assert refused(lambda: order_by_post(pool)).code is Refusal.NO_AGREEMENT
    with_post()
    both = Payer("Анна", PAYER, address=ADDRESS)
    act = refused(
        lambda: make_bet_order(
            pool_code=pool.code,
            selections="1",
            stake=100,
            payer=both,
            consent=True,
            actor="user:1",
            idempotency_key="k",
        )
    )
    assert (act.code, act.field) == (Refusal.BAD_VALUE, "payer_address")


@pytest.mark.parametrize(
    ("changes", "code"),
    [({"account": "BY00"}, "bad_value"), ({"name": " "}, "bad_value"), ({"agreement": ""}, "bad_value")],
)
def test_an_agreement_with_the_post_is_whole_and_entered_by_staff(changes: dict[str, str], code: str) -> None:
    told = {"name": "Почта", "account": POST, "bank": "BLBBBY2X", "agreement": "12"} | changes
    staff, player = keeper(), make_player()
    day = clock.today()
    assert refused(lambda: enter_postal_operator(**told, valid_from=day, entered_by=staff)).code == code
    fit = {"name": "Почта", "account": POST, "bank": "BLBBBY2X", "agreement": "12"}
    assert refused(lambda: enter_postal_operator(**fit, valid_from=day, entered_by=player)).code == "not_allowed"
    past = day - timedelta(days=1)
    assert refused(lambda: enter_postal_operator(**fit, valid_from=past, entered_by=staff)).field == "valid_from"


@pytest.mark.parametrize("account", ["BY13NBRB3600900000002Z00AB00", ""])
def test_41_an_order_is_paid_from_its_payers_account(account: str) -> None:
    order = order_bet(make_pool("sportloto-variant"))
    (receipt,) = transfers(csv_line(100, str(reference_of(order)), account=account))
    assert (receipt.why, receipt.open_amount, Bet.objects.count()) == (WhyOpen.OTHER_PAYER, 100, 0)
    assert in_suspense() == 100


def test_the_command_imports_a_register_and_tells_a_fault(tmp_path: Path) -> None:
    with_post()
    paid_by_post(300)
    file, said, staff = tmp_path / "r.csv", StringIO(), keeper()
    file.write_bytes(register(("1", "А", 200, ""), ("2", "Б", 100, "")))
    for _time in range(2):
        call_command("import_postal_register", str(file), "--by", staff.username, stdout=said)
    assert said.getvalue() == "2 remittances of register R-17.\n" * 2
    file.write_bytes(b"nothing")
    with pytest.raises(SystemExit) as ended, override("en"):
        call_command("import_postal_register", str(file), "--by", staff.username, stdout=StringIO())
    assert (ended.value.code, PostalRegister.objects.count()) == (1, 1)
