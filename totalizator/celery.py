"""The Celery application: finds the tasks of every app, and says when the jobs run by themselves."""

import os
from typing import Any

from celery import Celery
from celery.schedules import crontab

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "totalizator.settings")

app = Celery("totalizator")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

# A fixed schedule of ticks. Each job finds what is due by state; a tick that was not begun before the next is dropped.
TICKS: dict[str, dict[str, Any]] = {
    task: {"task": task, "schedule": seconds, "options": {"expires": seconds}}
    for task, seconds in (
        ("totalizator.core.tasks.seal_journal", 1),
        ("pools.tasks.open_due_pools", 2),
        ("pools.tasks.close_due_pools", 2),
        ("pools.tasks.settle_due_pools", 5),
        ("pools.tasks.correct_due_settlements", 5),
        ("pools.tasks.count_alive_lines", 5),
        ("pools.tasks.flag_unfiled_rules", 3600),
        ("pools.tasks.look_for_suspicions", 3600),
        ("pools.tasks.match_new_receipts", 5),
        ("pools.tasks.report_missing_paper_forms", 3600),
        ("pools.tasks.refuse_forms_never_approved", 60),
        ("pools.tasks.number_events", 1),
        ("pools.tasks.deliver_events", 2),
        ("pools.tasks.watch_required_links", 30),
        ("pools.tasks.compare_days", 600),
        ("pools.tasks.check_release_daily", 600),
        ("pools.tasks.publish_journal_head", 3600),
        ("pools.tasks.stamp_newest_head", 60),
        ("pools.tasks.register_operator_key", 60),
        ("totalizator.core.tasks.check_clock", 60),
        ("accounts.tasks.print_fiscal_documents", 10),
        ("accounts.tasks.expire_due_cards", 60),
        ("accounts.tasks.forget_nonces", 3600),
        ("accounts.tasks.warn_of_expiring_documents", 3600),
        ("accounts.tasks.warn_of_late_forwards", 600),
        ("accounts.tasks.send_approved_withdrawals", 10),
        ("accounts.tasks.ask_about_withdrawals", 300),
        ("accounts.tasks.reconcile_providers", 3600),
        ("payouts.tasks.book_due_payables", 5),
        ("payouts.tasks.post_due_agent_commissions", 10),
        ("payouts.tasks.apply_due_corrections", 10),
        ("payouts.tasks.credit_due_accounts", 10),
        ("payouts.tasks.expire_due_winnings", 10),
        ("payouts.tasks.carry_out_endings", 60),
        ("payouts.tasks.lapse_ticket_claims", 600),
        ("payouts.tasks.flag_overdue_disputes", 3600),
        ("payouts.tasks.watch_due_refunds", 3600),
        ("payouts.tasks.send_text_messages", 5),
        ("payouts.tasks.tell_winners", 60),
        ("payouts.tasks.send_notice_letters", 60),
        ("payouts.tasks.check_guarantee_daily", 600),
        ("payouts.tasks.warn_undrawn_jackpot", 3600),
        ("payouts.tasks.flag_unseen_events", 3600),
    )
}
# At fixed hours of the legal time zone, which has no summer time.
DAILY: dict[str, dict[str, Any]] = {
    "payouts.tasks.reconcile_nightly": {
        "task": "payouts.tasks.reconcile_nightly",
        "schedule": crontab(hour=4, minute=0),
    },
    "payouts.tasks.check_log_nightly": {
        "task": "payouts.tasks.check_log_nightly",
        "schedule": crontab(hour=4, minute=30),
    },
    "payouts.tasks.check_filed_files_nightly": {
        "task": "payouts.tasks.check_filed_files_nightly",
        "schedule": crontab(hour=3, minute=0),
    },
    "payouts.tasks.erase_personal_data_nightly": {
        "task": "payouts.tasks.erase_personal_data_nightly",
        "schedule": crontab(hour=3, minute=30),
    },
    "payouts.tasks.watch_insider_wins": {
        "task": "payouts.tasks.watch_insider_wins",
        "schedule": crontab(hour=5, minute=0),
    },
    "pools.tasks.tell_of_dormancy": {
        "task": "pools.tasks.tell_of_dormancy",
        "schedule": crontab(hour=10, minute=0),
    },
}
app.conf.beat_schedule = TICKS | DAILY
