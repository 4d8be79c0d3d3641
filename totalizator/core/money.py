"""Kopecks to words and back. Money is whole kopecks everywhere (D-5); text appears only at the edge."""

import re
from fractions import Fraction

from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from totalizator.core.errors import DomainError, Refusal

_BYN = re.compile(r"(\d{1,13})(?:[.,](\d{1,2}))?")
MAX_KOPECKS = 10**15 - 1


def parse_byn(text: str, *, field: str = "amount") -> int:
    """Read `12`, `12.5` or `12,50` as kopecks. Spaces between digits are allowed.

    :raises DomainError: BAD_VALUE naming `field`, for anything else.
    """
    found = _BYN.fullmatch(text.replace(" ", "").replace("\u00a0", "").strip())
    if found is None or not found.group(0).isascii():
        raise DomainError(
            Refusal.BAD_VALUE,
            _("Give an amount in BYN with at most two decimals, such as 12.50."),
            field=field,
        )
    rubles, kopecks = found.group(1), found.group(2) or ""
    return int(rubles) * 100 + int(kopecks.ljust(2, "0"))


def plain_byn(kopecks: int) -> str:
    """Write kopecks as `1234.56`, the form of the API and of files."""
    sign, rest = ("-", -kopecks) if kopecks < 0 else ("", kopecks)
    return f"{sign}{rest // 100}.{rest % 100:02d}"


def share_told(share: Fraction) -> str:
    """Write a share as a percentage when that is exact to two decimals, else as the fraction itself."""
    hundredths = Fraction(share) * 10_000
    if hundredths.denominator != 1:
        return str(share)
    whole, rest = divmod(hundredths.numerator, 100)
    mark = "." if get_language() == "en" else ","
    return f"{whole}{f'{mark}{rest:02d}'.rstrip('0') if rest else ''}\u00a0%"


def format_byn(kopecks: int) -> str:
    """Write kopecks for people: `1 234,56 BYN` in Russian and Belarusian, `BYN 1,234.56` in English."""
    rubles, fraction = plain_byn(abs(kopecks)).split(".")
    sign = "\u2212" if kopecks < 0 else ""
    if get_language() == "en":
        return f"{sign}BYN\u00a0{int(rubles):,}.{fraction}"
    grouped = f"{int(rubles):,}".replace(",", "\u00a0")
    return f"{sign}{grouped},{fraction}\u00a0BYN"
