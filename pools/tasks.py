"""The jobs that move pools. Each finds its work by state: a lost message only delays, a repeated one finds nothing.

They are safe to run twice, at once, and to be killed anywhere. One bad pool never stops the others (C28).
"""

from collections.abc import Callable
from datetime import timedelta

from celery import shared_task
from django.db.models import QuerySet

from pools.models import Pool, PoolState
from pools.queries import pools_due_to_close, pools_due_to_commit, pools_due_to_open, pools_due_to_settle
from pools.queries.corrections import pools_due_to_correct
from pools.queries.receipts import new_receipts
from pools.services import (
    dormancy,
    filing,
    journal_heads,
    log_stamps,
    operator_keys,
    paper_forms,
    provisional,
    release_watch,
    settling_ranges,
    suspicions,
)
from pools.services.closing import close_pool, open_pool, seal_bets
from pools.services.comparing_days import compare_due_days
from pools.services.correcting_settlement import correct_settlement
from pools.services.failures import report_failure
from pools.services.link_policy import stop_or_let_go_on
from pools.services.paper_registers import report_missing_forms
from pools.services.receipt_matching import match_receipt
from pools.services.settling import settle_pool
from pools.services.telling_bets import number_what_happened
from pools.snapshots.pool_history import keep_distribution
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.one_worker import one_worker
from totalizator.core.outbox_delivery import deliver, subscribers_due
from totalizator.core.watching.acts import watched_act

DELIVERY_EXPIRES = 2
"""Seconds: a delivery that was not begun by then is begun by the next tick."""
COUNTED_AHEAD = timedelta(hours=1)
"""For so long after the sealing it is seen to that the spread of a pool's bets is kept."""


@shared_task
def open_due_pools() -> None:
    """Open every pool whose time has come."""
    _for_each(pools_due_to_open(clock.now()), "open_pool", lambda code, actor: open_pool(code=code, actor=actor))


@shared_task
def close_due_pools() -> None:
    """Close every pool whose time is over, and seal the bets of those that were closed and not sealed."""
    _for_each(pools_due_to_close(clock.now()), "close_pool", lambda code, actor: close_pool(code=code, actor=actor))
    _for_each(pools_due_to_commit(), "seal_bets", lambda code, actor: seal_bets(code=code, actor=actor))
    _for_each(_sealed_lately(), "keep_distribution", lambda code, _actor: keep_distribution(code))


@shared_task
def settle_due_pools() -> None:
    """Settle every resulted pool."""
    _for_each(pools_due_to_settle(), "settle_pool", lambda code, actor: settle_pool(code=code, actor=actor))


@shared_task
def help_settling(code: str) -> None:
    """Help whoever settles a huge pool by ranges of its bets; one that is settled needs no help."""
    settling_ranges.help_settling(code=code, actor="task:help_settling")


@shared_task
def count_alive_lines() -> None:
    """Count which lines can still win, in each pool of which something new was told (O2)."""
    with one_worker("count_alive_lines") as alone:
        if alone:
            provisional.count_alive_lines()


@shared_task
def correct_due_settlements() -> None:
    """Correct every settled pool whose correcting protocol is sealed (H5)."""
    _for_each(
        pools_due_to_correct(), "correct_settlement", lambda code, actor: correct_settlement(code=code, actor=actor)
    )


@shared_task
def flag_unfiled_rules() -> None:
    """Flag rules texts that should have been filed with the regulator by now (A3)."""
    filing.flag_unfiled_rules(actor="task:flag_unfiled_rules")


@shared_task
def match_new_receipts() -> None:
    """Find the place of every transfer that nobody has looked at (¶9.8); one that fails never stops the others."""
    with one_worker("match_new_receipts") as alone:
        for line_id in list(new_receipts()) if alone else ():
            try:
                match_receipt(line_id)
            except Exception as fault:  # noqa: BLE001 the next transfer must not wait for this one's repair
                actor, subject = "task:match_receipts", f"receipt:{line_id}"
                report_failure(act="match_receipt", subject=subject, fault=fault, actor=actor)


@shared_task
def report_missing_paper_forms() -> None:
    """Journal once a day the numbers of paper forms that were passed over (¶9.10)."""
    report_missing_forms()


@shared_task
def refuse_forms_never_approved() -> None:
    """List the paper forms that nobody approved before closing among those whose money goes back (¶9.10)."""
    paper_forms.refuse_forms_never_approved()


@shared_task
def look_for_suspicions() -> None:
    """Raise a case for what looks suspicious since the last look (Q2)."""
    with one_worker("look_for_suspicions") as alone:
        if alone:
            suspicions.look_for_suspicions()


@shared_task
def number_events() -> None:
    """Give their numbers to the events of what happened since the last time (U1)."""
    with one_worker("number_events") as alone:
        if alone:
            number_what_happened()


@shared_task
def deliver_events() -> None:
    """Begin a delivery to every subscriber that lacks something: each is a task of its own, and waits for no other."""
    for subscriber in subscribers_due(clock.now()):
        deliver_to_subscriber.apply_async((subscriber.pk,), expires=DELIVERY_EXPIRES)


@shared_task
def deliver_to_subscriber(number: int) -> None:
    """Send a subscriber what it lacks."""
    deliver(number)


@shared_task
def watch_required_links() -> None:
    """Stop sales while a required subscriber is behind for too long, and let them go on after (U1)."""
    with one_worker("watch_required_links") as alone:
        if alone:
            stop_or_let_go_on()


@shared_task
def compare_days() -> None:
    """Compare the totals of days that are over with the books and with every subscriber (U1)."""
    with one_worker("compare_days") as alone:
        if alone:
            compare_due_days()


@shared_task
def tell_of_dormancy() -> None:
    """Write to the owners of accounts that nobody uses (E5)."""
    with one_worker("tell_of_dormancy") as alone:
        if alone:
            dormancy.tell_of_dormancy()


@shared_task
def check_release_daily() -> None:
    """Compare what runs with the register of releases, soon after its start and every 24 hours (R2)."""
    if not release_watch.checked_today():
        release_watch.check_release(actor="task:check_release_daily")


@shared_task
def publish_journal_head() -> None:
    """Put the newest seal of the journal into the public log, and check that those in it still hold (S1)."""
    with one_worker("publish_journal_head") as alone:
        if alone:
            journal_heads.check_journal_heads(actor="task:publish_journal_head")
            journal_heads.publish_journal_head()


@shared_task
def stamp_newest_head() -> None:
    """Have the newest head of the public log time-stamped by every authority of the settings (X1)."""
    with one_worker("stamp_newest_head") as alone:
        if alone:
            log_stamps.stamp_newest_head(actor="task:stamp_newest_head")


@shared_task
def register_operator_key() -> None:
    """Register the operator's key if it is a new one: it may have signed tickets and no line of the log yet (X6)."""
    operator_keys.register_operator_key()


def _sealed_lately() -> QuerySet[Pool]:
    return Pool.objects.filter(
        state=PoolState.CLOSED, commitment__committed_at__gt=clock.now() - COUNTED_AHEAD
    ).order_by("pk")


def _for_each(pools: QuerySet[Pool], act: str, do: Callable[[str, str], object]) -> None:
    """Do the act on each pool that no other worker is at; report what fails, once, and go on."""
    for number, code in list(pools.values_list("pk", "code")):
        with one_worker(f"pool:{number}") as alone:
            if not alone:
                continue
            actor = f"task:{act}"
            try:
                with watched_act(act, pool=code):
                    do(code, actor)
            except Exception as fault:  # noqa: BLE001 the next pool must not wait for this one's repair
                if not _passing(fault, pools, number):
                    report_failure(act=act, subject=f"pool:{code}", fault=fault, actor=actor)


def _passing(fault: Exception, pools: QuerySet[Pool], number: int) -> bool:
    """Tell whether a fault needs nobody: the system was busy, or somebody else had done the act meanwhile."""
    if not isinstance(fault, DomainError):
        return False
    if fault.code == Refusal.WRONG_STATE:
        return not pools.filter(pk=number).exists()
    return fault.code == Refusal.BUSY
