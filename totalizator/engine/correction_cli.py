"""The command about a corrected settlement: `verify-correction`."""

import argparse
from pathlib import Path

from totalizator.engine import bundle
from totalizator.engine.correction_verification import verify_correction
from totalizator.engine.verdict import tell


def add_correction_command(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the engine's."""
    does = "say whether a settlement corrects another, and whether all that it changes is told"
    command = commands.add_parser("verify-correction", help=does, description=does)
    command.add_argument("before", metavar="BEFORE", type=Path, help="the bundle that is corrected")
    command.add_argument("after", metavar="AFTER", type=Path, help="the corrected bundle, with its correction.json")
    command.add_argument("--keys", metavar="FILE", type=Path, help="public keys, from elsewhere")
    command.set_defaults(run=_verify_correction)


def _verify_correction(options: argparse.Namespace) -> int:
    keys = None if options.keys is None else bundle.read_path(options.keys, where="keys.json")
    return tell(verify_correction(options.before, options.after, keys))
