"""One line of bets.csv, held to every rule: the plain form of what `columns` checks by the block."""

import re
from dataclasses import dataclass

from totalizator.engine.announced import Terms
from totalizator.engine.canonical import MOST_DIGITS
from totalizator.engine.coupon import Coupon, read_selections
from totalizator.engine.errors import EngineError, shown
from totalizator.engine.instants import read_instant
from totalizator.engine.price import check_lines, check_stake_of_lines

HEADER = b"ticket,selections,stake,lines,registered_at,salt"
FIELDS = HEADER.decode().split(",")
TICKET = re.compile(r"[0-9A-Z-]+")
NUMBER = re.compile(rf"[1-9][0-9]{{0,{MOST_DIGITS - 1}}}")
SALT = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Bet:
    """One registered bet."""

    ticket: str
    coupon: Coupon
    stake: int
    registered_at: str


def read_bet(terms: Terms, line: bytes, number: int, *, after: str = "") -> Bet:
    """Read one line without its newline; `number` counts from 1 at the header, `after` is the ticket before it.

    :raises EngineError: naming the line and the field (¶9.11-9.13, 25-28).
    """
    where = f"bets.csv, line {number}"
    ticket, selections, stake, lines, registered_at, salt = _cells(line, where)
    if not TICKET.fullmatch(ticket):
        raise EngineError("BAD_CSV", f"{where}, ticket", f"digits, A-Z and -, not {shown(ticket)}")
    if ticket <= after:
        raise EngineError("BAD_ORDER", f"{where}, ticket", f"a ticket after {after}, not {shown(ticket)}")
    coupon = read_selections(terms, selections, where=f"{where}, selections")
    check_lines(terms, coupon.lines, where=f"{where}, selections")
    if _number(lines, "BAD_CSV", f"{where}, lines") != coupon.lines:
        raise EngineError("BAD_VALUE", f"{where}, lines", f"{coupon.lines}, the product of the marks")
    kopecks = _number(stake, "BAD_STAKE", f"{where}, stake")
    check_stake_of_lines(terms, coupon.lines, kopecks, where=f"{where}, stake")
    _check_time(terms, registered_at, f"{where}, registered_at")
    if not SALT.fullmatch(salt):
        raise EngineError("BAD_CSV", f"{where}, salt", f"32 characters 0-9a-f and then LF, not {shown(salt)}")
    return Bet(ticket=ticket, coupon=coupon, stake=kopecks, registered_at=registered_at)


def _cells(line: bytes, where: str) -> list[str]:
    try:
        cells = line.decode("utf-8").split(",")
    except UnicodeDecodeError:
        raise EngineError("BAD_CSV", where, "text in UTF-8") from None
    if len(cells) != len(FIELDS):
        raise EngineError("BAD_CSV", where, f"{len(FIELDS)} fields, not {len(cells)}")
    return cells


def _number(cell: str, code: str, where: str) -> int:
    if not NUMBER.fullmatch(cell):
        raise EngineError(code, where, f"a whole number from 1, not {shown(cell)}")
    return int(cell)


def _check_time(terms: Terms, cell: str, where: str) -> None:
    try:
        exact = read_instant(cell, where) == cell
    except EngineError:
        exact = False
    if not exact:
        raise EngineError("BAD_CSV", where, f"a time with six decimals, not {shown(cell)}")
    if not terms.opens_at <= cell < terms.closes_at:
        raise EngineError("OUT_OF_TIME", where, f"from {terms.opens_at} to before {terms.closes_at}, not {cell}")
