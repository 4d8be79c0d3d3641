"""Changing a dated number: one of the staff proposes a value from a day to come, another approves it (N4, D-17).

What holds today, and what held before, never changes by it.
"""

import re
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from fractions import Fraction

from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _

from accounts.locks import hold_number_proposal
from accounts.models import NumberDecision, NumberProposal, User, WithdrawnNumber
from accounts.services.staff import refuse_all_but_staff, refuse_same_person, written
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.legal import first_value, legal_number
from totalizator.core.legal_calendar import SWITCHES
from totalizator.core.models import LegalNumber
from totalizator.core.transactions import one_transaction
from totalizator.engine.deadlines import legal_day

_NUMBER = re.compile(r"[0-9]{1,15}(/[1-9][0-9]{0,14})?")
# The largest value that means something, by the unit in a number's name; what has none is kopecks or a count.
_MOST_OF: Mapping[str, int] = {
    "milliseconds": 60_000,
    "seconds": 86_400,
    "minutes": 10_080,
    "hours": 8_784,
    "days": 36_600,
    "months": 1_200,
    "years": 100,
    "age": 150,
}
_MOST = 10**12
# Numbers that nothing can be divided or measured by when they are 0.
_LEAST: Mapping[str, int] = {"cash_step": 1, "number_change_lead_days": 1}


def propose_number(
    *, name: str, value: str, valid_from: date, source: str, reason: str, proposed_by: User
) -> NumberProposal:
    """Propose that a number has another value from a legal day on; a later proposal for that day takes its place.

    :param value: a whole number or an exact fraction, of the kind that the number has been from the first
    :raises DomainError: NOT_ALLOWED; NOT_FOUND for a number that there is not; BAD_VALUE for a value that it cannot
        have, a day too soon, and without a source or a reason.
    """
    refuse_all_but_staff(proposed_by)
    exact = _possible(name, value)
    source, reason = written(source, field="source"), written(reason, field="reason", most=2_000)
    with one_transaction():
        at = clock.now()
        _refuse_too_soon(valid_from, at)
        proposal = NumberProposal.objects.create(
            name=name,
            value=str(exact),
            valid_from=valid_from,
            source=source,
            reason=reason,
            proposed_by=proposed_by,
            proposed_at=at,
        )
        write_journal(
            at=at,
            actor=proposed_by.actor,
            act="propose_number",
            subject=f"number:{name}",
            reason=reason,
            before=_held(name, valid_from),
            after=_told(proposal),
        )
    return proposal


def approve_number(*, number: int, approved_by: User) -> NumberProposal:
    """Enter the proposed value: it holds from its day on, until the next one.

    A value that was entered for the same day before no longer counts.

    :raises DomainError: NOT_ALLOWED; NOT_FOUND; SAME_PERSON; BAD_VALUE when its day has come too near meanwhile;
        WRONG_STATE when it was approved or taken back before, or a later proposal for that day stands.
    """
    refuse_all_but_staff(approved_by)
    proposal = NumberProposal.objects.filter(pk=number).first()
    if proposal is None:
        raise DomainError(Refusal.NOT_FOUND, _("There is no such proposal."), field="number")
    refuse_same_person(proposal.proposed_by_id, approved_by)
    with one_transaction():
        at = clock.now()
        _refuse_too_soon(proposal.valid_from, at)
        hold_number_proposal(number)
        same = NumberProposal.objects.filter(name=proposal.name, valid_from=proposal.valid_from)
        withdrawn = WithdrawnNumber.objects.filter(proposal=proposal).exists()
        if withdrawn or same.latest("pk") != proposal:
            raise DomainError(Refusal.WRONG_STATE, _("This proposal does not stand any more."), field="number")
        before = _held(proposal.name, proposal.valid_from)
        try:
            with transaction.atomic():
                NumberDecision.objects.create(
                    proposal=proposal, proposed_by_id=proposal.proposed_by_id, approved_by=approved_by, decided_at=at
                )
        except IntegrityError as fault:
            raise DomainError(Refusal.WRONG_STATE, _("This proposal is approved already."), field="number") from fault
        LegalNumber.objects.create(
            name=proposal.name, valid_from=proposal.valid_from, value=proposal.value, source=proposal.source
        )
        write_journal(
            at=at,
            actor=approved_by.actor,
            act="approve_number",
            subject=f"number:{proposal.name}",
            reason=proposal.reason,
            before=before,
            after={**_told(proposal), "proposed_by": f"user:{proposal.proposed_by_id}"},
        )
    return proposal


def _possible(name: str, value: str) -> Fraction:
    first = first_value(name)
    if first is None:
        raise DomainError(Refusal.NOT_FOUND, _("There is no such number."), field="name")
    exact = Fraction(value) if _NUMBER.fullmatch(value) else None
    if exact is None or not _is_of_the_kind(name, first, exact):
        raise DomainError(Refusal.BAD_VALUE, _("The number cannot have this value."), field="value")
    return exact


def _is_of_the_kind(name: str, first: Fraction, exact: Fraction) -> bool:
    """Tell whether a part stays a part, and a whole number a whole one within reason."""
    if first.denominator != 1:
        return exact <= 1
    if name in SWITCHES:
        return exact in (0, 1)
    most = next((most for unit, most in _MOST_OF.items() if unit in name.split("_")), _MOST)
    return exact.denominator == 1 and _LEAST.get(name, 0) <= exact <= most


def _refuse_too_soon(valid_from: date, at: datetime) -> None:
    today = legal_day(at)
    soonest = today + timedelta(days=int(legal_number("number_change_lead_days", today)))
    if valid_from < soonest:
        message = _("A number changes on %(day)s at the earliest.") % {"day": soonest.strftime("%d.%m.%Y")}
        raise DomainError(Refusal.BAD_VALUE, message, field="valid_from")


def _held(name: str, on: date) -> dict[str, str]:
    return {"value": str(legal_number(name, on))}


def _told(proposal: NumberProposal) -> dict[str, str]:
    return {"value": proposal.value, "valid_from": proposal.valid_from.isoformat(), "source": proposal.source}
