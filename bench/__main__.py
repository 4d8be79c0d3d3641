"""`python -m bench`: measure, print a table, keep it under `.local/bench/`."""

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bench.database import BenchDatabase, NoDatabase
from bench.programs import NoPgbench
from bench.table import keep, print_table

PLAYERS_A_CLIENT = 16


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured."""

    clients: Sequence[int]
    seconds: int
    repeats: int
    settled_bets: int
    history_pools: int
    history_bets: int
    asked: int  # times for each page


FULL = Sizes(
    clients=(1, 4, 16),
    seconds=4,
    repeats=5,
    settled_bets=1_000_000,
    history_pools=1_000,
    history_bets=200_000,
    asked=20,
)
WHOLE = replace(FULL, repeats=3, settled_bets=10_000_000, history_pools=1_000, history_bets=10_000_000)
QUICK = Sizes(clients=(1, 2), seconds=1, repeats=1, settled_bets=3_000, history_pools=8, history_bets=2_000, asked=2)
PARTS = ("accepting", "web", "settling", "paying", "beside", "pages")


def main(arguments: Sequence[str]) -> int:
    """Measure in a database of our own, which is dropped afterwards."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--full", action="store_true", help="ten million bets, without a limit of time")
    parser.add_argument("--quick", action="store_true", help="a few seconds and a few thousand bets: does it work?")
    parser.add_argument("--only", choices=(*PARTS, "ranges"), help="one of the benchmarks")
    parser.add_argument("--repeats", type=int, help="how often what can be repeated is: the median counts (5)")
    parser.add_argument(
        "--bets", type=int, help="how many bets are settled (1,000,000), or lie behind the pages (200,000)"
    )
    parser.add_argument("--pools", type=int, help="how many pools lie behind the pages")
    parser.add_argument("--out", type=Path, default=Path(".local", "bench"), help="the folder for the JSON file")
    options = parser.parse_args(arguments)
    sizes = QUICK if options.quick else WHOLE if options.full else FULL
    repeats = options.repeats or sizes.repeats
    try:
        with BenchDatabase(os.environ.get("DATABASE_OWNER_URL") or os.environ.get("DATABASE_URL", "")) as database:
            # Only now is there a database for Django to be set up on.
            from bench.accepting import measure_accepting
            from bench.beside import measure_selling_beside_settling
            from bench.pages import measure_pages
            from bench.paying import measure_paying
            from bench.people import make_players, make_staff
            from bench.ranges import measure_ranges
            from bench.settling import measure_settling
            from bench.web import measure_web

            staff = make_staff()
            players = make_players(PLAYERS_A_CLIENT * max(sizes.clients), staff)
            figures: dict[str, object] = {
                "sizes": "quick" if options.quick else "ten million" if options.full else "full"
            }
            if options.only in (None, "accepting"):
                figures["accepting"] = measure_accepting(
                    database, staff, players, clients=sizes.clients, seconds=sizes.seconds, repeats=repeats
                )
            if options.only in (None, "web"):
                figures["web"] = measure_web(
                    database, staff, players, clients=max(sizes.clients), seconds=sizes.seconds, repeats=repeats
                )
            if options.only in (None, "settling"):
                figures["settling"] = measure_settling(
                    staff, players, bets=options.bets or sizes.settled_bets, repeats=repeats
                )
            if options.only in (None, "paying"):
                figures["paying"] = measure_paying(staff, players, winnings=options.bets or sizes.settled_bets)
            if options.only in (None, "beside"):
                figures["beside"] = measure_selling_beside_settling(
                    staff, players, bets=options.bets or sizes.settled_bets, seconds=2 * sizes.seconds
                )
            if options.only == "ranges":
                figures["ranges"] = measure_ranges(
                    staff, players, bets=options.bets or sizes.settled_bets, repeats=repeats
                )
            if options.only in (None, "pages"):
                figures["pages"] = measure_pages(
                    staff,
                    pools=options.pools or sizes.history_pools,
                    bets=(options.bets if options.only == "pages" else None) or sizes.history_bets,
                    asked=sizes.asked,
                )
    except (NoDatabase, NoPgbench) as fault:
        print(f"bench: {fault}", file=sys.stderr)
        return 1
    print_table(figures)
    print(f"Kept in {keep(figures, options.out)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
