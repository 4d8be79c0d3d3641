"""The project's own files, as the tests of its shape see them."""

import ast
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = ("accounts", "payouts", "pools", "totalizator")
OWN_FOLDERS = (*PRODUCT, "bench", "deploy", "tests")


def python_files(*folders: str) -> list[Path]:
    """Return the Python files under the folders (of the project when none is named), migrations left out."""
    found = [path for folder in folders or OWN_FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    return [path for path in found if "migrations" not in path.parts]


def money_files() -> list[Path]:
    """Return the files that compute with money: the engine, the services, the ledger."""
    services = [f"{app}/services" for app in ("accounts", "payouts", "pools")]
    return python_files("totalizator/engine", "accounts/ledger", *services)


def text_files() -> list[Path]:
    """Return every file that is kept in git, or would be on the next commit, and holds text."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    paths = [ROOT / name for name in names if name]
    return [path for path in paths if path.is_file() and b"\0" not in path.read_bytes()[:4096]]


def tree(path: Path) -> ast.Module:
    """Parse a file."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def spot(path: Path, node: ast.expr | ast.stmt) -> str:
    """Name a place so that an editor can jump to it."""
    return f"{path.relative_to(ROOT)}:{node.lineno}"
