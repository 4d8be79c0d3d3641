"""Who stands before the desk may or may not play: one answer, and nothing kept of the person (C9)."""

from datetime import date, datetime

from django.utils.translation import gettext_lazy as _

from accounts.models import DeskCheck, DeskResult, Role, User
from accounts.queries.standing import standing_of_number
from accounts.services.identity_numbers import number_digest, refuse_other_birth_date, spelled_number
from accounts.services.standing import refuse_barred, refuse_under_age
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


def check_person_at_desk(*, identity_number: str, birth_date: date, checked_by: User) -> DeskResult:
    """Tell a desk whether this person may bet or buy a card; only the answer, who asked and when are kept.

    Why somebody may not play is not said: own exclusion, register or another reason are one answer.

    :raises DomainError: NOT_ALLOWED for who is no cashier and not of the organizer's staff; BAD_VALUE.
    """
    if checked_by.role not in (Role.CASHIER, Role.ORGANIZER):
        raise DomainError(Refusal.NOT_ALLOWED, _("Only a cashier or the organizer's staff can do this."))
    number = spelled_number(identity_number)
    refuse_other_birth_date(number, birth_date)
    with one_transaction():
        at = clock.now()
        result = _result(number, birth_date, at)
        check = DeskCheck.objects.create(result=result, checked_by=checked_by, checked_at=at)
        write_journal(
            at=at,
            actor=checked_by.actor,
            act="check_person_at_desk",
            subject=f"desk_check:{check.pk}",
            after={"result": str(result)},
        )
    return result


def _result(number: str, birth_date: date, at: datetime) -> DeskResult:
    try:
        refuse_under_age(birth_date, at)
        refuse_barred(standing_of_number(number_digest(number), at), at)
    except DomainError as refusal:
        answers = {Refusal.UNDER_AGE: DeskResult.UNDER_AGE, Refusal.REGISTER_STALE: DeskResult.DOUBT}
        return answers.get(refusal.code, DeskResult.BARRED)
    return DeskResult.WELCOME
