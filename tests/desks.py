"""Making a betting point that may sell: its papers, its equipment, its shift."""

from datetime import date
from itertools import count

from django.db import transaction

from accounts.models import (
    Agent,
    BettingPoint,
    DocumentKind,
    PointDocument,
    PointKind,
    Role,
    Shift,
    TakingsAgreement,
    Terminal,
    Till,
    User,
)
from accounts.queries.shifts import lock_counters
from accounts.services.agents import register_agent
from accounts.services.bank_terms import record_takings_agreement
from accounts.services.equipment import register_certificate
from accounts.services.point_documents import file_document
from accounts.services.points import register_point
from accounts.services.shifts import close_shift, open_shift
from accounts.services.terminals import NewKey, register_terminal, synchronise

FIRST, LAST = date(2020, 1, 1), date(2049, 12, 31)
SCAN = b"%PDF-1.4 the scan of a document"
_number = count(1)


def keeper() -> User:
    """The organizer's person who keeps the register of points."""
    known = User.objects.filter(username="keeper").first()
    return known or User.objects.create_user(
        username="keeper", password="correct horse battery", email="keeper@example.com", role=Role.ORGANIZER
    )


def make_agent(commission: str = "3/50", *, valid_until: date = LAST) -> Agent:
    """An agent with a contract of its own."""
    number = next(_number)
    return register_agent(
        name=f"Agent {number}",
        contract_number=f"A-{number}",
        valid_from=FIRST,
        valid_until=valid_until,
        commission=commission,
        by=keeper(),
    )


def make_point(
    code: str,
    *,
    kind: PointKind = PointKind.OWN,
    agent: Agent | None = None,
    time_zone: str = "Europe/Minsk",
    papers: bool = True,
) -> BettingPoint:
    """A point with all its papers, and an agreement of the bank on payouts out of takings."""
    point = register_point(code=code, name=f"Point {code}", kind=kind, by=keeper(), time_zone=time_zone, agent=agent)
    if papers and kind != PointKind.EVENT_SITE:
        for document in DocumentKind:
            file_paper(point, document)
    if not TakingsAgreement.objects.filter(point__isnull=True).exists():
        record_takings_agreement(number="B-1", bank="The bank", valid_from=FIRST, valid_until=LAST, by=keeper())
    return point


def file_paper(
    point: BettingPoint,
    kind: DocumentKind,
    *,
    valid_from: date = FIRST,
    valid_until: date | None = LAST,
    content: bytes = SCAN,
) -> PointDocument:
    """One document of the point."""
    return file_document(
        point=point,
        kind=kind,
        number=f"{kind}-1",
        valid_from=valid_from,
        valid_until=valid_until,
        content=content,
        original_name="scan.pdf",
        by=keeper(),
    )


def certify(equipment: Till | Terminal, *, valid_from: date = FIRST, valid_until: date = LAST) -> None:
    """An examination certificate (¶7)."""
    register_certificate(equipment=equipment, number="C-1", valid_from=valid_from, valid_until=valid_until, by=keeper())


def make_terminal(till: Till, *, public_key: str | None = None, ready: bool = True) -> NewKey:
    """A terminal at the till; `ready`: with a certificate, and in touch."""
    made = register_terminal(till=till, serial=f"S-{next(_number)}", by=keeper(), public_key=public_key)
    if ready:
        certify(made.terminal)
        synchronise(terminal=made.terminal)
    return made


def cash_in(till: Till) -> int:
    """What the ledger says is in the till, in kopecks."""
    with transaction.atomic():
        return lock_counters(till.ledger_account).cash


def begin_shift(till: Till) -> Shift:
    """Open a shift with what is in the till."""
    assert till.cashier is not None
    return open_shift(till=till, cashier=till.cashier, counted=cash_in(till))


def end_shift(till: Till, *, counted: int | None = None, reason: str = "") -> Shift:
    """Close the till's shift with what is in it, or with another count."""
    shift = Shift.objects.get(till=till, closed_at__isnull=True)
    found = cash_in(till) if counted is None else counted
    return close_shift(shift=shift, counted=found, closed_by=shift.cashier, reason=reason)
