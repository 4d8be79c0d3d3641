"""Random pools, wrong and right results, some paid, some expired: whatever is corrected, everything ties (H5, I10)."""

import json
import random
from datetime import datetime, timedelta

import pytest

from accounts.ledger.kinds import AccountKind
from accounts.models import Till
from payouts.models import CorrectedPayable, CorrectionBooking, Payable, PayableKind, PayableState
from payouts.queries import money_certificate
from payouts.queries.guarantee import guarantee_sum
from payouts.services.booking import book_payables
from payouts.services.correcting import apply_correction
from payouts.services.crediting import credit_accounts
from payouts.services.expiring import expire_winnings
from pools.models import Correction, Pool
from pools.services.betting import PlacedBet
from tests.correcting import make_right, organizers_money, paid_and_due
from tests.disputing import cancelled
from tests.making import bet_from_account, make_player, make_pool, make_till
from tests.paying import broken, go_to, pay, payable_from, payable_until, sell_slips
from tests.settling import owed, settle
from totalizator.core import clock
from totalizator.core.errors import DomainError

pytestmark = pytest.mark.django_db
GAMES = ("sportloto-variant", "sportloto-position", "totolot-variant", "totolot-position")


def some_result(chance: random.Random, pool: Pool) -> tuple[str, bool]:
    """A result, and whether nothing took place."""
    if chance.random() < 0.15:
        return ";".join("void" for _condition in pool.terms.conditions), True
    one = [
        chance.choice(["1", "X", "2", "1+X", "void" if len(pool.terms.conditions) > 1 else "X+2"])
        for _condition in pool.terms.conditions
    ]
    return ";".join(one), False


@pytest.mark.parametrize("seed", range(16))
def test_everything_ties_whatever_is_corrected(seed: int) -> None:
    chance = random.Random(seed)
    till, player = make_till(1_000_000), make_player(100_000)
    pool = make_pool(chance.choice(GAMES))
    slips: list[PlacedBet] = []
    starts: list[datetime | None] = [None]
    for _number in range(chance.randint(4, 10)):
        bet = ";".join(chance.choice(["1", "X", "2"]) for _condition in pool.terms.conditions)
        if chance.random() < 0.3:
            bet_from_account(pool, player, bet, 100)
        else:
            slips += sell_slips(pool, till, (bet, 100))
        clock.move_clock(timedelta(minutes=1))
        starts.append(clock.now().replace(microsecond=0))
    wrong, void = some_result(chance, pool)
    settle(pool, wrong, event_void=void, started_at=chance.choice(starts) if chance.random() < 0.4 else None)
    book_payables(code=pool.code)
    fate(chance, pool, till, slips)
    before = {
        (ticket, kind): paid_and_due(pool, ticket) if kind == "winning" else (amount, 0)
        for ticket, kind, amount in Payable.objects.filter(pool=pool).values_list("ticket", "kind", "amount")
    }
    was = {key: sum(both) for key, both in before.items()}
    paid_before = {key: both[0] for key, both in before.items()}
    money = organizers_money()
    right, void = some_result(chance, pool)
    make_right(pool, right, event_void=void, started_at=chance.choice(starts) or clock.now().replace(microsecond=0))
    booking = apply_correction(code=pool.code)
    for row in CorrectedPayable.objects.filter(pool=pool, kind=PayableKind.WINNING).exclude(outcome="left"):
        paid, due = paid_and_due(pool, row.ticket)
        assert was.get((row.ticket, "winning"), 0) == row.before
        assert paid + due == max(paid_before.get((row.ticket, "winning"), 0), row.after), row
    winnings = Payable.objects.filter(pool=pool, state=PayableState.DUE).exclude(kind=PayableKind.REFUND)
    assert sum(winnings.values_list("amount", flat=True)) == owed(AccountKind.WINNINGS_DUE, pool)
    moved = sum(CorrectedPayable.objects.filter(pool=pool).values_list("moved", flat=True))
    assert money - organizers_money() == moved + booking.takeout + booking.jackpot
    assert_the_organizer_loses_what_is_lost(pool, booking, money - organizers_money())
    assert (broken(), guarantee_sum().differing) == ([], [])
    assert money_certificate(pool).holds  # type: ignore[union-attr]
    pay_everything(pool, till, slips)
    assert broken() == []
    assert money_certificate(pool).holds  # type: ignore[union-attr]


def fate(chance: random.Random, pool: Pool, till: Till, slips: list[PlacedBet]) -> None:
    """Some of it is paid, some is cancelled for a breach, and perhaps the term has ended."""
    go_to(payable_from(pool))
    if chance.random() < 0.6:
        credit_accounts(code=pool.code)
    for slip in slips:
        if chance.random() < 0.5:
            try_to_pay(slip, till)
        elif chance.random() < 0.15 and not Payable.objects.filter(ticket=slip.bet.ticket, kind="refund").exists():
            cancelled(slip.bet.ticket)
    if chance.random() < 0.3:
        go_to(payable_until(pool))
        expire_winnings(code=pool.code)


def try_to_pay(slip: PlacedBet, till: Till, key: str = "first") -> None:
    """Bring the slip, whether or not it has won."""
    try:
        pay(slip, till, f"{key}:{slip.bet.ticket}")
    except DomainError as refusal:
        if refusal.code not in ("nothing_to_pay", "already_paid", "term_expired", "not_payable_yet"):
            raise


def pay_everything(pool: Pool, till: Till, slips: list[PlacedBet]) -> None:
    """Bring every slip in the new term, and let the accounts be credited: nothing is left but what is refused twice."""
    go_to(Correction.objects.get(pool=pool).payable_from)
    credit_accounts(code=pool.code)
    for slip in slips:
        for key in ("second", "third"):
            try_to_pay(slip, till, key)
    assert not Payable.objects.filter(pool=pool, state=PayableState.DUE).exists()


def assert_the_organizer_loses_what_is_lost(pool: Pool, booking: CorrectionBooking, lost: int) -> None:
    """What was overpaid, what the jackpot could not give up, what stays expired or with cancelled bets (¶29)."""
    correction = Correction.objects.get(pool=pool)
    added = json.loads(correction.statement_text)["added"] - json.loads(pool.settlement.statement_text)["added"]
    rows = CorrectedPayable.objects.filter(pool=pool)
    unmoved = sum(row.after - row.before for row in rows.filter(outcome__in=("kept", "left", "overpaid")))
    assert lost == added - unmoved + booking.jackpot_short
