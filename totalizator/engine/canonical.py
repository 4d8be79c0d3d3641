"""JSON in and out: read strictly in any layout, written in exactly one."""

import hashlib
import json
from collections import Counter
from typing import Any, NoReturn

from totalizator.engine.errors import EngineError, shown

# More than any sum of money; far below the length at which Python refuses to read a number at all.
MOST_DIGITS = 30


def canonical_json(value: object) -> bytes:
    """Write a value in the one form that is signed and digested: sorted keys, no spaces, no newline."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8")


def json_file(value: object) -> bytes:
    """Write a value as the bytes of a file: the canonical form plus one newline."""
    return canonical_json(value) + b"\n"


def digest(data: bytes) -> str:
    """Name bytes by their digest: `sha256:hex`."""
    return digest_name(hashlib.sha256(data).digest())


def digest_name(raw: bytes) -> str:
    """Write a finished SHA-256 as `sha256:hex`."""
    return "sha256:" + raw.hex()


def parse_json(data: bytes, *, where: str) -> Any:
    """Read JSON whose numbers are all whole and whose keys are all different.

    :raises EngineError: BAD_JSON for what is not such a text, BAD_VALUE for a number that is not whole or too long.
    """
    refused: list[_RefusedNumber] = []

    def refuse(literal: str) -> _RefusedNumber:
        refused.append(_RefusedNumber(literal))
        return refused[-1]

    def whole(literal: str) -> object:
        return int(literal) if len(literal) <= MOST_DIGITS else refuse(literal)

    def constant(literal: str) -> NoReturn:
        raise EngineError("BAD_JSON", where, f"a number, not {literal}")

    def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        seen = dict(pairs)
        if len(seen) != len(pairs):
            counts = Counter(key for key, _ in pairs)
            twice = next(key for key, count in counts.items() if count > 1)
            raise EngineError("BAD_JSON", where, f"each key once, not {shown(twice)} twice")
        return seen

    try:
        value = json.loads(
            data.decode("utf-8"),
            object_pairs_hook=distinct,
            parse_float=refuse,
            parse_int=whole,
            parse_constant=constant,
        )
        if refused:
            _name_refused(value, where, ", ")
    except UnicodeDecodeError as error:
        raise EngineError("BAD_JSON", f"{where}, byte {error.start}", "text in UTF-8") from None
    except json.JSONDecodeError as error:
        raise EngineError("BAD_JSON", f"{where}, line {error.lineno}", f"JSON ({error.msg})") from None
    except RecursionError:
        raise EngineError("BAD_JSON", where, "fewer levels of nesting") from None
    return value


class _RefusedNumber:
    """A number that no field may hold, kept until the field it stands in can be named."""

    def __init__(self, literal: str) -> None:
        self.literal = literal


def _name_refused(value: object, where: str, joint: str) -> None:
    if isinstance(value, _RefusedNumber):
        expected = f"a whole number of at most {MOST_DIGITS} digits, not {shown(value.literal)}"
        raise EngineError("BAD_VALUE", where, expected)
    if isinstance(value, dict):
        for key, inner in value.items():
            _name_refused(inner, f"{where}{joint}{shown(key)[1:-1]}", ".")
    if isinstance(value, list):
        for index, inner in enumerate(value):
            _name_refused(inner, f"{where}[{index}]", ".")
