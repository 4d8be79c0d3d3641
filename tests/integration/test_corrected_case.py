"""A result that is corrected after the settlement: who had the winning, and who should have it (C24)."""

import pytest

from accounts.ledger.balances import balance
from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import ledger_account
from accounts.models import Transfer
from payouts.models import OverpaidCase, Payable, PayableState
from payouts.services.booking import book_payables
from payouts.services.correcting import apply_correction
from payouts.services.crediting import credit_accounts
from pools.models import Pool
from tests.correcting import make_right
from tests.making import bet_from_account, bet_in_cash, make_player, make_pool, make_till
from tests.paying import broken, go_to, money_of, pay, payable_from, states_of
from tests.settling import settle, winnings_of

pytestmark = pytest.mark.django_db

WON, TAX = 50_000, 2_500


def settled_wrong(pool: Pool, a: str) -> None:
    """Condition 1 is settled as "1": A has the whole fund of 500.00, and B should have it."""
    settle(pool, "1")
    assert winnings_of(pool) == {(a, "all"): WON}
    book_payables(code=pool.code)
    go_to(payable_from(pool))


def protocols_of(pool: Pool) -> dict[str, str]:
    """What a correction moved, and by which protocol."""
    kinds = (TransferKind.CORRECTION_ADDED, TransferKind.CORRECTION_TAKEN, TransferKind.OVERPAID)
    return dict(Transfer.objects.filter(book=pool.pk, kind__in=kinds).values_list("kind", "cause"))


def test_c24_what_is_unpaid_goes_from_a_to_b_and_both_entries_name_the_new_protocol() -> None:
    till, pool = make_till(100_000), make_pool("totolot-variant")
    a, b = bet_in_cash(pool, till, "1", 41_667), bet_in_cash(pool, till, "X", 41_666)
    settled_wrong(pool, a.bet.ticket)
    make_right(pool, "X")
    apply_correction(code=pool.code)
    assert states_of(pool) == {a.bet.ticket: PayableState.REVOKED, b.bet.ticket: PayableState.DUE}
    new = f"protocol:{pool.code}/2"
    assert protocols_of(pool) == {TransferKind.CORRECTION_ADDED: new, TransferKind.CORRECTION_TAKEN: new}
    go_to(Payable.objects.get(ticket=b.bet.ticket).payable_from)
    assert pay(b, till).net == WON - TAX
    assert broken() == []


@pytest.mark.parametrize("credited", [False, True])
def test_c24_what_was_paid_or_credited_stays_b_is_paid_in_full_and_the_gap_is_a_receivable(credited: bool) -> None:
    player, till, pool = make_player(41_667), make_till(100_000), make_pool("totolot-variant")
    a = bet_from_account(pool, player, "1", 41_667) if credited else bet_in_cash(pool, till, "1", 41_667)
    b = bet_in_cash(pool, till, "X", 41_666)
    settled_wrong(pool, a.bet.ticket)
    if credited:
        credit_accounts(code=pool.code)
    else:
        pay(a, till)
    had = money_of(player)
    make_right(pool, "X")
    apply_correction(code=pool.code)
    case = OverpaidCase.objects.get(pool=pool)
    assert (case.ticket, case.receivable) == (a.bet.ticket, WON - TAX)
    assert balance(ledger_account(AccountKind.RECEIVABLE, a.bet.ticket)) == WON - TAX
    new = f"protocol:{pool.code}/2"
    assert protocols_of(pool) == {TransferKind.CORRECTION_ADDED: new, TransferKind.OVERPAID: new}
    assert (states_of(pool)[a.bet.ticket], money_of(player)) == (PayableState.PAID, had)
    go_to(Payable.objects.get(ticket=b.bet.ticket).payable_from)
    assert pay(b, till).net == WON - TAX
    assert broken() == []
