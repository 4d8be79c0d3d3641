"""Processes that settle one pool together. Nothing here may need Django before it is set up in each of them."""

from multiprocessing import get_context
from multiprocessing.connection import Connection
from time import perf_counter

LONGEST = 600
"""Seconds that a process may take to be set up, or to settle."""


def by_ranges(code: str, workers: int, bets_a_range: int) -> float:
    """Let so many processes begin at once; return the seconds until the settlement is calculated."""
    context = get_context("spawn")
    ends: list[Connection] = []
    processes = []
    for number in range(workers):
        here, there = context.Pipe()
        processes.append(context.Process(target=_serve, args=(there, code, bets_a_range, number == 0), daemon=True))
        processes[-1].start()
        ends.append(here)
    for end in ends:
        _hear(end)  # set up
    started = perf_counter()
    for end in ends:
        end.send("go")
    _hear(ends[0])
    took = perf_counter() - started
    for end in ends[1:]:
        end.send("enough")
    for process in processes:
        process.join()
    return took


def _hear(end: Connection) -> None:
    if not end.poll(LONGEST):
        raise RuntimeError("a process that settles does not answer")
    end.recv()


def _serve(parent: Connection, code: str, bets_a_range: int, first: bool) -> None:
    """Run in a worker's process: the first settles, the others help as long as there is something to do."""
    import django

    django.setup()
    from django.conf import settings

    from pools.models import Pool
    from pools.services import settling_ranges

    settings.SETTLE_BY_RANGES_FROM, settings.SETTLING_RANGE_BETS = 0, bets_a_range
    vars(settling_ranges)["enqueue_after_commit"] = lambda *_arguments, **_names: None  # the helpers are here already
    Pool.objects.exists()
    parent.send("ready")
    parent.recv()
    if first:
        settling_ranges.calculate_by_ranges(code=code, actor="bench")
        parent.send("done")
    while not (first or parent.poll(0.01)):
        settling_ranges.help_settling(code=code, actor="bench")
