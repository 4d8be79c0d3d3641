"""Claims at a desk: who shows what, which point is central, what two people decide."""

from datetime import date

from accounts.models import Person, Role, Till
from accounts.services.persons import person_at_desk
from payouts.models import LargePayment, Mishap, TicketClaim
from payouts.services.booking import book_payables
from payouts.services.central_desks import appoint_central_desk
from payouts.services.large_payments import approve_large_payment, prepare_large_ticket
from payouts.services.recipients import ShownDocument
from payouts.services.ticket_claims import approve_decision, open_claim, propose_decision
from pools.models import Pool
from pools.services.betting import PlacedBet
from tests.making import make_pool, make_user
from tests.paying import sell_slips
from tests.settling import settle

BORN = date(1990, 5, 31)


def shown(number: str = "CLAIM00001", name: str = "Янка Купала") -> ShownDocument:
    """What the document says of who stands before the desk."""
    return ShownDocument(name, number, BORN, "MP1234567")


def person(number: str = "CLAIM00001") -> Person:
    """The person with that document."""
    return person_at_desk(identity_number=number, birth_date=BORN)


def won(till: Till, line: int = 100, game: str = "sportloto-variant") -> tuple[Pool, PlacedBet]:
    """A settled and booked pool whose two winners won 70 % of a line each; nothing is payable yet."""
    pool = make_pool(game, terms={"price": {"line": line}} if game.startswith("sportloto") else None)
    slip, _other = sell_slips(pool, till, ("1", line), ("1", line))
    settle(pool, "1")
    book_payables(code=pool.code)
    return pool, slip


def make_central(till: Till) -> Till:
    """Make the till's point a central desk."""
    appoint_central_desk(point=till.point, is_central=True, reason="Large winnings", by=make_user(Role.ORGANIZER))
    return till


def prepared(slip: PlacedBet, till: Till, number: str = "CLAIM00001") -> LargePayment:
    """A large payment, prepared at the till."""
    assert till.cashier is not None
    return prepare_large_ticket(
        ticket=slip.bet.ticket, check_code=slip.check_code, shown=shown(number), cashier=till.cashier
    )


def approved(payment: LargePayment) -> LargePayment:
    """The same, approved by one of the staff."""
    approve_large_payment(payment=payment, approved_by=make_user(Role.ORGANIZER))
    return payment


def claimed(slip: PlacedBet, till: Till, number: str = "CLAIM00001", *, with_code: bool = False) -> TicketClaim:
    """A claim to a lost ticket, taken at the till."""
    assert till.cashier is not None
    return open_claim(
        ticket=slip.bet.ticket,
        mishap=Mishap.LOST,
        story="Bought on Monday.",
        shown=shown(number),
        opened_by=till.cashier,
        check_code=slip.check_code if with_code else "",
    )


def decided(claim: TicketClaim, *, grant: bool) -> TicketClaim:
    """The claim after two of the staff have decided."""
    proposal = propose_decision(
        claim=claim, grant=grant, reason="As the till's tape shows", proposed_by=make_user(Role.ORGANIZER)
    )
    approve_decision(proposal=proposal, approved_by=make_user(Role.ORGANIZER))
    claim.refresh_from_db()
    return claim
