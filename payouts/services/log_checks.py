"""Checking the whole public log: against itself, what was published, and heads that are known from elsewhere (X6)."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from django.db import connection, transaction

from payouts.models import PublishedInsiderWins
from pools.models import LogHead, LogKind
from pools.queries.log_proofs import newest_head
from pools.queries.log_rebuilt import KnownHead, broken_in_log
from pools.services.commission_keys import published_keys
from pools.services.log_heads import SUBJECT, note_log_head, noted_heads
from pools.services.log_stamps import stamps_of_other_heads
from pools.services.published_documents import PublishedDocument, published, published_documents, without_line
from totalizator.core import clock
from totalizator.core.journal import write_journal
from totalizator.engine.canonical import json_file, parse_json
from totalizator.engine.difference import Difference
from totalizator.engine.errors import EngineError
from totalizator.engine.log_verification import read_head
from totalizator.engine.signatures import parse_keys

logger = logging.getLogger(__name__)
ACT = "check_log"
_SHOWN = 20


@dataclass(frozen=True, slots=True)
class CheckedLog:
    """What a check found: everything that does not hold, and the newest head, if there is one."""

    broken: tuple[str, ...]
    newest: LogHead | None


def check_log(known: Sequence[KnownHead] = ()) -> CheckedLog:
    """Rebuild the log from all its lines and hold it to its heads, to the documents, and to all heads known elsewhere.

    Elsewhere are the journal and `known`; tokens of time-stamping authorities must be over the heads that are here.
    """
    outermost = not connection.in_atomic_block
    with transaction.atomic():
        if outermost:  # one snapshot
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        newest = newest_head()
        broken = (
            *broken_in_log(chain(_in_journal(), known)),
            *_not_signed(newest),
            *without_line(chain(published_documents(), _reports())),
            *stamps_of_other_heads(),
        )
    return CheckedLog(broken, newest)


def check_and_note(*, actor: str) -> CheckedLog:
    """Check the log; journal what was found, as a significant event if anything was, and otherwise the newest head."""
    checked = check_log()
    shown = list(checked.broken[:_SHOWN])
    if shown:
        logger.critical("The public log is broken: %s", "; ".join(shown))
    after = {"lines": checked.newest.size if checked.newest is not None else 0, "broken": shown}
    write_journal(at=clock.now(), actor=actor, act=ACT, subject=SUBJECT, after=after)
    if not shown:
        note_log_head(actor=actor)
    return checked


def known_head(content: bytes, where: str) -> KnownHead:
    """Read head.json as somebody kept it.

    :raises EngineError: for what is no head.
    :raises Difference: for one that the operator has not signed.
    """
    head = read_head(parse_json(content, where=where), where, parse_keys(json_file(published_keys())))
    return KnownHead(head.size, head.root.hex(), where)


def _in_journal() -> Iterator[KnownHead]:
    for number, size, root in noted_heads():
        yield KnownHead(size, root, f"row {number} of the journal")


def _not_signed(newest: LogHead | None) -> Iterator[str]:
    if newest is None:
        return
    try:
        known_head(newest.document_text.encode(), f"the head of {newest.size} lines")
    except (Difference, EngineError) as fault:
        yield str(fault)


def _reports() -> Iterator[PublishedDocument]:
    for row in PublishedInsiderWins.objects.order_by("year"):
        yield published(LogKind.REPORT, f"insider-wins:{row.year}", row.document_text.encode())
