"""docs/security.md and docs/threats.md say what is so: tests that are there, every requirement, secret and file."""

import ast
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings

from tests.architecture.sources import ROOT, python_files, tree
from tests.architecture.test_cases_page import NAMED, defined_in
from totalizator.core.management.commands.rotate_personal_data_keys import encrypted_columns
from totalizator.core.releases import SECRET_SETTINGS

PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
THREATS = (ROOT / "docs" / "threats.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| V(\d+\.\d+)\.(\d+) \|([^|]*)\|([^|]*)\|(.*)\|$", re.MULTILINE)
# ASVS 5.0.0, levels 1 and 2: the section, and how many requirements it has; they are numbered from 1.
REQUIRED = {
    "1.1": 2, "1.2": 9, "1.3": 11, "1.4": 3, "1.5": 2, "2.1": 3, "2.2": 3, "2.3": 4, "2.4": 1, "3.2": 2, "3.3": 4,
    "3.4": 6, "3.5": 5, "3.7": 2, "4.1": 3, "4.2": 1, "4.3": 2, "4.4": 4, "5.1": 1, "5.2": 3, "5.3": 2, "5.4": 3,
    "6.1": 3, "6.2": 12, "6.3": 4, "6.4": 4, "6.5": 5, "6.6": 3, "6.8": 4, "7.1": 3, "7.2": 4, "7.3": 2, "7.4": 5,
    "7.5": 2, "7.6": 2, "8.1": 2, "8.2": 3, "8.3": 1, "8.4": 1, "9.1": 3, "9.2": 4, "10.1": 2, "10.2": 2, "10.3": 4,
    "10.4": 11, "10.5": 5, "10.6": 2, "10.7": 3, "11.1": 2, "11.2": 3, "11.3": 3, "11.4": 4, "11.5": 1, "11.6": 1,
    "12.1": 3, "12.2": 2, "12.3": 4, "13.1": 1, "13.2": 5, "13.3": 2, "13.4": 5, "14.1": 2, "14.2": 4, "14.3": 3,
    "15.1": 3, "15.2": 3, "15.3": 7, "16.1": 1, "16.2": 5, "16.3": 4, "16.4": 3, "16.5": 3, "17.1": 1, "17.2": 4,
    "17.3": 2,
}  # fmt: skip
KEEPS = (
    *("localStorage", "sessionStorage", "indexedDB", "document.cookie", "innerHTML", "outerHTML", "postMessage"),
    *("insertAdjacentHTML", "document.write", "eval(", "new Function", "__proto__"),
)
ADDRESSES = re.compile(
    r'env\("([A-Z_]*(?:URL|PROVIDERS|AUTHORITIES|GATEWAY|REGISTER|PRINTERS|NETWORKS|BACKEND|PROXIES|HOSTS))"'
)


@pytest.mark.parametrize("page", [PAGE, THREATS], ids=["security", "threats"])
def test_every_test_that_a_page_names_is_there(page: str) -> None:
    named = NAMED.findall(page)
    assert len(named) > 30
    assert [f"{path}::{name}" for path, name in named if name not in defined_in(path)] == []
    assert re.findall(r"`[\w/]+\.py::\w*`", page) == [f"`{path}::{name}`" for path, name in named]


def test_every_requirement_of_levels_one_and_two_stands_there_once() -> None:
    found = [f"{section}.{number}" for section, number, *_ in ROW.findall(PAGE)]
    wanted = [f"{section}.{number}" for section, many in REQUIRED.items() for number in range(1, many + 1)]
    assert len(wanted) == 253
    assert found == wanted


def test_every_line_has_a_test_or_a_reason() -> None:
    for section, number, wanted, status, rest in ROW.findall(PAGE):
        line = f"V{section}.{number}"
        assert wanted.strip(), line
        assert status.strip() in ("met", "not here", "operator", "**not met**"), line
        if status.strip() == "met":
            assert NAMED.search(rest), line
        else:
            assert len(rest.strip()) > 10, line


def taking_files() -> Iterator[str]:
    """Every form and body that takes a file."""
    for path in python_files("accounts", "pools", "payouts"):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ClassDef):
                for line in node.body:
                    called = line.value if isinstance(line, ast.Assign) else None
                    name = ast.unparse(called.func) if isinstance(called, ast.Call) else ""
                    if name in ("forms.FileField", "ReadFileField", "TableField", "File", "serializers.FileField"):
                        yield node.name


def test_every_kind_of_upload_is_told() -> None:
    forms = set(taking_files())
    assert len(forms) > 10
    assert {name for name in forms if f"`{name}`" not in PAGE} == set()


def test_every_secret_setting_is_in_the_inventory() -> None:
    text = "".join(
        (ROOT / "totalizator" / name).read_text("utf-8") for name in ("settings.py", "core/safety_settings.py")
    )
    read = set(re.findall(r'^[A-Z_]+ = (?:\[key for key in )?(?:secret|several)\("([A-Z_]+)"', text, re.MULTILINE))
    assert len(read) >= 7
    assert {name for name in read | set(SECRET_SETTINGS) if f"`{name}`" not in PAGE} == set()


def test_every_setting_that_names_an_address_is_told() -> None:
    text = "".join(path.read_text("utf-8") for path in (ROOT / "totalizator").glob("**/*settings.py"))
    found = set(ADDRESSES.findall(text))
    assert len(found) > 8
    assert {name for name in found if f"`{name}`" not in PAGE} == set()


def test_every_encrypted_column_is_in_a_class() -> None:
    for model, field in encrypted_columns():
        row = next((line for line in PAGE.splitlines() if f"`{model._meta.label}`" in line), "")
        assert f"`{field.column}`" in row, (model._meta.label, field.column)


def test_every_log_is_in_the_inventory() -> None:
    logging: dict[str, Any] = settings.LOGGING
    assert {name for name in logging["loggers"] if f"`{name}`" not in PAGE} == set()
    assert set(logging["handlers"]) == {"console"}


def test_no_script_keeps_anything_in_the_browser() -> None:
    """Neither does it make a page out of text, nor touch what all objects have (ASVS V14.3.3, V15.3.6)."""
    scripts = list((ROOT / "templates" / "static" / "js").glob("*.js"))
    assert scripts
    for path in scripts:
        for word in KEEPS:
            assert word not in path.read_text("utf-8"), (path.name, word)
