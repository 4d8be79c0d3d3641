"""Identity numbers in one spelling, and the digest under which a person is known (¶35.3, X15)."""

import re
from datetime import date

from django.utils.translation import gettext_lazy as _

from totalizator.core.encrypted import keyed_digest
from totalizator.core.errors import DomainError, Refusal

# Cyrillic letters that look like Latin ones: whoever types the number may have either keyboard on.
_LOOK_ALIKES = str.maketrans("АВЕКМНОРСТХІ", "ABEKMHOPCTXI")
_NUMBER = re.compile(r"[A-Z0-9]{5,20}")
# Belarusian: century and sex, day, month, year of birth, region, ordinal, citizenship, check digit.
_BELARUSIAN = re.compile(r"([1-6])(\d\d)(\d\d)(\d\d)[A-Z]\d{3}[A-Z]{2}\d")


def spelled_number(text: str) -> str:
    """Return an identity number in Latin capitals and digits, without separators.

    :raises DomainError: BAD_VALUE.
    """
    number = "".join(text.upper().replace("-", " ").split()).translate(_LOOK_ALIKES)
    if _NUMBER.fullmatch(number) is None:
        raise DomainError(
            Refusal.BAD_VALUE,
            _("Give the identity number as it stands in the document, such as 3310590A001PB5."),
            field="identity_number",
        )
    return number


def number_digest(number: str) -> bytes:
    """Return the token of the person with this number, given in any spelling.

    :raises DomainError: BAD_VALUE.
    """
    return keyed_digest("identity-number", spelled_number(number))


def refuse_other_birth_date(number: str, birth_date: date) -> None:
    """Refuse a Belarusian number, in its one spelling, that tells another date of birth.

    :raises DomainError: BAD_VALUE.
    """
    told = _BELARUSIAN.fullmatch(number)
    if told is None:
        return
    century, day, month, year = (int(part) for part in told.groups())
    if (1800 + (century - 1) // 2 * 100 + year, month, day) != (birth_date.year, birth_date.month, birth_date.day):
        raise DomainError(Refusal.BAD_VALUE, _("The identity number tells another date of birth."), field="birth_date")
