"""Proving what was done: the ledger's invariants, and each pool's public bundle checked by the engine alone."""

import subprocess
import sys
from collections.abc import Iterable
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings
from django.core.management import CommandError, call_command

OK = "OK"


def verify_bundles(codes: Iterable[str]) -> dict[str, str]:
    """Export each pool and verify it in a process that knows no database; return the verdict by pool code."""
    with TemporaryDirectory(prefix="totalizator-demo-") as name:
        folder = Path(name)
        keys = folder / "keys.json"
        call_command("export_keys", str(keys), stdout=StringIO())
        return {code: _verdict(code, folder / code, keys) for code in codes}


def _verdict(code: str, bundle: Path, keys: Path) -> str:
    call_command("export_pool", code, str(bundle), stdout=StringIO())
    command = [sys.executable, "-m", "totalizator.engine", "verify", str(bundle), "--keys", str(keys)]
    done = subprocess.run(command, cwd=settings.BASE_DIR, capture_output=True, text=True, check=False)
    said = (done.stdout + done.stderr).strip().splitlines()
    return OK if done.returncode == 0 else " ".join(said) or f"exit {done.returncode}"


def reconcile() -> str:
    """Run `reconcile_ledger`; return OK, or what is broken."""
    try:
        call_command("reconcile_ledger", stdout=StringIO())
    except (CommandError, SystemExit) as broken:
        return str(broken)
    return OK
