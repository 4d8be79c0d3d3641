"""What was scanned or typed into the one field of the cashier's desk: a ticket, a coupon, a card, a pool's code."""

import re
from dataclasses import dataclass
from urllib.parse import unquote

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from accounts.models.cards import NUMBER_DIGITS
from accounts.services.card_numbers import check_digit
from pools.models import Pool
from pools.services.desk_coupons import TypedBet, read_typed_bet
from pools.services.tickets import CODE_LENGTH, NUMBER_LENGTH, normal_code, read_barcode
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.keyboard import latin_keys

_QR = re.compile(r"\S*?t/(?P<ticket>[0-9A-Za-z-]+)/#T\d+&(?P<code>[^&\s]*)(?:&\S*)?")
_TICKET = re.compile(r"(?P<ticket>[0-9A-Za-z][0-9A-Za-z-]*-[0-9A-Za-z]{10})(?P<code>(?:\s+[0-9A-Za-z-]+)*)")
_DASHED = re.compile(r"[0-9A-Z][0-9A-Z-]*-(?P<last>[0-9A-Z]*)(?P<rest>.*)", re.DOTALL)
_SERIES = re.compile(r"(?=[0-9]*[A-Z])[0-9A-Z]{1,6}\s*[№#]?\s+(?=[0-9])")
"""What is printed on a card before its number: the series, and the sign `№` as either layout writes it."""
_LEAST_OF_A_CARD, _MOST_OF_A_CARD, _LEAST_OF_A_NUMBER, _MOST_CODES = 8, 16, 7, 5


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


class FieldKind(TextChoices):
    """What somebody meant to type, by its look."""

    TICKET = "ticket", _("Ticket")
    COUPON = "coupon", _("Coupon")
    CARD = "card", _("Prepaid card")
    POOL = "pool", _("Code of the pool")


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
    kind = kind_of(text, chosen)
    raise refusal if kind == FieldKind.COUPON else _mistyped(kind, spellings[-1], on_sale)


def kind_of(text: str, chosen: Pool | None) -> FieldKind:
    """Tell what a text that could not be read was meant to be; what looks like nothing else is a coupon."""
    typed = latin_keys(text.strip()).upper()
    digits = _without_series(typed)
    if digits.isascii() and digits.isdigit() and len(digits) >= _LEAST_OF_A_CARD and not _are_marks(digits, chosen):
        return FieldKind.CARD if len(digits) <= _MOST_OF_A_CARD else FieldKind.TICKET
    dashed = _DASHED.match(typed)
    if dashed is None:
        return FieldKind.TICKET if "/T/" in typed else FieldKind.COUPON
    is_ticket = dashed["rest"].strip() or len(dashed["last"]) >= _LEAST_OF_A_NUMBER
    return FieldKind.TICKET if is_ticket else FieldKind.POOL


def _are_marks(digits: str, chosen: Pool | None) -> bool:
    if chosen is None:
        return False
    marks = {outcome.code for condition in chosen.terms.conditions for outcome in condition.outcomes}
    return set(digits) <= marks


def _mistyped(kind: FieldKind, typed: str, on_sale: list[Pool]) -> DomainError:
    """Say of what was meant to be a ticket, a card or a pool's code what was expected, and what came."""
    if kind == FieldKind.POOL:
        codes = ", ".join(pool.code for pool in on_sale[:_MOST_CODES])
        words = _("No pool on sale has the code %(typed)s. On sale: %(codes)s.")
        if not on_sale:
            words = _("No pool takes bets at the moment.")
        said = words % {"typed": typed[:40].upper(), "codes": codes}
    elif kind == FieldKind.CARD:
        count = len(_without_series(typed))
        words = _("A card's number has %(needed)s digits; typed: %(typed)s.")
        if count == NUMBER_DIGITS:
            words = _("A digit of the card's number is wrong: the last one does not fit the others.")
        said = words % {"needed": NUMBER_DIGITS, "typed": count}
    else:
        number, _space, code = typed.partition(" ")
        last = number.rpartition("-")[2]
        words = _("The check code has %(needed)s letters and digits; typed: %(typed)s.")
        needed, count = CODE_LENGTH, len(normal_code(code))
        if len(last) != NUMBER_LENGTH or not last.isalnum():
            words = _("A ticket's number ends in a dash and %(needed)s letters and digits; typed: %(typed)s.")
            needed, count = NUMBER_LENGTH, len(last)
        said = words % {"needed": needed, "typed": count}
    return DomainError(Refusal.BAD_VALUE, said, field="scan")


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
    """Return the card whose number `text` is, by its length and its check digit; None for anything else.

    The series may stand before the number, as it does on the card.
    """
    digits = _without_series(text)
    is_card = digits.isascii() and digits.isdigit() and len(digits) == NUMBER_DIGITS
    return CardRead(digits) if is_card and check_digit(digits[:-1]) == digits[-1] else None


def _without_series(text: str) -> str:
    return "".join(_SERIES.sub("", text.strip().upper(), count=1).split())
