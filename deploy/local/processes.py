"""The processes that the stack starts, found again by a mark in their environment.

No file of numbers is kept: the mark (which checkout, which part) is inherited by every child, so that workers whose
parent was killed are found too, and a number that now belongs to another program is never taken for ours.
"""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from deploy.local.checkout import Checkout
from deploy.local.refusal import Refusal

MARK = "TOTALIZATOR_PART"
PROC = Path("/proc")
STOP_SECONDS = 20


def spawn(checkout: Checkout, part: str, command: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """Start a part in the background, its output in the part's log."""
    with checkout.log(part).open("ab") as output:
        return subprocess.Popen(
            command, cwd=checkout.root, env=marked(checkout, part, environment), stdin=subprocess.DEVNULL,
            stdout=output, stderr=output, start_new_session=True,
        )  # fmt: skip


def marked(checkout: Checkout, part: str, environment: dict[str, str]) -> dict[str, str]:
    """Return the environment with the mark by which `running` finds the process and its children."""
    return {**os.environ, **environment, MARK: f"{part}@{checkout.root}"}


def running(checkout: Checkout, part: str | None = None, *, orphaned: bool = False) -> list[int]:
    """Return the numbers of the living processes of a part, or of all parts; never ourselves or our forebears.

    Of parts that run in the foreground, `orphaned` leaves those whose command was killed away from under them.
    """
    kin = _line_of(os.getpid())
    found = [number for number in _numbers() if number not in kin and _is_of(checkout, part, number)]
    return [number for number in found if not (orphaned and _has_command(number))]


def stop(checkout: Checkout, part: str | None = None, *, orphaned: bool = False) -> int:
    """Stop a part, or all parts, or their orphaned processes only; return how many processes there were.

    The heads are asked to end and to take their children along; what then remains, or has lost its head, is killed.
    """

    def left() -> list[int]:
        return running(checkout, part, orphaned=orphaned)

    found = left()
    heads = {number for number in found if _parent(number) not in found}
    for number in heads:
        _send(checkout, part, number, signal.SIGTERM)
    wait_until(lambda: heads.isdisjoint(left()), STOP_SECONDS)
    for number in left():
        _send(checkout, part, number, signal.SIGKILL)
    if not wait_until(lambda: not left(), STOP_SECONDS):
        raise Refusal(f"Processes {left()} do not stop, not even when killed.")
    return len(found)


def command_lines() -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the command line of every living process of the machine."""
    for number in _numbers():
        with suppress(OSError):
            words = (PROC / str(number) / "cmdline").read_bytes()
            if words and not _is_zombie(number):
                yield number, os.fsdecode(words).split("\0")


def wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    """Wait until the condition holds, for so many seconds at most; tell whether it does."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def _send(checkout: Checkout, part: str | None, number: int, how: signal.Signals) -> None:
    """Signal a process that still is ours when we hold it fast: its number cannot be reused under our hands."""
    with suppress(ProcessLookupError):
        handle = os.pidfd_open(number)
        try:
            if _is_of(checkout, part, number):
                signal.pidfd_send_signal(handle, how)
        finally:
            os.close(handle)


def _is_of(checkout: Checkout, part: str | None, number: int) -> bool:
    try:
        environment = (PROC / str(number) / "environ").read_bytes().split(b"\0")
        alive = not _is_zombie(number)
    except OSError:
        return False
    marks = [os.fsdecode(line).partition("=")[2] for line in environment if line.startswith(f"{MARK}=".encode())]
    return alive and any(
        root == str(checkout.root) and part in (None, name) for name, _, root in (mark.partition("@") for mark in marks)
    )


def _numbers() -> list[int]:
    return [int(entry.name) for entry in PROC.iterdir() if entry.name.isdigit()]


def _is_zombie(number: int) -> bool:
    return _status(number)[0] == "Z"


def _parent(number: int) -> int:
    try:
        return int(_status(number)[1])
    except OSError:
        return 0


def _status(number: int) -> list[str]:
    """Return the fields of a process's status from its state on: the program's name before may hold anything."""
    return (PROC / str(number) / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()


def _line_of(number: int) -> list[int]:
    """Return a process and its forebears."""
    line = []
    while number > 0:
        line.append(number)
        number = _parent(number)
    return line


def _has_command(number: int) -> bool:
    """Tell whether a command of ours is still among a process's forebears."""
    words = dict(command_lines())
    return any("deploy.local" in words.get(forebear, []) for forebear in _line_of(number))
