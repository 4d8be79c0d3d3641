"""`make faults ARGS="--runs 100 --seed 1"`: days with faults in them, one seed each, and what came of them."""

import argparse
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from deploy.local.checkout import Checkout
from deploy.local.placement import Placement
from deploy.local.postgres import Cluster
from tests.faults.day import Day, play_day
from tests.faults.kinds import KINDS, kinds_here
from tests.faults.plan import plan_of
from tests.faults.stack import ROOT
from tests.faults.system import System
from tests.faults.table import keep_figures, print_table
from tests.faults.volume import SETTINGS, keep, lay_out, volume

FOLDER = ROOT / ".local" / "faults"


def main(arguments: Sequence[str]) -> int:
    """Run the seeds on one system, which is only mended in between; exit 1 when anything was wrong in any."""
    parser = argparse.ArgumentParser(prog="make faults", description=__doc__)
    parser.add_argument("--runs", type=int, default=100, help="how many days (100)")
    parser.add_argument("--seed", type=int, default=1, help="the first day's seed; the others follow (1)")
    parser.add_argument("--kind", choices=KINDS, help="this fault only, at the moments that the seed tells")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the system and the figures are kept")
    options = parser.parse_args(arguments)
    days: list[Day] = []
    lacking: dict[str, str] = {}
    try:
        for day, left_out in play_days(options):
            lacking = left_out
            days.append(day)
            tell(day)
    except KeyboardInterrupt:
        print("Interrupted: what follows is of the days before.")
    if not days:
        return 1
    for name, why in lacking.items():
        print(f"Left out: {name}: {why}.")
    print_table(days)
    print(f"Kept in {keep_figures(days, lacking, options.folder)}")
    return 1 if any(day.wrong for day in days) else 0


def play_days(options: argparse.Namespace) -> Iterator[tuple[Day, dict[str, str]]]:
    """Play day after day on one system, and after a wrong one on a new one; tell which faults are left out and why."""
    seeds = list(range(options.seed, options.seed + options.runs))
    while seeds:
        with whole_system(options.folder) as system:
            kinds, lacking = kinds_here(disk=system.disk is not None)
            is_well = True
            while seeds and is_well:
                plan = plan_of(seeds[0], [options.kind] if options.kind else list(KINDS))
                day = play_day(system, kinds, [fault for fault in plan if fault.kind in kinds], seeds.pop(0))
                is_well = not day.wrong
                if not is_well:
                    keep_logs(system, options.folder / f"wrong-{day.seed}")
                yield day, lacking


def tell(day: Day) -> None:
    """Say what came of a day."""
    outcome = "WRONG" if day.wrong else "well"
    print(f"seed {day.seed}: {day.seconds:5.1f} s: {'; '.join(map(str, day.plan))}: {outcome}", flush=True)
    for sentence in day.wrong:
        print(f"  {sentence}", flush=True)


def keep_logs(system: System, folder: Path) -> None:
    """Keep what the parts have said of a day that went wrong."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(system.checkout.log("web").parent, folder)


@contextmanager
def whole_system(folder: Path) -> Iterator[System]:
    """Have the whole system running in `folder`, its database on a volume that can be filled where that is allowed."""
    home = folder / "system" / ".local" / "postgres"
    shutil.rmtree(folder / "system" / ".local" / "log", ignore_errors=True)
    Cluster(Checkout(folder / "system"), Placement(Path(), home)).stop()  # of a run that was itself killed
    with volume(home) as disk:
        is_ready = lay_out(home, folder)
        system = System(folder / "system", ROOT, settings=SETTINGS, disk=disk)
        if not is_ready:
            system.make_ready()
            keep(home, folder)
        try:
            system.start()
            yield system
        finally:
            system.stop()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
