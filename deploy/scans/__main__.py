"""`python -m deploy.scans [code] [packages] [secrets]`: all three unless told; 1 when something was found."""

import sys
import time
from collections.abc import Callable, Iterator

from deploy.scans.code import new_findings
from deploy.scans.packages import known_weaknesses
from deploy.scans.secrets import found_secrets

SCANS: dict[str, Callable[[], Iterator[str]]] = {
    "code": new_findings,
    "packages": known_weaknesses,
    "secrets": found_secrets,
}


def main(wanted: list[str]) -> int:
    """Run the scans; say each finding in one line, and of each scan how long it took."""
    found = 0
    for name in wanted or SCANS:
        began = time.monotonic()
        findings = list(SCANS[name]())
        for finding in findings:
            print(f"{name}: {finding}")
        print(f"{name}: {len(findings)} found in {time.monotonic() - began:.0f} s")
        found += len(findings)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
