"""The commands: `settle`, `dividends`, `verify`, `prove`, `price`, and those of `*_cli`."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from totalizator.engine import bundle
from totalizator.engine.canonical import json_file
from totalizator.engine.correction_cli import add_correction_command
from totalizator.engine.coupon import price_of, read_selections
from totalizator.engine.dividends import divide
from totalizator.engine.errors import EngineError
from totalizator.engine.journal_cli import add_journal_commands
from totalizator.engine.log_cli import add_log_commands
from totalizator.engine.proof import prove
from totalizator.engine.settlement import settle
from totalizator.engine.statement import statement_document
from totalizator.engine.tally import parse_tally
from totalizator.engine.terms import parse_terms
from totalizator.engine.verdict import DIFFERS, RIGHT, tell
from totalizator.engine.verification import verify_bundle
from totalizator.engine.version import ENGINE_VERSION

DONE, UNKNOWN = RIGHT, DIFFERS
BAD_INPUT = 2


def main(arguments: Sequence[str]) -> int:
    """Run one command and give its exit code; bad input is one line on standard error."""
    options = _parser().parse_args(arguments)
    try:
        code: int = options.run(options)
        sys.stdout.flush()
    except EngineError as error:
        sys.stderr.write(f"{error}\n")
        return UNKNOWN if options.run is _prove and error.code == "UNKNOWN_TICKET" else BAD_INPUT
    except OSError as error:
        _leave_output()
        sys.stderr.write(f"MISSING_FILE: standard output: a place that can be written ({error.strerror})\n")
        return BAD_INPUT
    return code


def _leave_output() -> None:
    """Point standard output at nothing, so that Python does not try it once more when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m totalizator.engine", description="Settle and prove a pool bundle.")
    parser.add_argument("--version", action="version", version=ENGINE_VERSION)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, run, does in (
        ("settle", _settle, "make tally.json, statement.json and winnings.csv"),
        ("dividends", _dividends, "print the statement of terms.json and tally.json"),
        ("verify", _verify, "compute everything again and say OK or what differs"),
        ("prove", _prove, "print a bet's line and its Merkle path"),
        ("price", _price, "print the lines and the price of a coupon"),
    ):
        # A ticket or an outcome may begin with a hyphen: where one is given, hyphens make no options.
        hyphens = "\0" if run in (_prove, _price) else "-"
        command = commands.add_parser(name, help=does, description=does, prefix_chars=hyphens, add_help=hyphens == "-")
        command.add_argument("directory", metavar="DIR", type=Path)
        command.set_defaults(run=run)
        if run is _verify:
            command.add_argument("--keys", metavar="FILE", type=Path, help="public keys, from outside the bundle")
        elif run is _prove:
            command.add_argument("ticket", metavar="TICKET")
        elif run is _price:
            command.add_argument("selections", metavar="SELECTIONS", help="like '1;X;1+2'")
    add_correction_command(commands)
    add_journal_commands(commands)
    add_log_commands(commands)
    return parser


def _settle(options: argparse.Namespace) -> int:
    settle(options.directory)
    return DONE


def _dividends(options: argparse.Namespace) -> int:
    terms = parse_terms(bundle.read_file(options.directory, bundle.TERMS))
    tally = parse_tally(terms, bundle.read_file(options.directory, bundle.TALLY))
    _print_json(statement_document(divide(terms, tally)))
    return DONE


def _verify(options: argparse.Namespace) -> int:
    keys = None if options.keys is None else bundle.read_path(options.keys, where="keys.json")
    return tell(verify_bundle(options.directory, keys))


def _prove(options: argparse.Namespace) -> int:
    _print_json(prove(options.directory, options.ticket))
    return DONE


def _price(options: argparse.Namespace) -> int:
    terms = parse_terms(bundle.read_file(options.directory, bundle.TERMS))
    coupon = read_selections(terms, options.selections)
    _print_json({"lines": coupon.lines, "price": price_of(terms, coupon)})
    return DONE


def _print_json(document: dict[str, object]) -> None:
    sys.stdout.buffer.write(json_file(document))
