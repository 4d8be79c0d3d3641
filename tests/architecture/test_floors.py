"""Imports go down only, and a module that no floor knows is refused."""

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.sources import PRODUCT, ROOT, python_files, spot, tree


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of what the contracts look at."""
    for name in PRODUCT:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_contracts_are_kept(copy: Path) -> None:
    done = lint_imports(copy)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("pools/utils.py", ""),
        ("totalizator/helpers.py", ""),
        ("pools/models/cash.py", "import payouts.models"),
        ("accounts/ledger/shortcut.py", "import accounts.models"),
        ("totalizator/engine/shortcut.py", "import django"),
    ],
)
def test_a_stray_module_or_an_import_upwards_breaks_them(copy: Path, name: str, source: str) -> None:
    (copy / name).write_text(source, encoding="utf-8")
    done = lint_imports(copy)
    assert done.returncode == 1
    assert "BROKEN" in done.stdout


def test_the_engine_needs_the_standard_library_only() -> None:
    found = []
    for path in python_files("totalizator/engine"):
        for node in ast.walk(tree(path)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or "."]
            roots = {name.partition(".")[0] for name in names}
            own = all(name.startswith("totalizator.engine") for name in names if name.startswith("totalizator"))
            if isinstance(node, ast.stmt) and not (own and roots <= {"totalizator", *sys.stdlib_module_names}):
                found.append(f"{spot(path, node)}: {ast.unparse(node)}")
    assert found == []


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    """Check the contracts of a copy."""
    program = "from importlinter.cli import lint_imports_command as check; check()"
    command = [sys.executable, "-c", program, "--no-cache"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
