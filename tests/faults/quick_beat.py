"""Beat with a short breath: the ticks that a pool's day waits for come every second, so that a day takes seconds."""

from totalizator.celery import app

WAITED_FOR = (
    "pools.tasks.open_due_pools",
    "pools.tasks.close_due_pools",
    "pools.tasks.settle_due_pools",
    "payouts.tasks.book_due_payables",
    "payouts.tasks.credit_due_accounts",
)

for name in WAITED_FOR:
    app.conf.beat_schedule[name] |= {"schedule": 1, "options": {"expires": 2}}
