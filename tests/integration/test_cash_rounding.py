"""Cash in coins that there are: rounded down, the rest an entry of its own, undone together (C46)."""

from functools import partial

import pytest
from django.db import connection, transaction

from accounts.ledger.balances import balance
from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.ledger.reversal import reverse
from accounts.models import Entry, FiscalDocument, Till, Transfer
from payouts.models import Payment
from payouts.services.booking import book_payables
from payouts.services.crediting import credit_accounts
from pools.models import Pool
from pools.services.betting import PlacedBet
from tests.making import bet_from_account, make_player, make_pool, make_till
from tests.paying import broken, go_to, money_of, pay, payable_from, sell_slips
from tests.refusals import refused
from tests.settling import sell, settle
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord, LegalNumber

pytestmark = pytest.mark.django_db


def coin(step: int) -> None:
    """Make `step` kopecks the smallest coin, and leave winnings untaxed."""
    LegalNumber.objects.filter(name="cash_step").update(value=str(step))
    LegalNumber.objects.filter(name="winning_tax_rate").update(value="0")


def kept_back() -> int:
    return balance(ledger_account(AccountKind.CASH_ROUNDING))


def won(till: Till, price: int = 775, **terms: object) -> tuple[Pool, PlacedBet]:
    """A pool whose one bet, of one line at `price` kopecks, wins them all and is payable now."""
    pool = make_pool("sportloto-variant", terms={"price": {"line": price}, "fund": "1", **terms})
    (slip,) = sell_slips(pool, till, ("1", price))
    settle(pool, "1")
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    return pool, slip


def test_c46_775_at_a_step_of_50_pays_750_and_books_025_and_its_reversal_mirrors_both() -> None:
    coin(50)
    till = make_till(1_000)
    pool, slip = won(till)
    payment = pay(slip, till)
    assert (payment.gross, payment.tax, payment.net, payment.rounded, payment.handed_over) == (775, 0, 775, 25, 750)
    assert (balance(till.ledger_account), kept_back()) == (1_000 + 775 - 750, 25)
    transfer = Transfer.objects.get(book=pool.pk, key=f"winning-paid:{slip.bet.ticket}")
    entries = Entry.objects.filter(book=pool.pk, key=transfer.key).order_by("line")
    assert [(entry.debit.kind, entry.credit.kind, entry.amount) for entry in entries] == [
        ("winnings_due", "till", 750),
        ("winnings_due", "cash_rounding", 25),
    ]
    assert broken() == []
    with transaction.atomic():
        undone = reverse(transfer, occurred_at=clock.now(), cause="a mistake")
    mirrored = Entry.objects.filter(book=pool.pk, key=undone.key).order_by("line")
    assert [(entry.debit.kind, entry.credit.kind, entry.amount) for entry in mirrored] == [
        ("till", "winnings_due", 750),
        ("cash_rounding", "winnings_due", 25),
    ]
    assert (balance(till.ledger_account), kept_back()) == (1_000 + 775, 0)


def test_the_journal_says_what_was_kept_back() -> None:
    coin(50)
    till = make_till(1_000)
    _pool, slip = won(till)
    pay(slip, till)
    after = JournalRecord.objects.get(act="pay_in_cash").after
    assert after == {"kind": "winning", "gross": 775, "tax": 0, "net": 775, "rounded": 25, "till": till.pk}


@pytest.mark.parametrize(("step", "handed"), [(1, 775), (5, 775), (10, 770), (20, 760), (100, 700), (775, 775)])
def test_cash_is_a_multiple_of_the_step_and_never_more_than_is_due(step: int, handed: int) -> None:
    coin(step)
    till = make_till(1_000)
    _pool, slip = won(till)
    payment = pay(slip, till)
    assert (payment.handed_over, payment.rounded, kept_back()) == (handed, 775 - handed, 775 - handed)
    assert broken() == []


def test_tax_is_of_the_whole_winning_and_the_rest_is_rounded() -> None:
    coin(50)
    LegalNumber.objects.filter(name="winning_tax_rate").update(value="1/20")
    till = make_till(1_000)
    _pool, slip = won(till)
    payment = pay(slip, till)
    assert (payment.gross, payment.tax, payment.net, payment.rounded) == (775, 39, 736, 36)
    assert broken() == []


def test_c46_a_returned_stake_is_what_was_taken_to_the_kopeck() -> None:
    """A sale is not rounded, so neither is its refund; even one below the smallest coin is given back (D-12)."""
    coin(500)
    till = make_till(1_000)
    pool = make_pool("sportloto-variant", terms={"price": {"line": 130}})
    (slip,) = sell_slips(pool, till, ("1", 130))
    settle(pool, "1", event_void=True)
    book_payables(code=pool.code)
    payment = pay(slip, till)
    assert (payment.kind, payment.net, payment.handed_over, kept_back()) == ("refund", 130, 130, 0)


def test_less_than_the_smallest_coin_stays_owed() -> None:
    coin(1_000)
    till = make_till(1_000)
    _pool, slip = won(till)
    assert refused(partial(pay, slip, till)).code == Refusal.NOTHING_TO_PAY
    coin(50)
    assert pay(slip, till).handed_over == 750


def test_what_goes_to_an_account_is_not_rounded() -> None:
    coin(50)
    pool, player = make_pool("sportloto-variant", terms={"price": {"line": 775}, "fund": "1"}), make_player(775)
    bet_from_account(pool, player, "1", 775)
    sell(pool, ("X", 775))
    settle(pool, "1")
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    credit_accounts(code=pool.code)
    assert (money_of(player), Payment.objects.get().rounded, kept_back()) == (1_550, 0, 0)


def test_the_fiscal_register_is_told_what_was_handed_over(settings: object) -> None:
    settings.FISCAL_REGISTER = "accounts.services.fiscal_fake.FakeFiscalRegister"  # type: ignore[attr-defined]
    coin(50)
    till = make_till(1_000)
    _pool, slip = won(till)
    pay(slip, till)
    assert FiscalDocument.objects.get(kind="payout").amount == 750


def test_a_payment_that_says_another_rounding_is_found() -> None:
    coin(50)
    till = make_till(1_000)
    _pool, slip = won(till)
    pay(slip, till)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE payouts_payment DISABLE TRIGGER append_only_rows")
        cursor.execute("UPDATE payouts_payment SET rounded = 24")
        cursor.execute("ALTER TABLE payouts_payment ENABLE TRIGGER append_only_rows")
    assert broken() == ["every payment is in the ledger, every paying entry is a payment"]
