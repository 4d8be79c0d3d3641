"""Texts for people who stand in a queue: without the rules' paragraphs, and codes in groups that can be read aloud."""

import re

_REFERENCE = re.compile(r"\s*\((?:¶|D-\d)[^()]*\)")
_DECISIONS = re.compile(r"\s*\(D-\d+(?:, D-\d+)*\)|(\(¶[^()]*?)(?:, D-\d+)+(?=\))")
_GROUP = 5


def without_references(text: str) -> str:
    """Leave out where a rule or a decision stands, as in `A paid bet cannot be changed (¶27).`"""
    return _REFERENCE.sub("", text)


def without_decisions(text: str) -> str:
    """Leave out the numbers of the project's own decisions, which only its documentation explains; paragraphs stay."""
    return _DECISIONS.sub(r"\1", text)


def grouped(code: str) -> str:
    """Write a check code as tickets print it: `7K3M9-QX2RA-4B1C`; with dashes or without, it is the same code."""
    return "-".join(code[place : place + _GROUP] for place in range(0, len(code), _GROUP))
