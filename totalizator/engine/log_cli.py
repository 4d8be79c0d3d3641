"""The commands of what is checked without a bundle: `verify-log`, `-growth`, `-receipt`, `-ticket`."""

import argparse
from pathlib import Path

from totalizator.engine import bundle
from totalizator.engine.log_verification import verify_growth, verify_log
from totalizator.engine.receipt import verify_receipt
from totalizator.engine.ticket import verify_ticket
from totalizator.engine.verdict import tell


def add_log_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the commands to the engine's."""
    for name, run, file, does in (
        ("verify-log", _verify_log, "the lines, and the head as the last one", "say whether a public log is whole"),
        ("verify-growth", _verify_growth, "two heads and a path", "say whether a log has only grown between two heads"),
        ("verify-receipt", _verify_receipt, "a receipt", "say whether a bet is among the committed ones"),
    ):
        command = commands.add_parser(name, help=does, description=does)
        command.add_argument("file", metavar="FILE", type=Path, help=file)
        command.add_argument("--keys", metavar="FILE", type=Path, help="public keys, from elsewhere")
        command.set_defaults(run=run)
        if run is _verify_log:
            heads, bundles = "a head that was kept from before", "folders of pools that must be in the log"
            command.add_argument("--head", metavar="FILE", type=Path, action="append", default=[], help=heads)
            command.add_argument("--bundle", metavar="DIR", type=Path, nargs="+", default=[], help=bundles)
    _add_ticket(commands)


def _add_ticket(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    does = "say whether the operator signed a ticket, and with a bundle whether it was booked"
    command = commands.add_parser("verify-ticket", help=does, description=does)
    command.add_argument("text", metavar="TEXT", help="what its QR code holds")
    command.add_argument("--keys", metavar="FILE", type=Path, help="public keys, from elsewhere")
    command.add_argument("--bundle", metavar="DIR", type=Path, help="the folder of its pool")
    command.set_defaults(run=_verify_ticket)


def _verify_log(options: argparse.Namespace) -> int:
    return tell(verify_log(options.file, keys=_keys(options), older=options.head, bundles=options.bundle))


def _verify_growth(options: argparse.Namespace) -> int:
    proof = bundle.read_path(options.file, where=options.file.name)
    return tell(verify_growth(proof, where=options.file.name, keys=_keys(options)))


def _verify_receipt(options: argparse.Namespace) -> int:
    receipt = bundle.read_path(options.file, where=options.file.name)
    return tell(verify_receipt(receipt, where=options.file.name, keys=_keys(options)))


def _verify_ticket(options: argparse.Namespace) -> int:
    return tell(verify_ticket(options.text, keys=_keys(options), folder=options.bundle))


def _keys(options: argparse.Namespace) -> bytes | None:
    return None if options.keys is None else bundle.read_path(options.keys, where="keys.json")
