"""Betting points that may sell: papers on file, equipment examined, shifts open. What a run lacks is made up for."""

from dataclasses import dataclass
from datetime import timedelta
from io import BytesIO

from reportlab.lib.pagesizes import A5

from accounts.ledger.balances import balance
from accounts.models import Agent, BettingPoint, DocumentKind, PointKind, Terminal, Till, User
from accounts.queries.desks import agreement_on_takings
from accounts.queries.point_documents import missing_documents
from accounts.services.agents import register_agent
from accounts.services.bank_terms import record_takings_agreement
from accounts.services.equipment import register_certificate
from accounts.services.point_documents import file_document
from accounts.services.points import register_point
from accounts.services.shifts import open_shift, open_shift_of
from accounts.services.terminals import NewKey, register_terminal, renew_key, synchronise
from totalizator.core import clock
from totalizator.core.pdf import new_canvas

LASTS = timedelta(days=3 * 365)
CONTRACT = "DEMO-1"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a till stands: its point's code, name and address, and its number there."""

    point: tuple[str, str, str]
    number: int
    terminal: bool = False
    agent: bool = False


def standing_point(place: Place, organizer: User) -> BettingPoint:
    """Find the point, or register it."""
    code, name, address = place.point
    point = BettingPoint.objects.filter(code=code).first()
    if point is not None:
        return point
    kind, agent = (PointKind.AGENT, _agent(organizer)) if place.agent else (PointKind.OWN, None)
    return register_point(code=code, name=name, address=address, kind=kind, agent=agent, by=organizer)


def standing_terminal(till: Till, organizer: User) -> NewKey:
    """Find the terminal at a till and give it a new key, or register it; examined, and in touch."""
    standing = till.terminals.filter(closed_at__isnull=True).first()
    made = (
        register_terminal(till=till, serial=f"DEMO-{till.pk}", by=organizer)
        if standing is None
        else renew_key(terminal=standing, by=organizer)
    )
    _examine(made.terminal, organizer)
    synchronise(terminal=made.terminal)
    return made


def make_ready(till: Till, organizer: User) -> None:
    """Let the till sell and pay: what it lacks today is filed, registered, agreed and opened."""
    today = clock.today()
    until = today + LASTS
    for kind in missing_documents(till.point, today):
        file_document(
            point=till.point,
            kind=kind,
            number="1",
            valid_from=today,
            valid_until=until,
            content=_scan(kind),
            original_name=f"{kind}.pdf",
            by=organizer,
        )
    _examine(till, organizer)
    if agreement_on_takings(till, today) is None:
        record_takings_agreement(number="1", bank="Беларусбанк", valid_from=today, valid_until=until, by=organizer)
    if till.cashier is not None and open_shift_of(till) is None:
        open_shift(till=till, cashier=till.cashier, counted=balance(till.ledger_account))


def _examine(equipment: Till | Terminal, organizer: User) -> None:
    """Register an examination certificate where none is in date (¶7)."""
    today = clock.today()
    if not equipment.certificates.filter(valid_from__lte=today, valid_until__gte=today).exists():
        number = f"BY-{equipment._meta.model_name}-{equipment.pk}"
        register_certificate(
            equipment=equipment, number=number, valid_from=today, valid_until=today + LASTS, by=organizer
        )


def _agent(organizer: User) -> Agent:
    """Find the agent, or make the contract (¶35.1)."""
    standing = Agent.objects.filter(contract_number=CONTRACT).first()
    today = clock.today()
    return standing or register_agent(
        name="ООО «Агент»",
        contract_number=CONTRACT,
        valid_from=today,
        valid_until=today + LASTS,
        commission="3/50",
        by=organizer,
    )


def _scan(kind: DocumentKind) -> bytes:
    """Return a page that stands for a scan."""
    buffer = BytesIO()
    canvas = new_canvas(buffer, A5, str(kind.label))
    canvas.drawString(72, 480, f"{kind.label}: demo")
    canvas.showPage()
    canvas.save()
    return buffer.getvalue()
