"""`manage.py demo`: play two rounds of pools on real matches, from the announcement to the last payment."""

import json
import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console

from payouts.management.demo.alone import alone_on_this_database
from payouts.management.demo.entrances import addresses, logins
from payouts.management.demo.season import LEAST_BETS
from payouts.management.demo.story import Story
from payouts.management.demo.table import ConsoleTeller, all_proved, print_entrances, print_figures
from payouts.management.demo.waiting import Stage

PAPERS = Path(__file__).resolve().parents[3] / ".local" / "demo"


class Command(BaseCommand):
    help = "Play two rounds of pools on real matches: sell, close, sign, settle, pay, roll the jackpot, prove."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--bets", type=int, default=20_000, help="how many bets in all (%(default)s)")
        parser.add_argument("--seed", type=int, default=1, help="the same seed, the same bets (%(default)s)")
        parser.add_argument("--json", action="store_true", help="print the table as JSON, and nothing else, on stdout")
        parser.add_argument("--threads", type=int, default=4, help="how many sell at a time (%(default)s)")
        parser.add_argument("--patience", type=int, default=120, help="seconds to wait for Celery (%(default)s)")
        parser.add_argument("--papers", type=Path, default=PAPERS, help="where its documents go (%(default)s)")
        parser.add_argument("--no-celery", action="store_true", help="run the tasks here, without worker and beat")

    def handle(self, *args: Any, bets: int, seed: int, threads: int, **options: Any) -> None:
        if not settings.CLOCK_MAY_MOVE:
            raise CommandError("The demonstration moves the clock and sells to made-up people: never in production.")
        if bets < LEAST_BETS or threads < 1:
            raise CommandError(f"--bets must be at least {LEAST_BETS}, --threads at least 1.")
        # Where the site runs, players and terminals bet there; its processes must be on this database.
        site = os.environ.get("SITE_URL")
        stage = Stage(celery=not options["no_celery"], patience=options["patience"])
        with alone_on_this_database():
            figures = Story(bets, seed, threads, stage, ConsoleTeller(), options["papers"], site).play()
        if options["json"]:
            entrances = {"addresses": addresses(figures), "logins": logins()}
            self.stdout.write(json.dumps({**figures, **entrances}, ensure_ascii=False))
        else:
            console = Console(highlight=False)
            print_figures(figures, console)
            print_entrances(addresses(figures), logins(), console)
        if not all_proved(figures):
            raise CommandError("Something did not prove: see the table.")
