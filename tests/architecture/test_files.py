"""A file has one subject, a name of the trade, and nothing of the machine it was written on."""

import re

from tests.architecture.sources import ROOT, python_files, text_files

MOST_LINES = 300
EMPTY_NAMES = {"common", "data", "helper", "helpers", "info", "manager", "managers", "misc", "util", "utils"}

# Written in pieces, so that this file does not find itself.
FOREIGN = re.compile(
    "|".join(
        [
            r"(?<![\w.])/wo" + r"rk/\w",
            r"\.\./sha" + "red",
            r"(?<![\w.])/ro" + r"ot/\w",
            r"(?<![\w.])/ho" + r"me/\w",
            r"/tm" + r"p/\w",
            r"\b(?:DES" + r"IGN|BUN" + r"DLE|RU" + r"LES|STA" + r"CK|FEA" + r"TURES|CA" + r"SES)\.md",
            r"\bissue " + r"\d",
        ]
    )
)


def test_no_file_is_longer_than_two_subjects() -> None:
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in python_files()}
    assert {str(path): count for path, count in lines.items() if count > MOST_LINES} == {}


def test_no_module_has_a_name_that_says_nothing() -> None:
    assert [str(path) for path in python_files() if {path.stem, path.parent.name} & EMPTY_NAMES] == []


def test_no_file_names_a_place_outside_the_project() -> None:
    found = []
    for path in text_files():
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if FOREIGN.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}")
    assert found == []


def test_the_search_for_foreign_places_finds_them() -> None:
    assert FOREIGN.search("see /wo" + "rk/main")
    assert FOREIGN.search("as RU" + "LES.md says")
    assert not FOREIGN.search("a network/work/flow")
