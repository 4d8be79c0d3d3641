"""The newest seal of the journal in the public log: who rewrites the journal afterwards contradicts it (S1, X6)."""

import logging

from pools.models import LogEntry, LogKind
from pools.services.log_heads import ACT as NOTED
from pools.services.log_heads import note_log_head
from pools.services.public_log import append_to_log
from totalizator.core import clock
from totalizator.core.journal import write_journal
from totalizator.core.journal_seals import as_seal, newest_seal, seal_journal
from totalizator.core.models import JournalRecord, JournalSeal
from totalizator.core.transactions import one_transaction
from totalizator.engine.canonical import digest

logger = logging.getLogger(__name__)
_SUBJECT = "journal:"
_ACTOR = "task:publish_journal_head"


def publish_journal_head() -> LogEntry | None:
    """Log the line of the newest seal, `journal:NUMBER`, unless it is logged; return the new line of the log.

    The journal knows the log's head then, and the log the journal's: neither is cut off alone.
    """
    seal_journal()
    seal = newest_seal()
    if seal is None or _quiet():
        return None
    subject = f"{_SUBJECT}{seal.number}"
    with one_transaction():
        if LogEntry.objects.filter(kind=LogKind.JOURNAL, subject=subject).exists():
            return None
        entry = append_to_log(kind=LogKind.JOURNAL, subject=subject, document=seal.line(), at=clock.now())
        note_log_head(actor=_ACTOR)
    return entry


def _quiet() -> bool:
    """Tell whether nothing was journalled since the last time but that we noted the log's head."""
    last = JournalRecord.objects.order_by("-id").values_list("act", "actor").first()
    return last == (NOTED, _ACTOR)


def check_journal_heads(*, actor: str) -> list[str]:
    """Return the subjects of all logged seals that are no longer what was logged; journal them, if there are any."""
    logged = LogEntry.objects.filter(kind=LogKind.JOURNAL).order_by("index").values_list("subject", "digest")
    broken = [subject for subject, named in logged.iterator() if _digest_now(subject) != named]
    if broken:
        logger.critical("The public log knows other seals of the journal: %s", ", ".join(broken))
        at = clock.now()
        write_journal(at=at, actor=actor, act="check_journal_heads", subject="journal", after={"broken": broken})
    return broken


def _digest_now(subject: str) -> str | None:
    row = JournalSeal.objects.filter(number=int(subject.removeprefix(_SUBJECT))).first()
    return None if row is None else digest(as_seal(row).line())
