"""The page of the rules names files that are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
FILES = sorted(set(re.findall(r"`([a-z_/*]+\.py)`", PAGE)))


@pytest.mark.parametrize("name", FILES)
def test_a_named_file_is_there(name: str) -> None:
    assert list(ROOT.glob(name)) or list(ROOT.glob(f"totalizator/{name}"))


def test_the_page_names_files_and_every_decision_once() -> None:
    assert len(FILES) > 25
    assert [int(number) for number in re.findall(r"^\| D-(\d+) \|", PAGE, re.MULTILINE)] == list(range(1, 19))
