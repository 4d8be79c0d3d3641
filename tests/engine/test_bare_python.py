"""The engine runs on a bare Python: nothing installed, no site, no environment, only the standard library."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine.bundles import dump
from tests.engine.logged import growth_document, logged_bundle, receipt_of, write_head, write_log, write_receipt
from tests.engine.signed import key_of, keys_file, signed_bundle
from totalizator.engine.ticket import PrintedBet, ticket_text

CHECKOUT = Path(__file__).parents[2]
ENGINE = CHECKOUT / "totalizator" / "engine"

BET = PrintedBet("T-1-1", "1;X", 200, "2026-12-01T06:00:00.000001Z", "sha256:" + "0f" * 32)
TEXT = ticket_text("https://example.org/t/T-1-1/", "", BET, key_of("operator").sign(BET.payload()))

# -I: no environment, no user site, no current folder on the path; -S: no site-packages.
BARE = (sys.executable, "-I", "-S", "-B", "-W", "error", "-c")
START = """
import runpy, sys
sys.path.append(sys.argv.pop(1))
runpy.run_module("totalizator.engine", run_name="__main__", alter_sys=True)
"""


def bare(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [*BARE, START, str(CHECKOUT), *(str(argument) for argument in arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env={}, cwd="/")


def test_every_command_runs_on_a_bare_python(tmp_path: Path) -> None:
    directory, keys = signed_bundle(tmp_path / "pool"), keys_file(tmp_path / "keys.json")
    (directory / "manifest.json").unlink()
    written = {name: (directory / name).read_bytes() for name in ("tally.json", "statement.json", "winnings.csv")}
    for name in written:
        (directory / name).unlink()
    run = bare("settle", directory)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    assert {name: (directory / name).read_bytes() for name in written} == written
    run = bare("verify", directory, "--keys", keys)
    assert (run.returncode, run.stdout.splitlines()[0], run.stderr) == (0, "OK", "")
    run = bare("dividends", directory)
    assert (run.returncode, run.stderr) == (0, "")
    assert json.loads(run.stdout)["turnover"] == json.loads(written["statement.json"])["turnover"]
    run = bare("prove", directory, "T-0002")
    assert (run.returncode, json.loads(run.stdout)["index"]) == (0, 1)
    assert bare("price", directory, "1+X;1;2").stdout == '{"lines":2,"price":null}\n'


def test_the_log_and_receipts_are_checked_on_a_bare_python(tmp_path: Path) -> None:
    bundle, lines = logged_bundle(tmp_path / "pool")
    keys, log = keys_file(tmp_path / "keys.json"), write_log(tmp_path / "log.jsonl", lines)
    receipt = write_receipt(tmp_path / "receipt.json", receipt_of(bundle, lines))
    growth = write_head(tmp_path / "growth.json", growth_document(lines, 2, 7))
    for command in (
        ("verify-log", log, "--bundle", bundle),
        ("verify-receipt", receipt),
        ("verify-growth", growth),
        ("verify-ticket", TEXT),
    ):
        run = bare(*command, "--keys", keys)
        assert (run.returncode, run.stdout.splitlines()[0], run.stderr) == (0, "OK", "")


def test_bad_input_is_one_line_on_a_bare_python(tmp_path: Path) -> None:
    (tmp_path / "terms.json").write_bytes(dump({"format": 1}))
    run = bare("settle", tmp_path)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.startswith("MISSING_KEY: terms.json, ")
    assert run.stderr.count("\n") == 1


def test_names_in_cyrillic_and_a_latin_terminal(tmp_path: Path) -> None:
    """The verdict names a place in the bundle, whatever letters that place has and the terminal knows."""
    directory = signed_bundle(tmp_path / "Щукин Ёж")
    (directory / "winnings.csv").write_bytes("билет\n".encode())
    command = [*BARE, START, str(CHECKOUT), "verify", str(directory)]
    run = subprocess.run(
        command, capture_output=True, timeout=60, check=False, env={"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}, cwd="/"
    )
    assert run.returncode == 1
    assert run.stdout.startswith(b"winnings.csv, line 1: ")
    assert run.stderr == b""


def test_no_module_from_outside_the_standard_library_is_loaded(tmp_path: Path) -> None:
    """Asked of the running interpreter: every module it loaded is built in, under its library, or the engine's."""
    script = START.replace(
        "runpy.run_module", "from atexit import register as at_end\nat_end(lambda: report())\nrunpy.run_module"
    )
    report = """
def report():
    import os
    library = os.path.dirname(os.__file__)
    for name, module in sorted(sys.modules.items()):
        file = getattr(module, "__file__", None)
        outside = file and not file.startswith(library + os.sep)
        if "site-packages" in str(file) or (outside and not name.startswith("totalizator")):
            sys.stderr.write(f"{name} {file}\\n")
"""
    directory, keys = signed_bundle(tmp_path / "pool"), keys_file(tmp_path / "keys.json")
    command = [*BARE, report + script, str(CHECKOUT), "verify", str(directory), "--keys", str(keys)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env={}, cwd="/")
    assert (run.returncode, run.stderr) == (0, "")


@pytest.mark.parametrize("path", sorted(ENGINE.glob("*.py")), ids=lambda path: path.name)
def test_a_module_imports_only_the_standard_library_and_the_engine(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names = [node.module or ""]
        for name in names:
            known = name.partition(".")[0] in sys.stdlib_module_names
            assert known or name.startswith("totalizator.engine"), f"{path.name} imports {name}"


@pytest.mark.parametrize("path", sorted(ENGINE.glob("*.py")), ids=lambda path: path.name)
def test_a_module_has_no_float_clock_or_chance(path: Path) -> None:
    """Kopecks are ints and ratios Fractions; the same input gives the same bytes."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        assert not (isinstance(node, ast.Constant) and isinstance(node.value, float)), (path.name, node.lineno)
        assert not (isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("float", "round")), (
            path.name,
            node.lineno,
        )
        assert not (isinstance(node, ast.Attribute) and node.attr in ("now", "utcnow", "today")), (
            path.name,
            node.lineno,
        )
        if isinstance(node, ast.Import):
            assert not {alias.name for alias in node.names} & {"random", "secrets", "time"}, (path.name, node.lineno)
