"""docs/bundle.md is true: its example settles to what it shows, and every key and code of a bundle is in it."""

import json
import re
from pathlib import Path

import pytest

from tests.engine.bundles import engine
from totalizator.engine import errors

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "bundle.md").read_text(encoding="utf-8")
GIVEN, MADE = ("terms.json", "bets.csv", "result.json"), ("statement.json", "winnings.csv")
READERS = ("terms", "result", "state", "tally", "commitment", "manifest")
KEY = re.compile(r'\.(?:need|take)\(\s*"([a-z_]+)"')


def example(name: str) -> str:
    """Return the file of the page's example."""
    found = re.search(rf"^`{re.escape(name)}`\n```[a-z]+\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    assert found is not None, f"the page has no {name}"
    return found[1]


def save(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).write_text(example(name), encoding="utf-8")


def words() -> set[str]:
    return set(re.findall(r"[A-Za-z_]+", PAGE))


def test_the_example_settles_to_what_the_page_shows(tmp_path: Path) -> None:
    save(tmp_path, *GIVEN)
    done = engine("settle", tmp_path)
    assert (done.code, done.err) == (0, "")
    for name in MADE:
        assert (tmp_path / name).read_text(encoding="utf-8") == example(name)


def test_the_example_verifies_as_it_stands_and_no_otherwise(tmp_path: Path) -> None:
    save(tmp_path, *GIVEN, *MADE)
    assert engine("verify", tmp_path).out.startswith("OK\n")
    (tmp_path / "winnings.csv").write_text(example("winnings.csv").replace("147", "148", 1), encoding="utf-8")
    assert engine("verify", tmp_path).code == 1


@pytest.mark.parametrize("reader", READERS)
def test_every_key_that_the_engine_reads_is_on_the_page(reader: str) -> None:
    keys = set(KEY.findall((ROOT / "totalizator" / "engine" / f"{reader}.py").read_text(encoding="utf-8")))
    assert keys, "this module reads no keys any more"
    assert keys <= words(), sorted(keys - words())


def test_every_key_of_a_statement_and_every_code_is_on_the_page() -> None:
    statement = json.loads(example("statement.json"))
    keys = {*statement, *(key for level in statement["levels"] for key in level)}
    assert keys <= words(), sorted(keys - words())
    assert words() >= errors.CODES, sorted(errors.CODES - words())
