"""The files of a bundle: their names, reading one, writing one."""

from collections.abc import Iterable
from pathlib import Path

from totalizator.engine.errors import EngineError

TERMS = "terms.json"
BETS = "bets.csv"
COMMITMENT = "commitment.json"
RESULT = "result.json"
STATE = "state.json"
TALLY = "tally.json"
STATEMENT = "statement.json"
WINNINGS = "winnings.csv"
MANIFEST = "manifest.json"
CHANGED = "changed.csv"
CORRECTION = "correction.json"
FILES = (TERMS, BETS, COMMITMENT, RESULT, STATE, TALLY, STATEMENT, WINNINGS, MANIFEST)
OF_CORRECTION = (CHANGED, CORRECTION)
"""What lies with the files of a corrected settlement."""


def is_there(directory: Path, name: str) -> bool:
    """Tell whether something by that name is in the bundle (even if it is no file that can be read)."""
    try:
        directory.joinpath(name).lstat()
    except OSError:
        return False
    return True


def read_file(directory: Path, name: str) -> bytes:
    """Read one file of a bundle whole.

    :raises EngineError: MISSING_FILE, also for a folder in its place and for one that may not be read.
    """
    return read_path(directory.joinpath(name), where=name)


def read_path(path: Path, *, where: str) -> bytes:
    """Read a file whole.

    :raises EngineError: MISSING_FILE.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise missing(where, error) from None


def missing(where: str, error: OSError) -> EngineError:
    """Say that a file cannot be read."""
    return EngineError("MISSING_FILE", where, f"a file that can be read ({error.strerror})")


def write_file(directory: Path, name: str, parts: Iterable[bytes]) -> None:
    """Write one file of a bundle; under its name it is either whole or as it was before.

    :raises EngineError: MISSING_FILE when the folder cannot be written.
    """
    path = directory.joinpath(name)
    unfinished = directory.joinpath(f"{name}.part")
    try:
        with unfinished.open("wb") as file:
            file.writelines(parts)
        unfinished.replace(path)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise EngineError("MISSING_FILE", name, f"a file that can be written ({error.strerror})") from None
