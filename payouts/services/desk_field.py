"""What was scanned or typed into the one field of the cashier's desk: a ticket, a coupon, a card, a pool's code."""

import re
from dataclasses import dataclass
from urllib.parse import unquote

from django.utils.translation import gettext_lazy as _

from accounts.models.cards import NUMBER_DIGITS
from accounts.services.card_numbers import check_digit
from pools.models import Pool
from pools.services.desk_coupons import TypedBet, read_typed_bet
from pools.services.tickets import CODE_LENGTH, normal_code, read_barcode
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.keyboard import latin_keys

_QR = re.compile(r"\S*?t/(?P<ticket>[0-9A-Za-z-]+)/#T\d+&(?P<code>[^&\s]*)(?:&\S*)?")
_TICKET = re.compile(r"(?P<ticket>[0-9A-Za-z][0-9A-Za-z-]*-[0-9A-Za-z]{10})(?P<code>(?:\s+[0-9A-Za-z-]+)*)")


@dataclass(frozen=True, slots=True)
class TicketRead:
    """A ticket's number or barcode; the check code is empty where it still has to be asked for."""

    ticket: str
    check_code: str


@dataclass(frozen=True, slots=True)
class CardRead:
    """The number of a prepaid card."""

    number: str


@dataclass(frozen=True, slots=True)
class PoolRead:
    """The pool that coupons are typed for from now on."""

    pool: Pool


FieldRead = TicketRead | CardRead | PoolRead | TypedBet


def read_field(text: str, *, on_sale: list[Pool], chosen: Pool | None) -> FieldRead:
    """Tell what `text` is; `chosen` is the pool that a coupon would be for.

    Each is looked for in the text as it came, and as the same keys write it in a Latin layout (`latin_keys`).

    :raises DomainError: what is wrong with the coupon; BAD_VALUE naming `scan` where no pool is chosen.
    """
    spellings = list(dict.fromkeys([text.strip(), latin_keys(text.strip())]))
    for spelling in spellings:
        found = _ticket(spelling) or _pool(spelling, on_sale)
        if found is not None:
            return found
    refusal = DomainError(Refusal.BAD_VALUE, _("This is no ticket and no card, and no pool is on sale."), field="scan")
    if chosen is not None:
        try:
            return read_typed_bet(chosen, text)
        except DomainError as fault:
            refusal = fault
    card = read_card(spellings[-1])
    if card is not None:
        return card
    raise refusal


def _ticket(text: str) -> TicketRead | None:
    qr = _QR.fullmatch(text)
    if qr is not None:
        return TicketRead(qr["ticket"].upper(), unquote(qr["code"]))
    if read_barcode(text) is not None:
        return TicketRead(text, "")
    typed = _TICKET.fullmatch(text)
    if typed is None or len(normal_code(typed["code"])) not in (0, CODE_LENGTH):
        return None
    return TicketRead(typed["ticket"].upper(), typed["code"].strip())


def _pool(text: str, on_sale: list[Pool]) -> PoolRead | None:
    return next((PoolRead(pool) for pool in on_sale if pool.code == text.upper()), None)


def read_card(text: str) -> CardRead | None:
    """Return the card whose number `text` is, by its length and its check digit; None for anything else."""
    digits = "".join(text.split())
    is_card = digits.isascii() and digits.isdigit() and len(digits) == NUMBER_DIGITS
    return CardRead(digits) if is_card and check_digit(digits[:-1]) == digits[-1] else None
