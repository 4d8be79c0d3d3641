"""What a machine lacks is told in one clear sentence, before anything is made."""

import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.local import environment, parts, prerequisites
from deploy.local.checkout import Checkout, last_line
from deploy.local.refusal import Refusal

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    """An empty checkout with pins of its own."""
    monkeypatch.delenv("TOTALIZATOR_VENV", raising=False)
    for name in environment.PINS:
        (tmp_path / name).write_text("django==5.2.19\n", encoding="utf-8")
    return Checkout(tmp_path)


def test_a_full_disk(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(checkout.root)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=prerequisites.FREE_BYTES - 1))
    with pytest.raises(Refusal, match=r"^The disk of .* has less than 1 GB free: make room and try again\.$"):
        prerequisites.check_machine(checkout)
    assert not checkout.venv.exists()
    assert not checkout.local.exists()


def test_an_old_python() -> None:
    pretend = "import runpy, sys; sys.version_info = (3, 10, 9, 'final', 0); "
    program = pretend + "runpy.run_module('deploy.local', run_name='__main__')"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == f"Python 3.11 or newer is needed, and {sys.executable} is 3.10.\n"


def test_no_package_for_virtual_environments(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(Refusal, match=r"install the package python3-venv\.$"):
        prerequisites.check_machine(checkout)


def test_a_port_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(Refusal, match=rf"^Port {port} is in use by another program: stop it, or choose another"):
            prerequisites.check_port(port)
    prerequisites.check_port(port)


@pytest.mark.parametrize("wanted", ["0", "65536", "http", "-1", "٨٠٠٠", "8000 "])
def test_a_port_that_is_none(wanted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORT", wanted)
    with pytest.raises(Refusal, match=r"^PORT must be a number from 1 to 65535, not "):
        parts.web_port()


def test_an_environment_is_filled_once_again_for_new_pins_and_made_anew_when_half_made(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []

    def make(checkout: Checkout) -> None:
        steps.append("make")
        checkout.python.parent.mkdir(parents=True, exist_ok=True)
        checkout.python.touch()

    monkeypatch.setattr(environment, "_make", make)
    monkeypatch.setattr(environment, "_install", lambda _: steps.append("install"))
    environment.ensure_environment(checkout)
    environment.ensure_environment(checkout)
    assert steps == ["make", "install"]

    (checkout.root / "requirements.txt").write_text("django==5.2.20\n", encoding="utf-8")
    environment.ensure_environment(checkout)
    environment.ensure_environment(checkout)
    assert steps == ["make", "install", "install"]

    def fail(_: Checkout) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(environment, "_install", fail)
    (checkout.root / "requirements.txt").write_text("django==5.2.21\n", encoding="utf-8")
    with pytest.raises(KeyboardInterrupt):
        environment.ensure_environment(checkout)
    monkeypatch.setattr(environment, "_install", lambda _: steps.append("install"))
    environment.ensure_environment(checkout)
    assert steps == ["make", "install", "install", "make", "install"]


def test_pip_that_fails_is_quoted(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "_make", lambda _: None)
    checkout.python.parent.mkdir(parents=True)
    checkout.python.write_text("#!/bin/sh\necho ERROR: no such version\necho a hint\nexit 1\n", encoding="utf-8")
    checkout.python.chmod(0o755)
    with pytest.raises(Refusal, match=r"could not be installed \(ERROR: no such version\); see .*pip\.log\.$"):
        environment.ensure_environment(checkout)
    assert last_line(checkout.log("pip")) == "a hint"


def test_an_unknown_command_tells_the_known_ones() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "deploy.local", "dance"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("Usage: python3 -m deploy.local up|start|demo|test|")
