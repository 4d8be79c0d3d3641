"""Betting on paper: issued forms, entered by a cashier, approved by another person."""

from itertools import count

from accounts.models import Person, Till
from pools.models import PaperForm, PaperRegister, Pool
from pools.services.paper_forms import ApprovedForm, approve_form, enter_form
from pools.services.paper_registers import issue_register
from tests.making import make_organizers
from totalizator.core import clock

_number = count(1)


def issue(till: Till, forms: int = 10, game: str = "sportloto") -> PaperRegister:
    """Issue new forms to the till's point."""
    first = 1_000 * next(_number)
    one, _other = make_organizers()
    return issue_register(point=till.point, game=game, first=first, last=first + forms - 1, issued_by=one)


def enter(
    pool: Pool, till: Till, number: int, selections: str = "1", stake: int = 100, *, person: Person | None = None
) -> PaperForm:
    """Enter a form that was just written."""
    assert till.cashier is not None
    return enter_form(
        number=number,
        pool_code=pool.code,
        selections=selections,
        stake=stake,
        written_at=clock.now(),
        cashier=till.cashier,
        person=person,
    )


def sell_on_paper(pool: Pool, till: Till, selections: str = "1") -> ApprovedForm:
    """One form, issued, entered and approved."""
    number = issue(till).first
    enter(pool, till, number, selections)
    return approve_form(number=number, approved_by=make_organizers()[0])
