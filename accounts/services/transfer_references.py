"""What a payer writes into a transfer, so that its money finds its way: `ACC-00000017-53`, `BET-00000001-89`.

Two check digits (ISO 7064 MOD 97-10, as in an IBAN) find every wrong digit and every exchange of two neighbours.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

DIGITS = 8
# Cyrillic letters that look like the Latin ones: payers type what they see.
_LOOK_ALIKE = str.maketrans("АСВЕТасвет", "ACBETACBET")
# Words or dashes may be anywhere between the digits: banks break lines where they like.
_WRITTEN = re.compile(r"(?<![A-Z])(ACC|BET)\W{0,3}(\d(?:[\s\-–—/.]?\d)*)", re.ASCII)


class ReferenceKind(StrEnum):
    """What the money is for."""

    GAME_ACCOUNT = "ACC"
    BET_ORDER = "BET"


@dataclass(frozen=True, slots=True)
class TransferReference:
    """A game account or a bet order, by its number."""

    kind: ReferenceKind
    number: int

    def __str__(self) -> str:
        return f"{self.kind}-{self.number:0{DIGITS}d}-{_check_digits(self.kind, self.number):02d}"


@dataclass(frozen=True, slots=True)
class ReadReference:
    """What a text says: one reference, or none. `looks_like_one` tells an unreadable reference from a missing one."""

    reference: TransferReference | None
    looks_like_one: bool


def read_reference(text: str) -> ReadReference:
    """Find the reference in the text of a transfer; two different ones are as good as unreadable."""
    found, seen = set(), False
    for match in _WRITTEN.finditer(text.translate(_LOOK_ALIKE).upper()):
        seen = True
        digits = "".join(sign for sign in match.group(2) if sign.isdigit())
        if len(digits) != DIGITS + 2:
            continue
        reference = TransferReference(ReferenceKind(match.group(1)), int(digits[:DIGITS]))
        if _check_digits(reference.kind, reference.number) == int(digits[DIGITS:]):
            found.add(reference)
    return ReadReference(found.pop() if len(found) == 1 else None, seen)


def _check_digits(kind: ReferenceKind, number: int) -> int:
    letters = "".join(str(int(letter, 36)) for letter in kind)
    return 98 - int(f"{number:0{DIGITS}d}{letters}00") % 97
