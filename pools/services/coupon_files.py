"""Many coupons from one file: every line is right, or none is sold (B7)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from accounts.services.identified_operations import refuse_unidentified
from pools.locks import find_pool
from pools.models import Pool
from pools.services.betting import PlacedBet, place_bet, placed_before, read_coupon
from pools.services.sources import BetSource
from pools.services.typed_coupons import read_typed
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.transactions import one_transaction

MAX_LINES = 5_000


@dataclass(frozen=True, slots=True)
class FileLine:
    """One coupon of a file: its line's number from 1, its selections, its stake in kopecks, its single lines."""

    number: int
    selections: str
    stake: int
    lines: int


@dataclass(frozen=True, slots=True)
class LineFault:
    """A line that cannot be sold, and why."""

    number: int
    text: str
    fault: DomainError


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """A file read through: sold only when there are no faults."""

    lines: tuple[FileLine, ...]
    faults: tuple[LineFault, ...]

    @property
    def total(self) -> int:
        """What all the coupons cost together, in kopecks."""
        return sum(line.stake for line in self.lines)


def check_file(*, pool_code: str, text: str, stake: int | None = None) -> CheckedFile:
    """Read a text file, one coupon a line, empty lines passed over; nothing is sold.

    `stake` in kopecks is each coupon's in a pool without a fixed price.

    :raises DomainError: NOT_FOUND; BAD_VALUE for an empty file or one of more than 5,000 coupons.
    """
    pool = find_pool(pool_code)
    rows = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not 1 <= len(rows) <= MAX_LINES:
        raise DomainError(Refusal.BAD_VALUE, _("A file must hold 1 to 5,000 coupons, one a line."), field="file")
    lines, faults = [], []
    for number, row in rows:
        try:
            lines.append(_read_line(pool, number, row, stake))
        except DomainError as fault:
            faults.append(LineFault(number, row, fault))
    return CheckedFile(tuple(lines), tuple(faults))


def sell_file(*, pool_code: str, checked: CheckedFile, source: BetSource, idempotency_key: str) -> Sequence[PlacedBet]:
    """Sell all coupons of a checked file in one transaction: all or none.

    In cash they are one payment, so all of them together may need a document (Q1).

    :raises DomainError: BAD_VALUE when the file has faults; IDENTITY_NEEDED; else as `place_bet`, for the first coupon
        refused.
    """
    if checked.faults:
        raise DomainError(
            Refusal.BAD_VALUE, _("The file has lines that cannot be sold; nothing was sold."), field="file"
        )
    if source.takes_cash:
        refuse_unidentified(amount=checked.total, person=source.person, at=clock.now())
    return _each_line(place_bet, pool_code, checked.lines, source, idempotency_key)


def sold_before(
    *, pool_code: str, lines: Sequence[FileLine], source: BetSource, idempotency_key: str
) -> Sequence[PlacedBet]:
    """Return the bets that `sell_file` has made of these lines, with their check codes; nothing is ever bought.

    :raises DomainError: NOT_FOUND for a line that led to none.
    """
    return _each_line(placed_before, pool_code, lines, source, idempotency_key)


def _each_line(
    act: Callable[..., PlacedBet], pool_code: str, lines: Sequence[FileLine], source: BetSource, idempotency_key: str
) -> Sequence[PlacedBet]:
    """Do `act` for every line in one transaction, under a key of its own made of the file's."""
    with one_transaction():
        return [
            act(
                pool_code=pool_code,
                selections=line.selections,
                stake=line.stake,
                source=source,
                idempotency_key=f"{idempotency_key}:{line.number}",
            )
            for line in lines
        ]


def _read_line(pool: Pool, number: int, row: str, stake: int | None) -> FileLine:
    selections = read_typed(pool.terms, row)
    coupon = read_coupon(pool, selections)
    line_price = pool.terms.price.line
    cost = stake if line_price is None else coupon.lines * line_price
    if cost is None:
        raise DomainError(Refusal.BAD_STAKE, _("Give the stake of each coupon."), field="stake")
    read_coupon(pool, selections, cost)
    return FileLine(number, coupon.selections, cost, coupon.lines)
