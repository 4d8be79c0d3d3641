"""Contracted agents (¶35.1): their contracts, and how long these run."""

from datetime import date
from fractions import Fraction

from django.utils.translation import gettext_lazy as _

from accounts.models import Agent, User
from accounts.services.staff import refuse_all_but_staff, written
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


def register_agent(
    *, name: str, contract_number: str, valid_from: date, valid_until: date, commission: str, by: User
) -> Agent:
    """Register an agent with its contract; `commission` is an exact part of the stakes, such as `3/50` (¶35.1).

    :raises DomainError: NOT_ALLOWED; BAD_VALUE for an empty name or number, a number known before, a contract that
        ends before it begins, or a commission that is no part from 0 to 1.
    """
    refuse_all_but_staff(by)
    number = written(contract_number, field="contract_number", most=36)
    if valid_until < valid_from:
        raise DomainError(Refusal.BAD_VALUE, _("It ends before it begins."), field="valid_until")
    with one_transaction():
        if Agent.objects.filter(contract_number=number).exists():
            raise DomainError(Refusal.BAD_VALUE, _("This contract is registered."), field="contract_number")
        agent = Agent.objects.create(
            name=written(name, field="name"),
            contract_number=number,
            valid_from=valid_from,
            valid_until=valid_until,
            commission=_part(commission),
        )
        write_journal(
            at=clock.now(),
            actor=by.actor,
            act="register_agent",
            subject=f"agent:{agent.pk}",
            after={"contract": number, "commission": agent.commission, "until": valid_until.isoformat()},
        )
    return agent


def extend_contract(*, agent: Agent, valid_until: date, document: str, by: User) -> Agent:
    """Let an agent's contract run on under the same commission; another commission is another contract.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE without a document, or for a day that is not later.
    """
    refuse_all_but_staff(by)
    document = written(document, field="document", most=100)
    with one_transaction():
        standing = Agent.objects.select_for_update(no_key=True).get(pk=agent.pk)
        if valid_until <= standing.valid_until:
            raise DomainError(Refusal.BAD_VALUE, _("Name a later day."), field="valid_until")
        before, standing.valid_until = standing.valid_until, valid_until
        standing.save(update_fields=["valid_until"])
        write_journal(
            at=clock.now(),
            actor=by.actor,
            act="extend_contract",
            subject=f"agent:{agent.pk}",
            before={"until": before.isoformat()},
            after={"until": valid_until.isoformat(), "document": document},
        )
    return standing


def _part(written_part: str) -> str:
    """Return a part from 0 to 1 in its shortest writing."""
    try:
        part = Fraction(written_part)
    except (ValueError, ZeroDivisionError):
        part = Fraction(-1)
    if not 0 <= part <= 1 or len(str(part)) > 20:
        message = _("Give the commission as an exact part, such as 3/50.")
        raise DomainError(Refusal.BAD_VALUE, message, field="commission")
    return str(part)
