"""Every metric that a process counts by itself. Those read from the database are in `vital_signs`.

Several processes of a machine add up what they count through files in the folder PROMETHEUS_MULTIPROC_DIR; without it
each process knows only of itself.
"""

import os
from pathlib import Path

from prometheus_client import REGISTRY, CollectorRegistry, Counter, Histogram
from prometheus_client.multiprocess import MultiProcessCollector

FOLDER = os.environ.get("PROMETHEUS_MULTIPROC_DIR", "")
if FOLDER:
    Path(FOLDER).mkdir(parents=True, exist_ok=True)

_QUICK = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
_LONG = (0.1, 0.5, 1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3600.0, 14_400.0)

BETS_ACCEPTED = Counter("totalizator_bets_accepted", "Bets accepted", ["channel"])
BETS_REFUSED = Counter("totalizator_bets_refused", "Bets refused, by the code of the refusal", ["channel", "refusal"])
BET_SECONDS = Histogram("totalizator_bet_seconds", "Time of a call that places bets", ["channel"], buckets=_QUICK)
REQUESTS = Counter("totalizator_requests", "Requests answered", ["view", "method", "status"])
REQUEST_SECONDS = Histogram("totalizator_request_seconds", "Time of a request", ["view"], buckets=_QUICK)
ACT_SECONDS = Histogram("totalizator_act_seconds", "Time of a long act on one pool", ["act"], buckets=_LONG)
ACTS_FAILED = Counter("totalizator_acts_failed", "Long acts on one pool that failed", ["act"])


def counted_here() -> CollectorRegistry:
    """Return what the processes of this machine have counted."""
    if not FOLDER:
        return REGISTRY
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return registry
