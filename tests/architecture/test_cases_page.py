"""docs/cases.md names tests that are there, and every case that a test is named after."""

import re

from tests.architecture.sources import ROOT

TESTS = ROOT / "tests"
PAGE = (ROOT / "docs" / "cases.md").read_text(encoding="utf-8")
NAMED = re.compile(r"`([\w/]+\.py)::(test_\w+)`")
ROW = re.compile(r"^\| C(\d\d) \|.*$", re.MULTILINE)
DEFINED = re.compile(r"^def (test_\w+)\(", re.MULTILINE)
OF_CASES = re.compile(r"^def test_((?:c\d\d_)+)", re.MULTILINE)


def defined_in(path: str) -> set[str]:
    return set(DEFINED.findall((TESTS / path).read_text(encoding="utf-8")))


def test_every_test_that_the_page_names_is_there() -> None:
    named = NAMED.findall(PAGE)
    assert len(named) > 100
    assert [f"{path}::{name}" for path, name in named if name not in defined_in(path)] == []


def test_every_case_has_a_row_and_every_row_a_test() -> None:
    rows = {row.group(1): NAMED.findall(row.group()) for row in ROW.finditer(PAGE)}
    assert [case for case, named in rows.items() if not named] == []
    tried = {
        case
        for path in TESTS.rglob("test_*.py")
        for cases in OF_CASES.findall(path.read_text(encoding="utf-8"))
        for case in re.findall(r"c(\d\d)", cases)
    }
    assert tried == set(rows)


def test_a_row_names_tests_of_its_case() -> None:
    for row in ROW.finditer(PAGE):
        for _path, name in NAMED.findall(row.group()):
            assert f"c{row.group(1)}_" in name, name
