"""Run a command with one broken document, and hold it to one line with a code."""

import re
from pathlib import Path

from tests.engine import broken
from tests.engine.bundles import Run, dump, engine, write_bundle

DOCUMENTS = {
    "terms.json": broken.full_terms(),
    "result.json": broken.full_result(),
    "state.json": broken.full_state(),
    "tally.json": broken.full_tally(),
}
MESSAGE = re.compile(r"([A-Z_]+): [^\n]+\n")


def run_with(directory: Path, file: str, content: bytes) -> Run:
    """Run the command that reads a file, with everything else in order."""
    write_bundle(
        directory, DOCUMENTS["terms.json"], broken.some_bets(), DOCUMENTS["result.json"], DOCUMENTS["state.json"]
    )
    (directory / "tally.json").write_bytes(dump(DOCUMENTS["tally.json"]))
    (directory / file).write_bytes(content)
    return engine("dividends" if file == "tally.json" else "settle", directory)


def assert_refused(run: Run, file: str, *codes: str) -> None:
    message = MESSAGE.fullmatch(run.err)
    assert run.code == 2, run
    assert message, run
    assert message[1] in (codes or broken.CODES), run
    assert run.out == ""
    assert file in run.err or file == "terms.json"  # against broken terms, a file that fits the whole ones is wrong
