"""A card's number, activation code and their spellings (¶35.2, C61, C65)."""

import hmac
import secrets

from django.utils.translation import gettext_lazy as _

from accounts.models.cards import NUMBER_DIGITS, PrepaidCard
from totalizator.core.encrypted import keyed_digest
from totalizator.core.errors import DomainError, Refusal

# No 0 and O, no 1, I and L: 31 letters, 14 of them have 69.3 random bits (R5).
ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
CODE_LENGTH = 14
_GROUP = 5

# Letters that a Russian or Belarusian keyboard writes alike.
_LATIN = str.maketrans("АВСЕНКМРТУХ", "ABCEHKMPTYX")


def card_number(serial: int) -> str:
    """Return the number of the card with this serial: eleven digits and one that checks them."""
    body = f"{serial:0{NUMBER_DIGITS - 1}d}"
    return body + check_digit(body)


def check_digit(body: str) -> str:
    """Return the digit that makes `body` pass Luhn's test (ISO/IEC 7812): every single wrong digit is found."""
    total = 0
    for place, digit in enumerate(reversed(body)):
        value = int(digit) * (2 if place % 2 == 0 else 1)
        total += value - 9 if value > 9 else value
    return str(-total % 10)


def serial_of(number: str) -> int:
    """Return the serial of a card's number."""
    return int(number[:-1])


def read_number(typed: str, *, field: str = "number") -> str:
    """Return a card's number as it is printed, from a desk's typing or scanning.

    :raises DomainError: BAD_VALUE naming `field`, for a number with a wrong digit.
    """
    number = normal_number(typed)
    if len(number) != NUMBER_DIGITS or check_digit(number[:-1]) != number[-1]:
        raise DomainError(Refusal.BAD_VALUE, _("This is not the number of a card: a digit is wrong."), field=field)
    return number


def normal_number(typed: str) -> str:
    """Return the digits of what was typed, at most one more than a number has."""
    return "".join(char for char in typed if char in "0123456789")[: NUMBER_DIGITS + 1]


def normal_letters(typed: str) -> str:
    """Return a series or code as it was printed: Latin capitals and digits, no dashes, no spaces."""
    return "".join(char for char in typed.upper().translate(_LATIN) if char.isascii() and char.isalnum())


def new_code() -> str:
    """Return a random activation code."""
    return "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH))


def shown_code(code: str) -> str:
    """Return a code as it is printed: `7K3M9-QX2RA-TF5H`."""
    return "-".join(code[start : start + _GROUP] for start in range(0, len(code), _GROUP))


def code_hash(number: str, code: str) -> bytes:
    """Return the 32 bytes that are stored in place of an activation code."""
    return keyed_digest("card-code", f"{number}\x1f{normal_letters(code)}")


def code_matches(card: PrepaidCard | None, number: str, code: str) -> bool:
    """Tell whether `code` is the card's, in constant time, and in the same time when there is no card."""
    stored = bytes(card.code_hash) if card is not None else bytes(32)
    return hmac.compare_digest(code_hash(number, code), stored) and card is not None
