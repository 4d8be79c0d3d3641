"""Sums of money in words, as payment orders want them."""

from decimal import Decimal

from django.utils.text import capfirst
from django.utils.translation import get_language
from num2words import num2words

_LANGUAGES = ("ru", "be", "en")


def byn_in_words(kopecks: int) -> str:
    """Write kopecks in words of the language that is active: `Двенадцать белорусских рублей, пятьдесят копеек`."""
    language = get_language() or ""
    spoken = language if language in _LANGUAGES else "ru"
    return str(capfirst(num2words(Decimal(kopecks).scaleb(-2), to="currency", lang=spoken, currency="BYN")))
