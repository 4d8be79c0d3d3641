"""The packages, by pip-audit: is a weakness known of one at its pinned version? Where nobody can be asked it is said.

A scan that could not ask is no scan that found nothing. CI is told which of the two it was, and goes on: it needs
nothing of the network but the packages themselves.
"""

import json
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

from deploy.scans.known import ROOT, known

# A package that the index has for certain, and that we use: who does not know it cannot answer for the others either.
PROBE = "https://pypi.org/pypi/django/{version}/json"
SECONDS = 5


def known_weaknesses() -> Iterator[str]:
    """Yield each weakness of a pinned package that nobody has looked at; say when nobody could be asked."""
    fault = _cannot_ask()
    if fault:
        print(f"packages: COULD NOT ASK whether a weakness is known of a package: {fault}")
        return
    command = [sys.executable, "-m", "pip_audit", "--requirement", "constraints.txt", "--no-deps", "--disable-pip"]
    command += ["--format", "json", "--progress-spinner", "off", "--timeout", str(SECONDS)]
    done = subprocess.run(command, cwd=ROOT, text=True, capture_output=True, check=False)
    try:
        told = json.loads(done.stdout)["dependencies"]
    except ValueError:
        print(f"packages: COULD NOT ASK: {(done.stderr.strip().splitlines() or ['no answer'])[-1]}")
        return
    yield from weaknesses(told)


def weaknesses(told: list[dict[str, Any]]) -> Iterator[str]:
    """Read what pip-audit tells; packages that it passed over were not asked about, and are named."""
    looked_at = known("packages")
    passed_over = [str(package["name"]) for package in told if "skip_reason" in package]
    if passed_over:
        print(f"packages: COULD NOT ASK about {len(passed_over)}: {', '.join(passed_over)}")
    for package in told:
        name, version = package["name"], package.get("version", "")
        found = package.get("vulns") or []
        for weakness in found:
            if name not in looked_at.get(weakness["id"], {}):
                mended = ", ".join(weakness["fix_versions"]) or "no version yet"
                yield f"{name} {version}: {weakness['id']}, mended in {mended}"


def _cannot_ask() -> str:
    """Return why the index cannot be asked, as pip-audit asks it; nothing when it answers."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").lower().splitlines()
    version = next(line.partition("==")[2] for line in lines if line.startswith("django=="))
    probe = PROBE.format(version=version)
    try:
        with urllib.request.urlopen(probe, timeout=SECONDS) as answer:  # noqa: S310 - an https address of ours
            json.load(answer)
    except (OSError, ValueError, urllib.error.HTTPError) as fault:
        return str(fault)
    return ""
