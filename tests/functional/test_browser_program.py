"""The browser is installed by whoever may do so; whoever may not is told what is not tried, and goes on."""

import os
import shutil
import subprocess
from typing import Any

import pytest

from deploy.local import browser


class Machine:
    """A machine with some programs, on which `apt-get install` works or does not."""

    def __init__(self, patch: pytest.MonkeyPatch, *programs: str, user: int = 0, online: bool = True) -> None:
        self.programs, self.online = set(programs), online
        self.steps: list[str] = []
        patch.setattr(shutil, "which", lambda name: name if name in self.programs else None)
        patch.setattr(os, "geteuid", lambda: user)
        patch.setattr(subprocess, "run", self.run)

    def run(self, command: list[str], **_how: Any) -> subprocess.CompletedProcess[bytes]:
        """Do what apt-get would."""
        self.steps.append(" ".join(command))
        if self.online and "install" in command:
            self.programs.add(command[-1])
        return subprocess.CompletedProcess(command, 0 if self.online else 100)


def test_nothing_is_done_where_it_is(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    machine = Machine(monkeypatch, "chromium", "apt-get")
    browser.ensure_browser()
    assert (machine.steps, capsys.readouterr().err) == ([], "")


def test_root_installs_it(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    machine = Machine(monkeypatch, "apt-get")
    browser.ensure_browser()
    assert machine.steps == ["apt-get -qq update", "apt-get -qq install -y chromium"]
    assert capsys.readouterr().err == "Installing the package chromium ...\n"


@pytest.mark.parametrize(
    ("programs", "user", "online", "steps"),
    [
        (("apt-get",), 1000, True, []),
        ((), 0, True, []),
        (("apt-get",), 0, False, ["apt-get -qq update"]),
    ],
    ids=["somebody", "no packages", "no network"],
)
def test_who_cannot_is_told(
    programs: tuple[str, ...],
    user: int,
    online: bool,
    steps: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    machine = Machine(monkeypatch, *programs, user=user, online=online)
    browser.ensure_browser()
    assert machine.steps == steps
    assert capsys.readouterr().err.endswith(f"{browser.LACKING}\n")
