"""Which files decide what the system does, and the digest that names their content (R2, R4).

Standard library only: `python -m totalizator.core.release_files` tells on any machine which code a checkout is.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from totalizator.engine.canonical import canonical_json, digest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("accounts", "locale", "payouts", "pools", "templates", "totalizator")
FILES = ("manage.py", "requirements.txt")
SUFFIXES = (".css", ".html", ".js", ".json", ".mo", ".po", ".py", ".txt")
# What is built of the others when a checkout is set up.
_BUILT = ".mo"


def files_on_disk(root: Path = ROOT) -> dict[str, str]:
    """Return path → digest of every file that decides what the system does."""
    return {path.relative_to(root).as_posix(): digest(path.read_bytes()) for path in sorted(_paths(root))}


def code_digest(files: Mapping[str, str]) -> str:
    """Return the digest of the code: of all files but what is built of them. It is the same on every machine."""
    return digest(canonical_json({path: named for path, named in files.items() if not path.endswith(_BUILT)}))


def _paths(root: Path) -> Iterator[Path]:
    yield from (root / name for name in FILES)
    for folder in FOLDERS:
        yield from (path for path in (root / folder).rglob("*") if path.suffix in SUFFIXES and path.is_file())


if __name__ == "__main__":
    print(f"code {code_digest(files_on_disk())}")  # noqa: T201  a command
