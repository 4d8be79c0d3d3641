"""What can go wrong: each fault is done to a running system, lasts a moment, and is over when its function returns."""

import os
import random
import signal
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import psycopg

from tests.faults.system import DATABASE, System

Fault = Callable[[System, random.Random], None]

BROKERS_QUEUE = "pgmq.q_totalizator"
FAKE_TIME = next(iter(sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))), None)
LOCK_SECONDS = 6.0
"""Longer than the product waits for a lock."""


def kill_web(system: System, _chance: random.Random) -> None:
    """`kill -9` of the whole web server."""
    system.kill("web")


def kill_one_of_web(system: System, chance: random.Random) -> None:
    """`kill -9` of one of the web's processes, its head or one that it has started."""
    _kill_one(system, "web", chance)


def kill_worker(system: System, _chance: random.Random) -> None:
    """`kill -9` of the whole worker."""
    system.kill("worker")


def kill_one_of_worker(system: System, chance: random.Random) -> None:
    """`kill -9` of one of the worker's processes."""
    _kill_one(system, "worker", chance)


def kill_beat(system: System, _chance: random.Random) -> None:
    """`kill -9` of beat."""
    system.kill("beat")


def kill_backend(system: System, chance: random.Random) -> None:
    """`kill -9` of one process of the database: the server then ends all sessions and recovers."""
    rows = system.sql("SELECT pid FROM pg_stat_activity WHERE usename = 'totalizator_app' AND pid <> pg_backend_pid()")
    if rows:
        with suppress(ProcessLookupError):
            os.kill(chance.choice(sorted(rows))[0], signal.SIGKILL)


def kill_server(system: System, _chance: random.Random) -> None:
    """`kill -9` of the database's server itself."""
    system.kill(DATABASE)


def restart_database(system: System, chance: random.Random) -> None:
    """An operator stops the database, at once or without a checkpoint, and it is started again."""
    if system.server is not None:
        with suppress(ProcessLookupError):
            os.kill(system.server, chance.choice((signal.SIGINT, signal.SIGQUIT)))


def end_sessions(system: System, chance: random.Random) -> None:
    """The database ends half of the sessions, as an operator or a pooler may."""
    rows = system.sql("SELECT pid FROM pg_stat_activity WHERE usename = 'totalizator_app'")
    for (number,) in chance.sample(rows, len(rows) // 2):
        system.sql("SELECT pg_terminate_backend(%s)", number)


def lose_broker(system: System, chance: random.Random) -> None:
    """The broker loses its queue with everything in it; half of the time it loses the messages only."""
    system.sql(f"SELECT pgmq.{chance.choice(('drop_queue', 'purge_queue'))}('totalizator')")


def double_tasks(system: System, chance: random.Random) -> None:
    """For a second what waits is there twice or three times."""
    for _ in range(10):
        with suppress(psycopg.errors.UndefinedTable):
            waiting = f"SELECT message, headers FROM {BROKERS_QUEUE} WHERE read_ct < 2 ORDER BY random() LIMIT 10"
            copies = f"SELECT now(), w.message, w.headers FROM ({waiting}) AS w, generate_series(1, %s)"
            system.sql(f"INSERT INTO {BROKERS_QUEUE} (vt, message, headers) {copies}", chance.randint(1, 2))
        time.sleep(0.1)


def shuffle_tasks(system: System, _chance: random.Random) -> None:
    """For two seconds tasks come in any order: each is held back for a time of its own."""
    for _ in range(10):
        with suppress(psycopg.errors.UndefinedTable):
            system.sql(
                f"UPDATE {BROKERS_QUEUE} SET vt = clock_timestamp() + random() * interval '2 s' WHERE read_ct < 2"
            )
        time.sleep(0.2)


def fill_disk(system: System, chance: random.Random) -> None:
    """The volume of the database is full to the last byte; half of the time with a new log segment to be made."""
    assert system.disk is not None
    filler = system.disk / "filler"
    try:
        with suppress(OSError), filler.open("wb", buffering=0) as file:
            while True:
                file.write(b"\0" * 1_048_576)
        with suppress(OSError), filler.open("ab", buffering=0) as file:
            while True:
                file.write(b"\0" * 512)
        if chance.random() < 0.5:
            with suppress(psycopg.Error):
                system.sql("SELECT pg_switch_wal()")
        time.sleep(chance.uniform(1, 3))
    finally:
        filler.unlink(missing_ok=True)


def jump_clock(system: System, chance: random.Random) -> None:
    """The clock by which bets are judged jumps, back or forth, for a moment or for good."""
    minutes = chance.choice((-40, -5, 5, 40))
    _move_clock(system, minutes)
    if chance.random() < 0.7:
        time.sleep(chance.uniform(0.5, 1.5))
        _move_clock(system, -minutes)


def drift_clock(system: System, chance: random.Random) -> None:
    """The web's machine has another time than the database: its clock is wrong for a time."""
    assert FAKE_TIME is not None
    web = system.parts["web"]
    wrong = {"LD_PRELOAD": str(FAKE_TIME), "FAKETIME": chance.choice(("+90s", "-90s")), "DONT_FAKE_MONOTONIC": "1"}
    web.extra = wrong
    try:
        web.kill()
        system.until(system.answers, "the web with a wrong clock")
        time.sleep(1)
    finally:
        web.extra = {}
        web.kill()


def slow_database(system: System, chance: random.Random) -> None:
    """Every message between the parts and the database takes long."""
    _slow(system, "database_line", chance.uniform(0.02, 0.15), 2)


def stop_database_line(system: System, chance: random.Random) -> None:
    """Nothing gets through to the database or back for some seconds, and then what was sent does."""
    system.database_line.stands_still = True
    try:
        time.sleep(chance.uniform(1, 4))
    finally:
        system.database_line.stands_still = False


def cut_database_line(system: System, chance: random.Random) -> None:
    """All connections to the database break, some of them with a commit on the way, and none can be made for a time."""
    system.database_line.is_down = True
    try:
        system.database_line.cut()
        time.sleep(chance.uniform(0.1, 1.5))
    finally:
        system.database_line.is_down = False


def slow_web(system: System, chance: random.Random) -> None:
    """Every message between people and the site takes long."""
    _slow(system, "web_line", chance.uniform(0.05, 0.3), 2)


def cut_web_line(system: System, chance: random.Random) -> None:
    """People's connections break again and again, some of them after the request and before the answer."""
    for _ in range(chance.randint(5, 15)):
        system.web_line.cut()
        time.sleep(chance.uniform(0.02, 0.2))


def hold_locks(system: System, chance: random.Random) -> None:
    """Somebody holds what every bet or every settlement needs, longer than the product waits for a lock."""
    held = chance.choice(("accounts_entry", "accounts_ledgeraccount", "core_replayedanswer", "pools_pool"))
    with suppress(psycopg.Error), system.superuser() as connection, connection.transaction():
        connection.execute("SET lock_timeout = '3s'")
        connection.execute(f"LOCK TABLE {held} IN ACCESS EXCLUSIVE MODE")
        time.sleep(LOCK_SECONDS)


def use_up_connections(system: System, chance: random.Random) -> None:
    """Others take all connections that the database has to give, and those of the parts break."""
    held: list[psycopg.Connection[tuple[object, ...]]] = []
    try:
        with system.superuser() as keeper:
            for number in range(2):
                with suppress(psycopg.OperationalError):
                    while True:
                        held.append(system.superuser("owner"))
                if number == 0:
                    keeper.execute(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'totalizator_app'"
                    )
            time.sleep(chance.uniform(1, 2))
    finally:
        for connection in held:
            connection.close()


def _kill_one(system: System, part: str, chance: random.Random) -> None:
    numbers = system.parts[part].numbers()
    if numbers:
        with suppress(ProcessLookupError):
            os.kill(chance.choice(numbers), signal.SIGKILL)


def _move_clock(system: System, minutes: int) -> None:
    system.sql(
        'INSERT INTO core_clockoffset (id, "offset") VALUES (1, make_interval(mins => %s)) ON CONFLICT (id)'
        ' DO UPDATE SET "offset" = core_clockoffset."offset" + EXCLUDED."offset"',
        minutes,
    )


def _slow(system: System, line: str, delay: float, seconds: float) -> None:
    getattr(system, line).delay = delay
    try:
        time.sleep(seconds)
    finally:
        getattr(system, line).delay = 0.0


KINDS: Mapping[str, Fault] = {
    fault.__name__: fault
    for fault in (
        kill_web, kill_one_of_web, kill_worker, kill_one_of_worker, kill_beat, kill_backend, kill_server,
        restart_database, end_sessions, lose_broker, double_tasks, shuffle_tasks, fill_disk, jump_clock, drift_clock,
        slow_database, stop_database_line, cut_database_line, slow_web, cut_web_line, hold_locks, use_up_connections,
    )
}  # fmt: skip


def kinds_here(*, disk: bool) -> tuple[dict[str, Fault], dict[str, str]]:
    """Return the faults that can be done on this machine, and why the others cannot."""
    lacking = {}
    if not disk:
        lacking["fill_disk"] = "only root can make a volume of its own"
    if FAKE_TIME is None:
        lacking["drift_clock"] = "the package libfaketime is not installed"
    return {name: fault for name, fault in KINDS.items() if name not in lacking}, lacking
