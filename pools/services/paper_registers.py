"""Issuing pre-numbered paper forms to a point, and finding the numbers that are missing (¶9.10)."""

from django.db import IntegrityError
from django.utils.translation import gettext_lazy as _

from accounts.models import BettingPoint, User
from accounts.services.staff import refuse_all_but_staff
from pools.models import PaperRegister
from pools.queries.paper import registers_with_gaps
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.models import JournalRecord
from totalizator.core.transactions import one_transaction

_JACKPOTS = ("sportloto", "totolot")
_MOST_FORMS = 100_000
_GAPS = "report_missing_forms"


def issue_register(*, point: BettingPoint, game: str, first: int, last: int, issued_by: User) -> PaperRegister:
    """Issue the forms with the numbers from `first` to `last` to a point; `game` is `sportloto` or `totolot`.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE for another game, no numbers, or numbers that were issued before.
    """
    refuse_all_but_staff(issued_by)
    if game not in _JACKPOTS:
        raise DomainError(Refusal.BAD_VALUE, _("There is no such game."), field="game")
    if not 0 < first <= last < first + _MOST_FORMS:
        raise DomainError(Refusal.BAD_VALUE, _("Give the first and the last number, 100,000 at most."), field="last")
    at = clock.now()
    try:
        with one_transaction():
            register = PaperRegister.objects.create(
                point=point, jackpot=game, first=first, last=last, issued_by=issued_by, issued_at=at
            )
            write_journal(
                at=at,
                actor=issued_by.actor,
                act="issue_register",
                subject=f"paper_register:{register.pk}",
                after={"point": point.code, "game": game, "first": first, "last": last},
            )
    except IntegrityError as fault:
        message = _("Some of these numbers were issued before.")
        raise DomainError(Refusal.BAD_VALUE, message, field="first") from fault
    return register


def report_missing_forms() -> int:
    """Journal, once a day for each register, the numbers that were passed over; return how many registers have any."""
    today, reported = clock.today().isoformat(), 0
    for register, gaps in registers_with_gaps():
        subject = f"paper_register:{register.pk}"
        with one_transaction():
            told = JournalRecord.objects.filter(subject=subject, act=_GAPS, after__day=today).exists()
            if not told:
                write_journal(
                    at=clock.now(),
                    actor=f"task:{_GAPS}",
                    act=_GAPS,
                    subject=subject,
                    after={"day": today, "missing": [f"{first}-{last}" for first, last in gaps]},
                )
        reported += 1
    return reported
