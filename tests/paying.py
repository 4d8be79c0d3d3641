"""Taking a settled pool to its payments: when to pay, at which till, and what came of it."""

import secrets
from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from accounts.ledger.balances import balance
from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import Movement, NewTransfer, ledger_account, post_many
from accounts.ledger.proofs import broken_invariants
from accounts.models import Person, Till, User
from payouts.models import Payable, Payment
from payouts.services.cash import pay_in_cash
from payouts.services.reconciling import PROOFS
from pools.models import Bet, Channel, Pool, Settlement
from pools.services.betting import PlacedBet
from tests.making import account_of, bet_in_cash
from totalizator.core import clock


def go_to(instant: datetime | None) -> None:
    """Move the clock to an instant."""
    assert instant is not None
    clock.move_clock(instant - clock.now())


def payable_from(pool: Pool) -> datetime:
    """The first instant at which the pool's winnings are paid."""
    first = Settlement.objects.get(pool=pool).payable_from
    assert first is not None
    return first


def payable_until(pool: Pool) -> datetime:
    """The first instant at which they no longer are."""
    end = Settlement.objects.get(pool=pool).payable_until
    assert end is not None
    return end


def sell_slips(pool: Pool, till: Till, *bets: tuple[str, int]) -> Sequence[PlacedBet]:
    """Sell (selections, stake) for cash at the till; each answer has the check code."""
    return [bet_in_cash(pool, till, selections, stake) for selections, stake in bets]


def sell_many(pool: Pool, players: Sequence[User], bits: str, count: int) -> None:
    """Write `count` bets of one line, taken in turn from the players' game accounts: rows as `place_bet` makes them."""
    at, price = clock.now(), pool.terms.price.line
    assert price is not None
    payers = [account_of(player).ledger_account for player in players]
    bets = [
        Bet(
            pool=pool,
            ticket=f"{pool.code}-{number:010d}",
            bits=bits,
            lines=1,
            stake=price,
            registered_at=at,
            channel=Channel.ACCOUNT,
            paid_from=payers[number % len(players)],
            player=players[number % len(players)],
            terms_digest=pool.terms_digest,
            rules_version=pool.terms.rules_version,
            salt=secrets.token_bytes(16),
            check_hash=bytes(32),
        )
        for number in range(count)
    ]
    pot = ledger_account(AccountKind.POOL_POT, pool.code)
    with transaction.atomic():
        post_many(
            [
                NewTransfer(
                    book=pool.pk,
                    key=f"stake:{bet.ticket}",
                    kind=TransferKind.STAKE,
                    occurred_at=at,
                    cause=f"bet:{bet.ticket}",
                    movements=[Movement(bet.paid_from, pot, price)],
                )
                for bet in bets
            ]
        )
        Bet.objects.bulk_create(bets)


def pay(slip: PlacedBet, till: Till, key: str | None = None, *, person: Person | None = None) -> Payment:
    """Bring the slip to the till; `person` is who shows a document."""
    assert till.cashier is not None
    return pay_in_cash(
        ticket=slip.bet.ticket,
        check_code=slip.check_code,
        cashier=till.cashier,
        idempotency_key=key or f"pay:{slip.bet.ticket}",
        person=person,
    )


def money_of(player: User) -> int:
    """What is on the player's game account."""
    return balance(account_of(player).ledger_account)


def states_of(pool: Pool) -> dict[str, str]:
    """ticket → state, of everything that is owed."""
    return dict(Payable.objects.filter(pool=pool).values_list("ticket", "state"))


def broken() -> list[str]:
    """The names of the proofs that do not hold now."""
    return sorted({invariant.name for invariant in broken_invariants(PROOFS)})
