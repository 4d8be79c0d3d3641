"""Who may not play, whatever the channel: blocked, excluded, restricted, an insider, too young, unknown (E1, E6, P2).

When in doubt, no: a register of restricted persons that was not read lately closes play to everyone who is known.
"""

from datetime import date, datetime

from django.utils.translation import gettext_lazy as _

from accounts.models import AccountState
from accounts.queries.standing import Standing
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.legal import legal_numbers
from totalizator.core.localtime import local_text
from totalizator.engine.deadlines import legal_day

OLDEST = 125  # years


def refuse_barred(standing: Standing, at: datetime) -> None:
    """Refuse who may neither bet nor pay in.

    :raises DomainError: NOT_ALLOWED for a test account; ACCOUNT_BLOCKED; MAY_NOT_PLAY, with the end of an own
        exclusion; REGISTER_STALE.
    """
    if standing.state in (AccountState.ENDING, AccountState.ENDED):
        raise DomainError(
            Refusal.ACCOUNT_BLOCKED,
            _("The registration has ended. Bets that were accepted run on; all money goes to the bank account."),
        )
    if standing.trial:
        raise DomainError(Refusal.NOT_ALLOWED, _("A test account takes no part: neither bets nor money (E6)."))
    if not standing.may_bet:
        raise DomainError(
            Refusal.ACCOUNT_BLOCKED,
            _("The account is blocked. Bets that were accepted run on, and the balance can be withdrawn."),
        )
    if standing.excluded_until is not None:
        until = local_text(standing.excluded_until)
        message = _("Play is excluded until %(until)s. The balance can be withdrawn.") % {"until": until}
        raise DomainError(Refusal.MAY_NOT_PLAY, message, until=standing.excluded_until)
    if standing.restricted:
        raise DomainError(
            Refusal.MAY_NOT_PLAY, _("The register of restricted persons forbids it. The balance can be withdrawn.")
        )
    if standing.insider:
        raise DomainError(
            Refusal.MAY_NOT_PLAY, _("Staff, commission members, terminals' owners and their relatives cannot bet.")
        )
    if not standing.register_is_fresh(at):
        raise DomainError(
            Refusal.REGISTER_STALE,
            _("The register of restricted persons is out of date, so nobody can play until it is read anew."),
        )


def refuse_unidentified(standing: Standing, at: datetime) -> None:
    """Refuse a player whose identity nobody has verified, or who is too young by the law of the day (E1).

    :raises DomainError: NOT_VERIFIED, UNDER_AGE.
    """
    if not standing.verified or standing.birth_date is None:
        raise DomainError(Refusal.NOT_VERIFIED, _("Bets are taken only from who has shown a document, once."))
    refuse_under_age(standing.birth_date, at)


def bar_of(standing: Standing, at: datetime) -> DomainError | None:
    """Return what keeps a player from every bet, as a bet would be refused with it; None for who may play."""
    try:
        refuse_barred(standing, at)
        refuse_unidentified(standing, at)
    except DomainError as refusal:
        return refusal
    return None


def refuse_under_age(birth_date: date, at: datetime) -> None:
    """Refuse who has not reached the minimum age by the legal day of `at`; it is reached on the birthday.

    :raises DomainError: UNDER_AGE.
    """
    least = int(legal_numbers(at)["minimum_age"])
    if age_on(birth_date, legal_day(at)) < least:
        message = _("Only persons of at least %(age)s years may take part.") % {"age": least}
        raise DomainError(Refusal.UNDER_AGE, message, minimum_age=least)


def refuse_impossible_age(birth_date: date, at: datetime) -> None:
    """Refuse the birth date of nobody alive.

    :raises DomainError: BAD_VALUE.
    """
    if not 0 <= age_on(birth_date, legal_day(at)) <= OLDEST:
        raise DomainError(Refusal.BAD_VALUE, _("Nobody alive was born on that day."), field="birth_date")


def age_on(birth_date: date, day: date) -> int:
    """Return the full years of age; who was born on 29 February comes of age on 1 March."""
    before_birthday = (day.month, day.day) < (birth_date.month, birth_date.day)
    return day.year - birth_date.year - before_birthday
