"""Doing what a page tells its reader to do: its commands, copied and run by a bare Python in an empty folder."""

import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from typing import Any

from tests.functional.browsing import visitor


def run_commands(page: Any, folder: Path) -> list[str]:
    """Run the page's last block of commands; return what each command of the engine said."""
    blocks = re.findall(r"<pre[^>]*>(curl .*?)</pre>", page.content.decode(), re.DOTALL)
    said = []
    for line in unescape(blocks[-1]).splitlines():
        program, *words = line.split()
        if program == "curl":
            assert words[0] == "-o"
            answer = visitor().get(words[2].removeprefix("http://testserver"))
            assert answer.status_code == 200, line
            (folder / words[1]).write_bytes(answer.getvalue() if answer.streaming else answer.content)
        else:
            assert program == "python3"
            done = subprocess.run(
                [sys.executable, "-S", *words], cwd=folder, env={}, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stdout + done.stderr
            said += [done.stdout] if "totalizator.engine" in words else []
    return said
