"""`python -m tests.drills failover|restore`: a drill with figures, on servers of its own."""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from time import gmtime, strftime

from deploy.local.refusal import Refusal
from tests.drills import failover, restoring
from tests.drills.ground import new_folder


def say(sentence: str) -> None:
    """Tell a person how far the drill is."""
    print(f"{strftime('%H:%M:%S', gmtime())} {sentence}", flush=True)  # noqa: T201


def main(arguments: Sequence[str]) -> int:
    """Run a drill; exit code 1 and the first thing that does not hold."""
    parser = argparse.ArgumentParser(prog="python -m tests.drills", description=__doc__)
    parser.add_argument("drill", choices=("failover", "restore"))
    parser.add_argument("--bets", type=int, default=300, help="sold before and after each loss, or before the copy")
    parser.add_argument("--players", type=int, default=8, help="who bet at once, over HTTP")
    parser.add_argument("--out", type=Path, default=Path(".local", "drills"), help="the folder for the JSON file")
    asked = parser.parse_args(arguments)
    source = os.environ["DATABASE_OWNER_URL"]
    try:
        if asked.drill == "restore":
            restoring.drill(new_folder(), source, bets=asked.bets, to_the_end=True, say=say)
            figures: list[dict[str, object]] = []
        else:
            figures = failover.whole_drill(new_folder(), source, players=asked.players, bets=asked.bets, say=say)
    except (AssertionError, Refusal, RuntimeError) as fault:
        print(f"{asked.drill}: {fault}", file=sys.stderr)  # noqa: T201
        return 1
    if figures:
        asked.out.mkdir(parents=True, exist_ok=True)
        kept = asked.out / f"failover-{strftime('%Y%m%dT%H%M%SZ', gmtime())}.json"
        kept.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
        say(f"Kept in {kept}")
    say("Everything holds.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
