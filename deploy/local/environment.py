"""The virtual environment: made when it is missing or half-made, filled again when the pins change."""

import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path

from deploy.local.checkout import Checkout, last_line, say
from deploy.local.refusal import Refusal

PINS = ("requirements.txt", "requirements-dev.txt", "constraints.txt")


def ensure_environment(checkout: Checkout) -> None:
    """Make `.venv` hold exactly the pinned packages. :raises Refusal: when they cannot be installed."""
    if os.environ.get("TOTALIZATOR_VENV"):
        return
    stamp = checkout.venv / "pins.sha256"
    wanted = _digest(checkout)
    present = stamp.read_text(encoding="utf-8") if stamp.exists() else ""
    if present == wanted and checkout.python.exists():
        return
    if not present or not checkout.python.exists():
        say(f"Making {checkout.venv} ...")
        _make(checkout)
    # Without its stamp the environment counts as half-made, and is made anew if we die from here on.
    stamp.unlink(missing_ok=True)
    _install(checkout)
    stamp.write_text(wanted, encoding="utf-8")


def _digest(checkout: Checkout) -> str:
    """Digest what the environment depends on: the pins, the interpreter, and the path written into its scripts."""
    parts = [(checkout.root / name).read_bytes() for name in PINS]
    parts += [sys.version.encode(), str(checkout.venv).encode()]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def _make(checkout: Checkout) -> None:
    try:
        venv.EnvBuilder(clear=True, with_pip=True, symlinks=True).create(checkout.venv)
    except subprocess.CalledProcessError as error:
        raise Refusal(f"{checkout.venv} could not be made: {error}") from error


def _install(checkout: Checkout) -> None:
    say("Installing the pinned packages ...")
    command = [str(checkout.python), "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--quiet"]
    command += ["-r", "requirements.txt", "-r", "requirements-dev.txt", "-c", "constraints.txt"]
    log = checkout.log("pip")
    with log.open("wb") as output:
        done = subprocess.run(command, cwd=checkout.root, stdout=output, stderr=output, check=False)
    if done.returncode != 0:
        raise Refusal(f"The pinned packages could not be installed ({last_line(log, 'ERROR')}); see {log}.")


def compile_translations(checkout: Checkout) -> None:
    """Compile each catalogue that is newer than its compiled form. :raises Refusal: on a broken catalogue."""
    for source in sorted(checkout.root.glob("locale/*/LC_MESSAGES/*.po")):
        target = source.with_suffix(".mo")
        if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
            _compile(checkout, source, target)


def _compile(checkout: Checkout, source: Path, target: Path) -> None:
    draft = target.with_suffix(".mo.new")
    command = [str(checkout.python), "-m", "babel.messages.frontend", "-q", "compile"]
    command += ["-i", str(source), "-o", str(draft)]
    done = subprocess.run(command, cwd=checkout.root, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Refusal(f"{source} is not a sound catalogue: {done.stderr.strip()}")
    draft.replace(target)
