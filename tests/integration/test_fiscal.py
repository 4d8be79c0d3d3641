"""A fiscal register that is out of paper undoes nothing: what it owes is printed later, in its order."""

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from accounts.ledger.balances import balance
from accounts.models import FiscalDocument, Route, Till
from accounts.services.fiscal_fake import FakeFiscalRegister
from accounts.services.handovers import announce_handover, receive_handover
from accounts.services.points import close_till
from accounts.services.topups import top_up_in_cash
from accounts.services.z_reports import figures_of
from accounts.tasks import print_fiscal_documents
from payouts.tasks import book_due_payables
from pools.models import Bet
from tests.carding import bought
from tests.desks import end_shift, keeper
from tests.making import account_of, bet_in_cash, make_player, make_pool, make_till
from tests.paying import go_to, pay, payable_from, sell_slips
from tests.refusals import refused
from tests.settling import settle
from totalizator.core.errors import Refusal

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def register(settings: Settings) -> Iterator[type[FakeFiscalRegister]]:
    """Every till has a fake register, with paper enough."""
    settings.FISCAL_REGISTER = "accounts.services.fiscal_fake.FakeFiscalRegister"
    FakeFiscalRegister.sheets = None
    FakeFiscalRegister.printed.clear()
    yield FakeFiscalRegister
    FakeFiscalRegister.sheets = None


def printed(till: Till) -> list[tuple[str, int]]:
    """What the register of a till printed: (act, kopecks)."""
    return [(act, amount) for act, at, _subject, amount in FakeFiscalRegister.printed if at == str(till)]


def test_a_whole_shift_is_printed_in_its_order() -> None:
    till, pool = make_till(1_000), make_pool("sportloto-variant")
    assert till.cashier is not None
    (slip,) = sell_slips(pool, till, ("1", 100))
    settle(pool, "1")
    book_due_payables()
    go_to(payable_from(pool))
    assert pay(slip, till).net == 66
    announce_handover(route=Route.POINT_TO_DESK, amount=500, given_by=till.cashier, till=till)
    end_shift(till)
    print_fiscal_documents()
    assert printed(till) == [("sale", 100), ("payout", 66), ("cash_moved", -500), ("z", 534)]
    print_fiscal_documents()
    assert len(printed(till)) == 4


def test_a_top_up_and_a_sold_card_are_sales_too() -> None:
    till, player = make_till(), make_player()
    assert till.cashier is not None
    top_up_in_cash(account=account_of(player), amount=500, cashier=till.cashier, idempotency_key="K")
    bought(till)
    print_fiscal_documents()
    assert printed(till) == [("sale", 500), ("sale", 1_000)]
    figures = figures_of(end_shift(till).z_report)
    assert [(line["kind"], line["side"], line["amount"]) for line in figures["lines"]] == [
        ("card_sold", "in", 1_000),
        ("deposit", "in", 500),
    ]


def test_a_register_out_of_paper_undoes_no_sale(register: type[FakeFiscalRegister]) -> None:
    till, other, pool = make_till(), make_till(), make_pool()
    register.sheets = 1
    for _bet in range(3):
        bet_in_cash(pool, till, "1;1;1", 100)
    print_fiscal_documents()
    print_fiscal_documents()
    assert printed(till) == [("sale", 100)]
    assert (Bet.objects.count(), balance(till.ledger_account)) == (3, 300)
    waiting = FiscalDocument.objects.filter(printed_at__isnull=True).order_by("pk")
    assert [(each.tries, each.fault) for each in waiting] == [(2, "out of paper"), (0, "")]
    register.sheets = None
    bet_in_cash(pool, other, "1;1;1", 200 - 100)
    print_fiscal_documents()
    assert (printed(till), printed(other)) == ([("sale", 100)] * 3, [("sale", 100)])
    numbers = FiscalDocument.objects.values_list("fiscal_number", flat=True)
    assert len(set(numbers)) == 4
    assert "" not in numbers


def test_a_refused_sale_is_not_printed() -> None:
    till, pool = make_till(), make_pool()
    end_shift(till)
    FiscalDocument.objects.all().delete()
    assert refused(lambda: bet_in_cash(pool, till, "1;1;1", 100)).code == Refusal.NO_OPEN_SHIFT
    print_fiscal_documents()
    assert printed(till) == []


def test_c3_after_the_collection_closing_tells_its_two_messages_in_order() -> None:
    till = make_till(700)
    assert till.cashier is not None
    handover = announce_handover(route=Route.POINT_TO_DESK, amount=700, given_by=till.cashier, till=till)
    receive_handover(handover=handover, counted=700, received_by=keeper())
    end_shift(till)
    close_till(till=till, closed_by=keeper())
    print_fiscal_documents()
    assert printed(till) == [("cash_moved", -700), ("z", 0), ("close", 0)]


def test_without_a_register_nothing_waits_for_one(settings: Settings) -> None:
    settings.FISCAL_REGISTER = ""
    till = make_till()
    bet_in_cash(make_pool(), till, "1;1;1", 100)
    end_shift(till)
    print_fiscal_documents()
    assert not FiscalDocument.objects.exists()
