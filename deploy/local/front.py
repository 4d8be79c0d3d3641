"""The command line behind the Makefile."""

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from deploy.local import processes
from deploy.local.backups import back_up_checkout
from deploy.local.browser import ensure_browser
from deploy.local.checkout import Checkout, say, this_checkout
from deploy.local.database import addresses, ensure_database
from deploy.local.environment import compile_translations, ensure_environment
from deploy.local.parts import PARTS, start_parts, web_address, web_port
from deploy.local.placement import Placement, homes
from deploy.local.postgres import Cluster
from deploy.local.prerequisites import check_machine, check_port
from deploy.local.refusal import Refusal

# Tests that start and kill services keep together, so that they never take the cores from each other.
TWO_AT_A_TIME = ("-n", "2", "--dist", "loadgroup")
Command = Callable[[Checkout, list[str]], int]


def main(arguments: Sequence[str]) -> int:
    """Run one command; return its exit code, 1 with one sentence on the error stream when it is refused."""
    name, *rest = arguments or ["help"]
    if name not in COMMANDS:
        say(f"Usage: python3 -m deploy.local {'|'.join(COMMANDS)} [argument ...]")
        return 2
    try:
        return COMMANDS[name](this_checkout(), rest)
    except Refusal as refusal:
        say(f"{name}: {refusal}")
    except OSError as error:  # no disk, no right, no memory: the system's own words
        say(f"{name}: {error}")
    except KeyboardInterrupt:
        say(f"{name}: interrupted")
    return 1


def prepare(checkout: Checkout) -> None:
    """Have `.venv`, compiled catalogues, a running database and `.local/env`, whatever was there before."""
    check_machine(checkout)
    with checkout.alone():
        ensure_environment(checkout)
        compile_translations(checkout)
        ensure_database(checkout)


def up(checkout: Checkout, _: list[str]) -> int:
    """Make everything ready, up to a migrated database; start no part."""
    prepare(checkout)
    application, owner = addresses(checkout)
    say(f"Ready: {application.rpartition('@')[2]} (addresses in {checkout.env_file}).")
    grant = ["--grant"] if owner != application else []
    with checkout.alone():
        if run(checkout, "up", ["-m", "deploy.local.migration", *grant], owner_environment(checkout)) != 0:
            raise Refusal("The database could not be migrated: see above.")
    return 0


def start(checkout: Checkout, arguments: list[str]) -> int:
    """Make everything ready and start worker, beat and web anew."""
    if not processes.running(checkout, "web"):
        check_port(web_port())
    up(checkout, arguments)
    with checkout.alone():
        start_parts(checkout, addresses(checkout)[0])
    say(f"The site is at {web_address()}, the logs in {checkout.local / 'log'}; `make stop` stops all.")
    return 0


def demo(checkout: Checkout, arguments: list[str]) -> int:
    """Start everything and play a whole round of pools on it."""
    start(checkout, [])
    command = ["manage.py", "demo", *(arguments or ["--bets", "20000", "--seed", "1"])]
    return run(checkout, "demo", command, {"DATABASE_URL": addresses(checkout)[0], "SITE_URL": web_address()})


def test(checkout: Checkout, arguments: list[str]) -> int:
    """Run the tests, two at a time; they make their databases themselves, as the owner."""
    prepare(checkout)
    ensure_browser()
    return run(checkout, "test", ["-m", "pytest", *TWO_AT_A_TIME, *arguments], owner_environment(checkout))


def brokers(checkout: Checkout, arguments: list[str]) -> int:
    """Run the tests of every broker, RabbitMQ among them."""
    prepare(checkout)
    command = ["-m", "pytest", "-n", "0", "tests/functional/test_broker.py", *arguments]
    return run(checkout, "test", command, {**owner_environment(checkout), "BROKERS": "all"})


def fuzz(checkout: Checkout, arguments: list[str]) -> int:
    """Send every reader of files and texts what nobody writes: so many examples each, 2000 unless told."""
    prepare(checkout)
    many, *rest = arguments or ["2000"]
    if not many.isdigit():
        raise Refusal("Say how many examples: make fuzz ARGS=20000.")
    environment = {**owner_environment(checkout), "FUZZ_EXAMPLES": many}
    return run(checkout, "test", ["-m", "pytest", "-q", "tests/fuzz", *rest], environment)


def bench(checkout: Checkout, arguments: list[str]) -> int:
    """Run the benchmarks against the checkout's server."""
    prepare(checkout)
    return run(checkout, "bench", ["-m", "bench", *arguments], owner_environment(checkout))


def faults(checkout: Checkout, arguments: list[str]) -> int:
    """Play days with faults in them, on a system of its own beside the checkout's."""
    check_machine(checkout)
    with checkout.alone():
        ensure_environment(checkout)
        compile_translations(checkout)
    return run(checkout, "faults", ["-m", "tests.faults", *arguments], {"TOTALIZATOR_VENV": str(checkout.venv)})


def bench_full(checkout: Checkout, arguments: list[str]) -> int:
    """Run the benchmarks with ten million bets; what is repeated, three times."""
    return bench(checkout, ["--full", *arguments])


def failover(checkout: Checkout, arguments: list[str]) -> int:
    """Drill: lose the primary of three database machines while bets are sold, and prove that no bet is."""
    up(checkout, [])
    return run(checkout, "drill", ["-m", "tests.drills", "failover", *arguments], owner_environment(checkout))


def restore_drill(checkout: Checkout, arguments: list[str]) -> int:
    """Drill: restore a backup to an instant, and prove it by what was published before."""
    up(checkout, [])
    return run(checkout, "drill", ["-m", "tests.drills", "restore", *arguments], owner_environment(checkout))


def backup(checkout: Checkout, _: list[str]) -> int:
    """Copy the checkout's own server and the filed scans."""
    with checkout.alone():
        print(f"Copied to {back_up_checkout(checkout)}; how it is restored: docs/operations.md.")
    return 0


def lint(checkout: Checkout, _: list[str]) -> int:
    """Run every check that needs no test; name all that fail, not only the first."""
    prepare(checkout)
    checks = (
        ["-m", "ruff", "check"],
        ["-m", "ruff", "format", "--check"],
        ["-m", "mypy"],
        [str(checkout.venv / "bin" / "lint-imports"), "--no-cache"],
        ["manage.py", "makemigrations", "--check", "--dry-run"],
        ["-m", "deploy.translations", "check"],
        ["-m", "deploy.scans"],
    )
    failed = [check for check in checks if run(checkout, "lint", check, owner_environment(checkout)) != 0]
    for check in failed:
        say(f"lint: failed: {' '.join(check)}")
    return 1 if failed else 0


def stop(checkout: Checkout, _: list[str]) -> int:
    """Stop all that was ever started from this checkout."""
    stopped = processes.stop(checkout)
    homes_of_all = (*homes(checkout), *homes(Checkout(checkout.local / "faults" / "system")))
    servers = [Cluster(checkout, Placement(Path(), home)).stop() for home in homes_of_all]
    print(f"Stopped {stopped} processes and {sum(servers)} database server.")
    return 0


def status(checkout: Checkout, _: list[str]) -> int:
    """Say which parts run."""
    clusters = [Cluster(checkout, Placement(Path(), home)) for home in homes(checkout)]
    servers = [number for cluster in clusters if (number := cluster.server()) is not None]
    running = {"postgres": servers} | {part: processes.running(checkout, part) for part in PARTS}
    for part, numbers in running.items():
        print(f"{part:9} {'runs: ' + ' '.join(map(str, numbers)) if numbers else 'is down'}")
    return 0


def owner_environment(checkout: Checkout) -> dict[str, str]:
    """Return the environment in which a program works as the owner of the database."""
    _, owner = addresses(checkout)
    return {"DATABASE_URL": owner, "DATABASE_OWNER_URL": owner}


def run(checkout: Checkout, part: str, arguments: Sequence[str], environment: dict[str, str]) -> int:
    """Run the environment's python in the foreground, after the remains of a run whose command was killed."""
    command = [str(checkout.python), *arguments]
    processes.stop(checkout, part, orphaned=True)
    marked = processes.marked(checkout, part, environment)
    return subprocess.run(command, cwd=checkout.root, env=marked, check=False).returncode


COMMANDS: dict[str, Command] = {
    "up": up, "start": start, "demo": demo, "test": test, "bench": bench, "bench-full": bench_full, "faults": faults,
    "lint": lint, "brokers": brokers, "fuzz": fuzz, "failover": failover, "restore-drill": restore_drill,
    "backup": backup, "stop": stop, "status": status,
}  # fmt: skip
