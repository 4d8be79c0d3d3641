"""The jobs that pay. Each finds its work by state: a lost message only delays, a repeated one finds nothing.

They are safe to run twice, at once, and to be killed anywhere. One bad pool never stops the others (C28).
"""

from collections.abc import Callable

from celery import shared_task
from django.db.models import QuerySet

from payouts.models import NoticeKind
from payouts.queries import pools_due_to_book, pools_due_to_credit, pools_due_to_expire
from payouts.queries.agents import pools_due_for_agents
from payouts.queries.corrections import pools_due_to_apply
from payouts.queries.due import pools_due_to_tell
from payouts.services.agent_commissions import post_agent_commissions
from payouts.services.booking import book_payables
from payouts.services.correcting import apply_correction
from payouts.services.crediting import credit_accounts
from payouts.services.disputes import flag_overdue_disputes as flag_overdue
from payouts.services.endings import carry_out_endings as carry_out
from payouts.services.erasing import erase_due
from payouts.services.expiring import expire_winnings
from payouts.services.filed_checks import check_filed_files
from payouts.services.guarantee import check_guarantee, checked_today
from payouts.services.insider_wins import look_for_rare_wins, publish_past_years
from payouts.services.jackpot import warn_of_undrawn_jackpots
from payouts.services.log_checks import check_and_note as check_log_and_note
from payouts.services.notice_letters import send_letters
from payouts.services.notices import may_tell, remind_players, tell_of_corrections, tell_phones, tell_players
from payouts.services.reconciling import reconcile
from payouts.services.refund_watch import watch_refunds
from payouts.services.significant_events import flag_overdue_events
from payouts.services.text_messages import send_waiting
from payouts.services.ticket_claims import lapse_claims
from pools.models import Pool
from pools.services.failures import report_failure
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal_checks import check_and_note
from totalizator.core.one_worker import one_worker
from totalizator.core.watching.acts import watched_act


@shared_task
def book_due_payables() -> None:
    """Draw up what is owed on the tickets of every settled or cancelled pool."""
    _for_each(pools_due_to_book(), "book_payables", lambda code, actor: book_payables(code=code, actor=actor))


@shared_task
def post_due_agent_commissions() -> None:
    """Post what agents have earned of every settled pool whose payables are drawn up."""
    _for_each(
        pools_due_for_agents(),
        "post_agent_commissions",
        lambda code, actor: post_agent_commissions(code=code, actor=actor),
    )


@shared_task
def apply_due_corrections() -> None:
    """Make what is owed on tickets agree with every official correction of a settlement (H5)."""
    _for_each(pools_due_to_apply(), "apply_correction", lambda code, actor: apply_correction(code=code, actor=actor))


@shared_task
def credit_due_accounts() -> None:
    """Pay what is owed to game accounts and cards, from the day on which it may be paid (¶12, ¶40)."""
    due = pools_due_to_credit(clock.now())
    _for_each(due, "credit_accounts", lambda code, actor: credit_accounts(code=code, actor=actor))


@shared_task
def expire_due_winnings() -> None:
    """Move the winnings that nobody came for in the term to the jackpot (¶15, ¶38.2)."""
    due = pools_due_to_expire(clock.now())
    _for_each(due, "expire_winnings", lambda code, actor: expire_winnings(code=code, actor=actor))


@shared_task
def send_text_messages() -> None:
    """Send the text messages that wait, up to the first fault of the gateway (U3)."""
    send_waiting()


@shared_task
def tell_winners() -> None:
    """Tell winners that something can be paid, and remind those who have not come for it; by day (K6)."""
    now = clock.now()
    if not may_tell(now):
        return
    _for_each(pools_due_to_tell(now), "tell_winners", lambda code, actor: tell_players(code=code, actor=actor))
    with one_worker("tell_winners") as alone:
        if alone:
            tell_phones(NoticeKind.WON, actor="task:tell_winners")
            tell_of_corrections(actor="task:tell_winners")
            remind_players(actor="task:remind_winners")
            tell_phones(NoticeKind.ENDING, actor="task:remind_winners")


@shared_task
def send_notice_letters() -> None:
    """Send the letters to players who were told of a winning (K6)."""
    with one_worker("send_notice_letters") as alone:
        if alone:
            send_letters()


@shared_task
def lapse_ticket_claims() -> None:
    """Let claims to lost tickets go that nobody has brought to an end long after the term (K4)."""
    with one_worker("lapse_ticket_claims") as alone:
        if alone:
            lapse_claims()


@shared_task
def flag_overdue_disputes() -> None:
    """Flag disputes that are not answered in their term (¶45)."""
    with one_worker("flag_overdue_disputes") as alone:
        if alone:
            flag_overdue()


@shared_task
def watch_insider_wins() -> None:
    """Look each month for wins rarer than luck explains, and publish each year that is over (X11)."""
    with one_worker("watch_insider_wins") as alone:
        if alone:
            look_for_rare_wins(actor="task:watch_insider_wins")
            publish_past_years(actor="task:watch_insider_wins")


@shared_task
def watch_due_refunds() -> None:
    """Tell the organizer of refunds that are overdue, and of those that two people may decide about (L1, D-12)."""
    with one_worker("watch_due_refunds") as alone:
        if alone:
            watch_refunds()


@shared_task
def carry_out_endings() -> None:
    """Send the money of registrations that end to their players' banks, and end those that are done (¶35.3)."""
    with one_worker("carry_out_endings") as alone:
        if alone:
            carry_out()


@shared_task
def reconcile_nightly() -> None:
    """Run every proof of the books and check the journal; what does not hold is journalled and logged."""
    with one_worker("reconcile_nightly") as alone:
        if alone:
            reconcile(actor="task:reconcile_nightly")
            check_and_note(actor="task:reconcile_nightly")


@shared_task
def check_log_nightly() -> None:
    """Rebuild the public log and hold it to all that is known of it; what does not hold is journalled and logged."""
    with one_worker("check_log_nightly") as alone:
        if alone:
            check_log_and_note(actor="task:check_log_nightly")


@shared_task
def check_filed_files_nightly() -> None:
    """Digest every filed file again: evidence, claims, papers of points; what was changed is journalled and logged."""
    with one_worker("check_filed_files_nightly") as alone:
        if alone:
            check_filed_files(actor="task:check_filed_files_nightly")


@shared_task
def erase_personal_data_nightly() -> None:
    """Erase the personal data whose term of keeping is over (Q1)."""
    with one_worker("erase_personal_data_nightly") as alone:
        if alone:
            erase_due(actor="task:erase_personal_data_nightly")


@shared_task
def check_guarantee_daily() -> None:
    """Compare what players could ask for with what lies in the bank, once a day (F3)."""
    with one_worker("check_guarantee_daily") as alone:
        if alone and not checked_today():
            check_guarantee(actor="task:check_guarantee_daily")


@shared_task
def flag_unseen_events() -> None:
    """Flag the significant events that nobody saw to by the end of the next working day (N4)."""
    with one_worker("flag_unseen_events") as alone:
        if alone:
            flag_overdue_events()


@shared_task
def warn_undrawn_jackpot() -> None:
    """Warn from 1 October of a jackpot that was not drawn this year (¶16)."""
    warn_of_undrawn_jackpots()


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
                if not (isinstance(fault, DomainError) and fault.code == Refusal.BUSY):
                    report_failure(act=act, subject=f"pool:{code}", fault=fault, actor=actor)
