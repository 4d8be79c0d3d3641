"""Reading one JSON object: every key taken once, with its type, and what is left over refused."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TypeVar

from totalizator.engine.errors import EngineError, shown

T = TypeVar("T")
Reader = Callable[[object, str], T]

CODE = re.compile(r"[^\s,;+\"\x00-\x1f\x7f]+")
FRACTION = re.compile(r"[0-9]{1,30}(/[0-9]{1,30}|\.[0-9]{1,30})?")
LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
DIGEST = re.compile(r"sha256:\S+")
NUMBER = re.compile(r"[1-9][0-9]{0,29}")


class Fields:
    """One JSON object being read. `where` is the file, or the path inside it that leads here."""

    def __init__(self, value: object, where: str, *, inner: bool = True) -> None:
        if not isinstance(value, Mapping):
            raise EngineError("BAD_VALUE", where, f"an object, not {shown(value)}")
        self._left = dict(value)
        self._where = where
        self._joint = "." if inner else ", "

    def at(self, key: str) -> str:
        """Name the place of a key."""
        return f"{self._where}{self._joint}{key}"

    def has(self, key: str) -> bool:
        """Tell whether a key is there and not yet taken."""
        return key in self._left

    def need(self, key: str, read: Reader[T]) -> T:
        """Take a key that must be there.

        :raises EngineError: MISSING_KEY, or what the reader says.
        """
        if key not in self._left:
            raise EngineError("MISSING_KEY", self.at(key), "this key")
        return read(self._left.pop(key), self.at(key))

    def take(self, key: str, read: Reader[T], default: T) -> T:
        """Take a key that may be left out."""
        return self.need(key, read) if key in self._left else default

    def finish(self) -> None:
        """Refuse the keys that nobody took.

        :raises EngineError: UNKNOWN_KEY.
        """
        for key in self._left:
            raise EngineError("UNKNOWN_KEY", self.at(shown(key).strip("'\"")), "no such key")


def text(value: object, where: str) -> str:
    """Read a text that can be written as UTF-8 again."""
    if not isinstance(value, str) or any("\ud800" <= letter <= "\udfff" for letter in value):
        raise EngineError("BAD_VALUE", where, f"a text, not {shown(value)}")
    return value


def label(value: object, where: str) -> str:
    """Read a text that is not empty."""
    if not text(value, where):
        raise EngineError("BAD_VALUE", where, "a text that is not empty")
    return text(value, where)


def code(value: object, where: str) -> str:
    """Read a code that can stand in a selection and in a CSV: no spaces, separators or quotes."""
    if not isinstance(value, str) or not CODE.fullmatch(text(value, where)):
        raise EngineError("BAD_VALUE", where, f"a code without spaces , ; + and quotes, not {shown(value)}")
    return value


def names(value: object, where: str) -> Mapping[str, str]:
    """Read a name in several languages: language code → text."""
    if not isinstance(value, Mapping):
        raise EngineError("BAD_VALUE", where, f"an object of language: text, not {shown(value)}")
    for language in value:
        if not isinstance(language, str) or not LANGUAGE.fullmatch(language):
            raise EngineError("UNKNOWN_KEY", where, f"a language code, not {shown(language)}")
    return {language: text(name, f"{where}.{language}") for language, name in value.items()}


def flag(value: object, where: str) -> bool:
    """Read true or false."""
    if not isinstance(value, bool):
        raise EngineError("BAD_VALUE", where, f"true or false, not {shown(value)}")
    return value


def whole(least: int) -> Reader[int]:
    """Read a whole number not below `least`; true and false are none."""

    def read(value: object, where: str) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise EngineError("BAD_VALUE", where, f"a whole number from {least}, not {shown(value)}")
        return value

    return read


def first_format(value: object, where: str) -> int:
    """Read the number of the only format there is."""
    if whole(0)(value, where) != 1:
        raise EngineError("BAD_VALUE", where, f"1, not {shown(value)}")
    return 1


def one_of(*words: str) -> Reader[str]:
    """Read one of the words."""

    def read(value: object, where: str) -> str:
        if not isinstance(value, str) or value not in words:
            raise EngineError("BAD_VALUE", where, f"one of {', '.join(words)}, not {shown(value)}")
        return value

    return read


def fraction(value: object, where: str) -> Fraction:
    """Read an exact fraction from its text: `7/10`, `0.70`, `2`."""
    expected = f'a fraction in quotes like "7/10", not {shown(value)}'
    if not isinstance(value, str) or not FRACTION.fullmatch(value):
        raise EngineError("BAD_VALUE", where, expected)
    try:
        return Fraction(value)
    except ZeroDivisionError:
        raise EngineError("BAD_VALUE", where, expected) from None


def share(value: object, where: str) -> Fraction:
    """Read a fraction from 0 to 1."""
    part = fraction(value, where)
    if part > 1:
        raise EngineError("BAD_VALUE", where, f"a share from 0 to 1, not {shown(value)}")
    return part


def whole_fraction(value: object, where: str) -> Fraction:
    """Read a whole number from 0 as a fraction."""
    return Fraction(whole(0)(value, where))


def amount_or_fraction(value: object, where: str) -> Fraction:
    """Read a whole number from 0, or a fraction in quotes."""
    return fraction(value, where) if isinstance(value, str) else whole_fraction(value, where)


def digest_text(value: object, where: str) -> str:
    """Read the name of a digest. It is only ever compared, never decoded."""
    if not isinstance(value, str) or not DIGEST.fullmatch(text(value, where)):
        raise EngineError("BAD_VALUE", where, f"a digest like sha256:…, not {shown(value)}")
    return value


def items(read: Reader[T]) -> Reader[tuple[T, ...]]:
    """Read a list of like things."""

    def read_items(value: object, where: str) -> tuple[T, ...]:
        if not isinstance(value, (list, tuple)):
            raise EngineError("BAD_VALUE", where, f"a list, not {shown(value)}")
        return tuple(read(item, f"{where}[{index}]") for index, item in enumerate(value))

    return read_items


def each(check: Callable[[object, str], None]) -> Reader[None]:
    """Check every thing in a list that is carried but not used."""

    def check_items(value: object, where: str) -> None:
        items(check)(value, where)

    return check_items


def optional(read: Reader[T]) -> Reader[T | None]:
    """Read a thing, or null."""
    return lambda value, where: None if value is None else read(value, where)


def table(known: Mapping[str, object], read: Reader[T]) -> Reader[dict[str, T]]:
    """Read an object whose keys are all known codes.

    :raises EngineError: UNKNOWN_KEY for another code.
    """

    def read_table(value: object, where: str) -> dict[str, T]:
        fields = Fields(value, where)
        found = {key: fields.need(key, read) for key in known if fields.has(key)}
        fields.finish()
        return found

    return read_table


def all_different(values: tuple[str, ...], where: str) -> tuple[str, ...]:
    """Refuse a list that says one thing twice."""
    if len(set(values)) != len(values):
        twice = next(value for value, count in Counter(values).items() if count > 1)
        raise EngineError("BAD_VALUE", where, f"each once, not {shown(twice)} twice")
    return values


def whole_text(value: object, where: str) -> int:
    """Read a whole number above 0 from its text, as a key of an object has it."""
    if not isinstance(value, str) or not NUMBER.fullmatch(value):
        raise EngineError("UNKNOWN_KEY", where, f"a whole number in quotes, not {shown(value)}")
    return int(value)
