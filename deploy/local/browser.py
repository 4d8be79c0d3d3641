"""The browser in which the tests look at the pages: Debian's Chromium."""

import os
import shutil
import subprocess

from deploy.local.checkout import say

PROGRAM = PACKAGE = "chromium"
LACKING = f"Without the program {PROGRAM} the pages are not tried in a browser: install the package {PACKAGE}."


def ensure_browser() -> None:
    """Have Chromium: root installs the package where there are packages; else it is said what will not be tried."""
    if shutil.which(PROGRAM):
        return
    if os.geteuid() == 0 and shutil.which("apt-get"):
        say(f"Installing the package {PACKAGE} ...")
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for step in (["update"], ["install", "-y", PACKAGE]):
            done = subprocess.run(["apt-get", "-qq", *step], env=quiet, stdout=subprocess.DEVNULL, check=False)
            if done.returncode != 0:
                break
    if not shutil.which(PROGRAM):
        say(LACKING)
