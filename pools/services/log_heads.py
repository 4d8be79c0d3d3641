"""Heads of the public log outside of it: noted in the journal, and held against what is about to be signed (X6).

Who can write everything could cut off the end of the log; the operator would then sign a second history itself. So
nothing is signed over a log that contradicts its own newest head, or a head that the journal knows.
"""

import logging
from collections.abc import Iterator, Mapping

from django.utils.translation import gettext_lazy as _

from pools.models import LogEntry, LogHead
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.models import JournalRecord
from totalizator.engine.merkle import leaf_hash
from totalizator.engine.merkle_proofs import Place, full_subtrees, hash_of_subtrees

logger = logging.getLogger(__name__)
SUBJECT, ACT = "public_log", "note_log_head"


def note_log_head(*, actor: str) -> None:
    """Journal size and root of the newest head; runs in the transaction of who has just appended, or after it."""
    head = LogHead.objects.order_by("-size").first()
    if head is not None:
        after = {"size": head.size, "root": head.root}
        write_journal(at=clock.now(), actor=actor, act=ACT, subject=SUBJECT, after=after)


def noted_heads() -> Iterator[tuple[int, int, str]]:
    """Yield number of the journal's row, size and root of every head that was noted, the oldest first."""
    rows = JournalRecord.objects.filter(subject=SUBJECT, act=ACT).order_by("id").values_list("id", "after")
    for number, after in rows.iterator():
        if after is not None:
            yield number, int(after["size"]), str(after["root"])


def places_wanted(size: int) -> list[Place]:
    """Name the stored subtrees that `refuse_contradiction` needs: the peaks of the tree, and its last leaf."""
    return [*full_subtrees((0, size)), (0, size - 1)] if size else []


def refuse_contradiction(last: LogHead | None, nodes: Mapping[Place, bytes]) -> None:
    """Refuse to go on from a head that its own lines, their tree or the journal contradict; in a few rows' time.

    `nodes` are the stored ones at `places_wanted`; nobody else may append meanwhile. The whole log is rebuilt each
    night (`payouts/services/log_checks.py`).

    :raises DomainError: LOG_BROKEN.
    """
    broken = _contradiction(last, nodes)
    if broken is not None:
        logger.critical("Nothing is signed over the public log: %s", broken)
        message = _("The public log contradicts what was signed, so nothing can be published: %(what)s.")
        raise DomainError(Refusal.LOG_BROKEN, message % {"what": broken})


def _contradiction(last: LogHead | None, nodes: Mapping[Place, bytes]) -> str | None:
    size = last.size if last is not None else 0
    line = LogEntry.objects.order_by("-index").values_list("index", "line").first()
    there = line[0] + 1 if line is not None else 0
    if there != size:
        return f"the newest line is number {there}, the newest head is of {size} lines"
    if last is not None and line is not None:
        if nodes.keys() != set(places_wanted(size)):
            return f"parts of the tree under the head of {size} lines are missing"
        if nodes[0, size - 1] != leaf_hash(line[1].encode()):
            return f"line {size} is not the one that was hashed"
        if hash_of_subtrees(nodes.__getitem__, (0, size)).hex() != last.root:
            return f"the tree does not lead to the head of {size} lines"
    return _unlike_noted(size)


def _unlike_noted(size: int) -> str | None:
    noted = JournalRecord.objects.filter(subject=SUBJECT, act=ACT).order_by("-id").values_list("after", flat=True)
    after = noted.first()
    if after is None:
        return None
    if after["size"] > size:
        return f"the journal knows a head of {after['size']} lines, here are {size}"
    root = LogHead.objects.filter(size=after["size"]).values_list("root", flat=True).first()
    return None if root == after["root"] else f"the journal knows another head of {after['size']} lines"
