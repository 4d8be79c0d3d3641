"""The code, by bandit: every finding is looked at once, and what was looked at stands in `known.toml`."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping

from deploy.scans.known import ROOT, known

LOOKED_AT = ("accounts", "bench", "deploy", "payouts", "pools", "totalizator", "manage.py")
Finding = tuple[str, str]


def new_findings() -> Iterator[str]:
    """Yield what is new, and what is known and is not there any more: then its line in the list is to be taken out."""
    command = [sys.executable, "-m", "bandit", "--quiet", "-c", "pyproject.toml", "-f", "json", "-r", *LOOKED_AT]
    done = subprocess.run(command, cwd=ROOT, text=True, capture_output=True, check=False)
    if done.returncode not in (0, 1):
        yield f"bandit did not run: {done.stderr.strip()}"
        return
    told = json.loads(done.stdout)
    places: dict[Finding, list[str]] = {}
    for result in told["results"]:
        name = result["filename"].removeprefix("./")
        where = f"{name}:{result['line_number']}: {result['test_id']} {result['issue_text']}"
        places.setdefault((result["test_id"], name), []).append(where)
    yield from (f"{error['filename']}: {error['reason']}" for error in told["errors"])
    yield from unlike(Counter({finding: len(lines) for finding, lines in places.items()}), known("code"), places)


def unlike(
    found: Mapping[Finding, int], looked_at: Mapping[str, Mapping[str, int]], places: Mapping[Finding, list[str]]
) -> Iterator[str]:
    """Compare what was found with what was looked at, file by file."""
    expected = {(kind, name): count for kind, files in looked_at.items() for name, count in files.items()}
    for finding in sorted({*found, *expected}):
        kind, name = finding
        if found.get(finding, 0) > expected.get(finding, 0):
            yield from places[finding]
        elif found.get(finding, 0) < expected.get(finding, 0):
            yield f"{name}: {kind} was known {expected[finding]} times and is there {found.get(finding, 0)} times"
