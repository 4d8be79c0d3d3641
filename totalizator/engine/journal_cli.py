"""The commands about the journal: `verify-journal`, `rebuild`."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from totalizator.engine.difference import Difference
from totalizator.engine.journal import read_known, verify_journal
from totalizator.engine.rebuilding import rebuild

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

DONE, DIFFERS = 0, 1


def add_journal_commands(commands: "Commands") -> None:
    """Add them to the engine's commands."""
    does = "check a file of the sealed journal and say OK with its newest seal, or what is broken"
    command = commands.add_parser("verify-journal", help=does, description=does)
    command.add_argument("journal", metavar="FILE", type=Path)
    command.add_argument("--known", metavar="NUMBER:DIGEST", help="a seal that the journal must have")
    command.set_defaults(run=_verify_journal)
    does = "settle a pool again from the journal and its bundle, and print the digests of what comes out"
    command = commands.add_parser("rebuild", help=does, description=does)
    command.add_argument("journal", metavar="FILE", type=Path)
    command.add_argument("directory", metavar="DIR", type=Path)
    command.set_defaults(run=_rebuild)


def _verify_journal(options: argparse.Namespace) -> int:
    known = None if options.known is None else read_known(options.known)
    broken, newest = verify_journal(options.journal, known)
    if broken is not None or newest is None:
        sys.stdout.write(f"{broken}\n")
        return DIFFERS
    sys.stdout.write(f"OK: {newest.number}:{newest.digest}\n")
    return DONE


def _rebuild(options: argparse.Namespace) -> int:
    try:
        digests = rebuild(options.journal, options.directory)
    except Difference as difference:
        sys.stdout.write(f"{difference}\n")
        return DIFFERS
    sys.stdout.write("".join(f"{name} {digest}\n" for name, digest in digests.items()) + "OK\n")
    return DONE
