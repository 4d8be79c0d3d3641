"""Having the newest head of the public log time-stamped by others, so that no trust in our clock is needed (X1).

A head fixes all lines before it: a token over the newest one dates every commitment that has none of its own. Nothing
waits for an authority: a job asks after each closing and every minute, until each has stamped the newest head.
"""

from collections.abc import Iterator
from datetime import timedelta

from django.db.models import OuterRef, Subquery

from pools.models import LogHead, LogStamp
from pools.queries.log_proofs import newest_head
from pools.queries.log_stamps import head_file
from pools.services.failures import report_failure
from totalizator.core import clock
from totalizator.core.enqueuing import enqueue_after_commit
from totalizator.core.timestamps import Authority, NotStamped, ask_for_stamp, authorities, is_over

MOST_APART = timedelta(minutes=1)
"""How far an authority's time may lie outside the time from the head to the answer."""


def enqueue_stamping() -> None:
    """Have the newest head stamped as soon as the running transaction is committed."""
    if authorities():
        enqueue_after_commit("pools.tasks.stamp_newest_head")


def stamp_newest_head(*, actor: str) -> list[LogStamp]:
    """Ask every authority that has not stamped the newest head; one that fails never stops the others.

    Call it outside any transaction. A failure is journalled once as `stamp_head_failed`.
    """
    head = newest_head()
    if head is None:
        return []
    stamped = []
    for authority in authorities():
        if head.stamps.filter(authority=authority.name).exists():
            continue
        try:
            stamped.append(_stamp(head, authority))
        except Exception as fault:  # noqa: BLE001 another authority must not wait for this one
            report_failure(act="stamp_head", subject=f"authority:{authority.name}", fault=fault, actor=actor)
    return stamped


def stamps_of_other_heads() -> Iterator[str]:
    """Name every kept token that is over another head than the log has: somebody else knows another history."""
    here = Subquery(LogHead.objects.filter(size=OuterRef("head_id")).values("document_text"))
    rows = LogStamp.objects.annotate(text=here).order_by("pk").values_list("authority", "answer", "head_id", "text")
    for authority, answer, size, text in rows.iterator(chunk_size=500):
        if text is None:
            yield f"{authority} has stamped a head of {size} lines, which is missing"
        elif not is_over(bytes(answer), text.encode() + b"\n"):
            yield f"{authority} has stamped another head of {size} lines: a split view"


def _stamp(head: LogHead, authority: Authority) -> LogStamp:
    """Ask one authority, and keep what it gives; two at once keep the first.

    :raises NotStamped: for no answer, one that does not hold, or one from another time.
    """
    stamp = ask_for_stamp(authority, head_file(head))
    received_at = clock.now()
    if not head.at - MOST_APART <= stamp.at <= received_at + MOST_APART:
        raise NotStamped("the token is from before the head, or from the future")
    kept, _created = LogStamp.objects.get_or_create(
        head=head,
        authority=authority.name,
        defaults={"at": stamp.at, "serial": stamp.serial, "answer": stamp.answer, "received_at": received_at},
    )
    return kept
