"""What a bare database does: pgbench writes the rows of a bet, statement by statement, with nothing around it."""

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from bench.database import BenchDatabase
from bench.game import PRICE
from bench.people import Bettors
from bench.programs import find_pgbench
from pools.models import Pool

SCRIPT = Path(__file__).with_name("bare_bet.sql")
SPEED = re.compile(r"^tps = ([0-9.]+) \(without initial connection time\)", re.MULTILINE)


def bare_bets_per_second(database: BenchDatabase, pool: Pool, bettors: Bettors, *, clients: int, seconds: int) -> float:
    """Run the script for `seconds`; return how many bets all clients together wrote a second."""
    jobs = min(clients, os.cpu_count() or 1)
    sizes = ["--client", str(clients), "--jobs", str(jobs), "--time", str(seconds)]
    said = _pgbench(database, pool, bettors, sizes)
    found = SPEED.search(said)
    if found is None:
        raise RuntimeError(f"pgbench did not tell its speed: {said}")
    return float(found.group(1))


def write_bare_bets(database: BenchDatabase, pool: Pool, bettors: Bettors, bets: int) -> None:
    """Run the script so many times."""
    _pgbench(database, pool, bettors, ["--client", "1", "--transactions", str(bets)])


def _pgbench(database: BenchDatabase, pool: Pool, bettors: Bettors, sizes: list[str]) -> str:
    variables: Mapping[str, object] = {
        "pool": pool.pk,
        "code": pool.code,
        "first": bettors.first_account,
        "last": bettors.last_account,
        "offset": bettors.offset,
        "pot": bettors.pot,
        "stake": PRICE,
        "terms": pool.terms_digest,
        "rules": pool.terms.rules_version,
    }
    command = [str(find_pgbench()), "--no-vacuum", "--protocol", "prepared", "--file", str(SCRIPT), *sizes]
    for name, value in variables.items():
        command += ["--define", f"{name}={value}"]
    environment = {**os.environ, **database.server_environment()}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode != 0:
        raise RuntimeError(f"pgbench failed: {done.stderr}{done.stdout}")
    return done.stdout
