"""Files that are missing, folders in their place, wrong arguments: one line and exit 2."""

import re
from pathlib import Path

import pytest

from tests.engine.bundles import Run, dump, engine, make_bet, make_result, make_terms, write_bundle

NEEDED = {
    "settle": ("terms.json", "bets.csv", "result.json"),
    "dividends": ("terms.json", "tally.json"),
    "prove": ("terms.json", "bets.csv"),
    "price": ("terms.json",),
}
MORE = {"prove": ["T-0001"], "price": ["1;1;1"]}
PAIRS = [(command, file) for command, files in NEEDED.items() for file in files]


def bundle(directory: Path) -> Path:
    write_bundle(directory, make_terms(), [make_bet(1, "1;1;1", 100)], make_result("1", "1", "1"))
    tally = {"turnover": 100, "lines": 1, "levels": {"top": {"lines": 1, "stakes": 100}}}
    (directory / "tally.json").write_bytes(dump(tally))
    return directory


def run(command: str, directory: Path) -> Run:
    return engine(command, directory, *MORE.get(command, []))


def assert_missing(answer: Run, file: str) -> None:
    assert (answer.code, answer.out) == (2, "")
    assert re.fullmatch(rf"MISSING_FILE: {re.escape(file)}: [^\n]+\n", answer.err), answer


@pytest.mark.parametrize("command", NEEDED)
def test_every_command_works_on_the_whole_bundle(tmp_path: Path, command: str) -> None:
    assert run(command, bundle(tmp_path)).code == 0


@pytest.mark.parametrize(("command", "file"), PAIRS)
def test_a_missing_file(tmp_path: Path, command: str, file: str) -> None:
    bundle(tmp_path).joinpath(file).unlink()
    assert_missing(run(command, tmp_path), file)


@pytest.mark.parametrize(("command", "file"), PAIRS)
def test_a_folder_in_the_place_of_a_file(tmp_path: Path, command: str, file: str) -> None:
    bundle(tmp_path).joinpath(file).unlink()
    tmp_path.joinpath(file).mkdir()
    assert_missing(run(command, tmp_path), file)


@pytest.mark.parametrize(("command", "file"), PAIRS)
def test_a_link_that_leads_nowhere_or_to_itself(tmp_path: Path, command: str, file: str) -> None:
    for target in (tmp_path / "nowhere", tmp_path / file):
        bundle(tmp_path).joinpath(file).unlink()
        tmp_path.joinpath(file).symlink_to(target)
        assert_missing(run(command, tmp_path), file)
        tmp_path.joinpath(file).unlink()


@pytest.mark.parametrize("command", NEEDED)
def test_a_bundle_that_is_no_folder(tmp_path: Path, command: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    for place in (tmp_path / "nowhere", tmp_path / "file", tmp_path / ("long" * 2000)):
        assert_missing(run(command, place), "terms.json")


def test_verify_of_what_is_no_bundle(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "nowhere"):
        answer = engine("verify", place)
        assert answer.code == 1
        assert (answer.out + answer.err).startswith("MISSING_FILE: terms.json: ")


def test_a_folder_in_the_place_of_what_is_written(tmp_path: Path) -> None:
    bundle(tmp_path).joinpath("winnings.csv").mkdir()
    answer = engine("settle", tmp_path)
    assert (answer.code, answer.out) == (2, "")
    assert re.fullmatch(r"[A-Z_]+: winnings\.csv: [^\n]+\n", answer.err)


@pytest.mark.parametrize(
    "arguments",
    [[], ["settle"], ["settel", "."], ["settle", ".", "."], ["prove", "."], ["price", "."], ["verify", ".", "--keys"]],
    ids=" ".join,
)
def test_wrong_arguments(arguments: list[str]) -> None:
    answer = engine(*arguments)
    assert (answer.code, answer.out) == (2, "")
    assert "usage: " in answer.err
    assert "Traceback" not in answer.err


SELECTIONS = [
    "",
    "1",
    "1;1",
    "1;1;1;1",
    "4;1;1",
    "1+1;1;1",
    "X+1;1;1",
    "1;;1",
    "1;1;1\n",
    " 1;1;1",
    "1;1;Х",
    "\udcff;1;1",
]


@pytest.mark.parametrize("selections", SELECTIONS, ids=ascii)
def test_a_price_for_what_is_no_coupon(tmp_path: Path, selections: str) -> None:
    answer = engine("price", bundle(tmp_path), selections)
    assert (answer.code, answer.out) == (2, "")
    assert re.fullmatch(r"BAD_SELECTION: selections: [^\n]+\n", answer.err)


def test_a_price_with_a_free_stake_is_null(tmp_path: Path) -> None:
    (tmp_path / "terms.json").write_bytes(dump(make_terms(price={"min": 1, "max": 500}, divide_by="stakes")))
    assert engine("price", tmp_path, "1+X;1+X;1").out == '{"lines":4,"price":null}\n'
