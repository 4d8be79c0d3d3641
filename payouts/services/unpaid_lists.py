"""Looking at the unpaid winning tickets of a pool, and taking a copy away: journalled, and few copies a day (K3).

Who knows which tickets nobody has come for can try to cash them. So a list has no ticket's whole number and no check
code, every look at it is journalled, and of the files only a dated number a day is made for each pool.
"""

from datetime import timedelta

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from accounts.services.staff import refuse_all_but_staff
from payouts.models import UnpaidListCopy
from payouts.queries.unpaid_winnings import masked, unpaid_winnings
from pools.locks import find_pool, lock_pool
from totalizator.core import clock
from totalizator.core.csv_text import csv_bytes
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.legal import legal_number
from totalizator.core.transactions import one_transaction
from totalizator.engine.deadlines import legal_day


def note_look(*, code: str, looked_by: User) -> None:
    """Journal that somebody looks at the unpaid winnings of a pool, before anything of them is shown.

    :raises DomainError: NOT_ALLOWED; NOT_FOUND.
    """
    refuse_all_but_staff(looked_by)
    find_pool(code)
    write_journal(at=clock.now(), actor=looked_by.actor, act="view_unpaid", subject=f"pool:{code}")


def copy_unpaid_list(*, code: str, made_by: User) -> tuple[UnpaidListCopy, bytes]:
    """Make a file of the unpaid winnings of a pool: CSV, numbered, with who made it in its first line.

    :raises DomainError: NOT_ALLOWED; NOT_FOUND; LIMIT_REACHED when the day's copies are made.
    """
    refuse_all_but_staff(made_by)
    with one_transaction():
        pool = lock_pool(code)
        at = clock.now()
        day = legal_day(at)
        made = UnpaidListCopy.objects.filter(pool=pool, day=day).count()
        most = int(legal_number("unpaid_list_copies", day))
        if made >= most:
            message = gettext_lazy("Today's copies of this list are made: %(most)s.") % {"most": most}
            raise DomainError(Refusal.LIMIT_REACHED, message, limit=most)
        winnings = list(unpaid_winnings(pool).order_by("place"))
        copy = UnpaidListCopy.objects.create(
            pool=pool, day=day, number=made + 1, rows=len(winnings), made_by=made_by, made_at=at
        )
        write_journal(
            at=at,
            actor=made_by.actor,
            act="export_unpaid",
            subject=f"pool:{code}",
            after={"number": copy.number, "rows": copy.rows},
        )
    heading = _("Copy %(number)s of %(day)s for %(who)s") % {
        "number": copy.number,
        "day": day.isoformat(),
        "who": made_by.username,
    }
    rows: list[list[str | int]] = [
        [code, heading],
        [_("Ticket"), _("Amount"), _("Sold at"), _("Last day"), _("Bound to a phone"), _("Held")],
    ]
    for winning in winnings:
        until = winning.payable_until
        flags = [_("yes") if flag else "" for flag in (winning.is_bound, winning.is_held)]
        ends = (legal_day(until) - timedelta(days=1)).isoformat() if until is not None else ""
        rows.append([masked(winning.ticket), winning.amount, winning.sold_at or "", ends, *flags])
    return copy, csv_bytes(rows)
