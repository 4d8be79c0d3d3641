"""Comparing what was computed with what a bundle says, and naming the first place where they part."""

from collections.abc import Iterable
from typing import BinaryIO

from totalizator.engine.errors import shown


class Difference(Exception):
    """A bundle says something else than what was computed: `file, place: what differs`."""


def compare(place: str, says: object, computed: object, *, joint: str = ", ") -> None:
    """Compare two JSON values, keys in the order of the computed one.

    :raises Difference: naming the first place.
    """
    if isinstance(says, dict) and isinstance(computed, dict):
        for key, value in computed.items():
            if key not in says:
                raise Difference(f"{place}{joint}{key}: not there")
            compare(f"{place}{joint}{key}", says[key], value, joint=".")
        for key in says:
            if key not in computed:
                raise Difference(f"{place}{joint}{shown(key)[1:-1]}: nothing of the kind was computed")
    elif isinstance(says, list) and isinstance(computed, list):
        for index, (left, right) in enumerate(zip(says, computed, strict=False)):
            compare(f"{place}[{index}]", left, right, joint=".")
        if len(says) != len(computed):
            raise Difference(f"{place}: {len(says)} entries in the bundle, {len(computed)} computed")
    elif type(says) is not type(computed) or says != computed:
        raise Difference(f"{place}: {shown(says)} in the bundle, {shown(computed)} computed")


def compare_file(name: str, file: BinaryIO, computed: Iterable[bytes]) -> None:
    """Compare a file with the parts that it should consist of.

    :raises Difference: naming the first line.
    """
    line = 1
    for part in computed:
        says = file.read(len(part))
        if says != part:
            raise _line_difference(name, line, says, part)
        line += part.count(b"\n")
    rest = file.readline(len(name) + 100)
    if rest:
        raise Difference(f"{name}, line {line}: {shown(rest)} in the bundle, nothing computed")


def _line_difference(name: str, line: int, says: bytes, computed: bytes) -> Difference:
    pairs = list(zip(says.split(b"\n"), computed.split(b"\n"), strict=False))
    for place, (left, right) in enumerate(pairs):
        if left != right:
            return Difference(f"{name}, line {line + place}: {shown(left)} in the bundle, {shown(right)} computed")
    return Difference(f"{name}, line {line + len(pairs) - 1}: the file ends before the line does")
