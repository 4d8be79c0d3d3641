"""Ticket numbers and check codes (D-13, R5).

A number tells its pool and is no secret. The check code proves who holds the ticket. It is derived from the
server's key and the *raw* idempotency key of the sale, neither of which the database holds: a repeated request gets
the same code again, and a copy of the database gives no code away (ADR 4).
"""

import hmac
import secrets
from hashlib import sha256

from django.conf import settings

from accounts.services.card_numbers import check_digit

# Crockford's alphabet: no I, L, O, U, so that a number survives being read aloud.
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
NUMBER_LENGTH = 10  # 50 random bits
CODE_LENGTH = 14  # 70 bits
_LETTER_BITS = 5
_LOOK_ALIKES = str.maketrans("OIL", "011")
_BARCODE_DIGITS = 16  # of 50 bits
_POOL_DIGITS = 10  # at most


def new_ticket(pool_code: str) -> str:
    """Return a random ticket number of the pool: `2411-1-7K3M9QX2RA`."""
    return f"{pool_code}-{_spelled(secrets.randbits(_LETTER_BITS * NUMBER_LENGTH), NUMBER_LENGTH)}"


def pool_code_of(ticket: str) -> str:
    """Return the code of the pool that a ticket number tells."""
    return ticket.rpartition("-")[0]


def barcode_digits(pool_id: int, ticket: str) -> str:
    """Return what the ticket's barcode holds: the pool's row, the number as 16 digits, a check digit (C65)."""
    number = 0
    for letter in ticket.rpartition("-")[2]:
        number = number * len(ALPHABET) + ALPHABET.index(letter)
    body = f"{pool_id}{number:0{_BARCODE_DIGITS}d}"
    return body + check_digit(body)


def read_barcode(digits: str) -> tuple[int, str] | None:
    """Return the pool's row and the number at the end of the ticket; None for what is no ticket's barcode."""
    body, check = digits[:-1], digits[-1:]
    if not (digits.isascii() and digits.isdigit()) or not 0 < len(body) - _BARCODE_DIGITS <= _POOL_DIGITS:
        return None
    if check_digit(body) != check:
        return None
    number, letters = int(body[-_BARCODE_DIGITS:]), ""
    for _place in range(NUMBER_LENGTH):
        number, letter = divmod(number, len(ALPHABET))
        letters = ALPHABET[letter] + letters
    return (int(body[:-_BARCODE_DIGITS]), letters) if number == 0 else None


def check_code(ticket: str, *, scope: str, idempotency_key: str) -> str:
    """Return the check code of a ticket, 70 bits, the same for the same sale."""
    return _code_of(_keyed_hash("check-code", scope, idempotency_key, ticket))


def _code_of(mac: bytes) -> str:
    return _spelled(int.from_bytes(mac, "big"), CODE_LENGTH)


def _spelled(number: int, length: int) -> str:
    """Return the lowest bits of a number as so many letters, the lowest first."""
    return "".join([ALPHABET[(number >> (_LETTER_BITS * place)) & 31] for place in range(length)])


def printed_code(ticket: str, stored: bytes | memoryview, *, scope: str, idempotency_key: str) -> str:
    """Return the check code that the ticket of a sale was printed with, also when TICKET_KEY was changed since."""
    parts = ("check-code", scope, idempotency_key, ticket)
    codes = [_code_of(_keyed_hash(*parts, key=key)) for key in _keys()]
    return next((code for code in codes if code_matches(ticket, code, stored)), codes[0])


def check_hash(ticket: str, code: str) -> bytes:
    """Return the 32 bytes that are stored in place of a check code."""
    return _keyed_hash("check-hash", ticket, normal_code(code))


def code_matches(ticket: str, code: str, stored: bytes | memoryview) -> bool:
    """Tell whether `code` is the ticket's, by the key of today or one before it; each in constant time."""
    parts = ("check-hash", ticket, normal_code(code))
    fits = [hmac.compare_digest(_keyed_hash(*parts, key=key), bytes(stored)) for key in _keys()]
    return any(fits)


def normal_code(code: str) -> str:
    """Return a typed code as it was printed: upper case, no separators, look-alikes mapped."""
    typed = "".join(code.upper().replace("-", "").split())
    return typed.translate(_LOOK_ALIKES)


def _keys() -> list[str]:
    """Return the key of today and those before, under which tickets that are out there were sold."""
    return [settings.TICKET_KEY, *settings.FORMER_TICKET_KEYS]


def _keyed_hash(purpose: str, *parts: str, key: str = "") -> bytes:
    digested = sha256((key or settings.TICKET_KEY).encode()).digest()
    return hmac.digest(digested, "\x1f".join([purpose, *parts]).encode(), "sha256")
