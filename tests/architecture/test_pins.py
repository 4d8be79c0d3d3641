"""The same checkout gets the same packages."""

import re
from importlib.metadata import distributions

from tests.architecture.sources import ROOT

PIN = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(?:\[[a-z0-9,-]+\])?==(?P<version>[0-9][0-9A-Za-z.]*)(?: ;.*)?")
SEEDED = {"pip", "setuptools", "wheel"}  # put there by the venv module


def test_every_requirement_is_an_exact_pin() -> None:
    pins("requirements.txt")
    pins("requirements-dev.txt")


def test_constraints_agree_with_the_requirements() -> None:
    everything = pins("constraints.txt")
    direct = pins("requirements.txt") | pins("requirements-dev.txt")
    assert {name: version for name, version in direct.items() if everything.get(name) != version} == {}


def test_constraints_name_every_installed_package_at_its_version() -> None:
    everything = pins("constraints.txt")
    installed = {normal(found.metadata["Name"]): found.version for found in distributions()}
    astray = {name: version for name, version in installed.items() if everything.get(name) != version}
    assert {name: version for name, version in astray.items() if name not in SEEDED} == {}


def pins(name: str) -> dict[str, str]:
    """Read a file of pins: package by package its version; a line that is no exact pin fails the test."""
    found = {}
    for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
        words = line.partition("#")[0].strip()
        if words:
            pin = PIN.fullmatch(words)
            assert pin, f"{name}: not an exact pin: {line}"
            found[normal(pin["name"])] = pin["version"]
    return found


def normal(name: str) -> str:
    """Spell a package's name as the index compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()
