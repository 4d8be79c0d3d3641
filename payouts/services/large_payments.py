"""Large winnings in cash: only at a central desk, to a person by name, by two people (K1, Q1)."""

from datetime import datetime

from django.utils.translation import gettext_lazy as _

from accounts.models import Person, Till, User
from accounts.services.staff import refuse_all_but_staff, refuse_same_person
from payouts.locks import lock_payables_of
from payouts.models import LargeApproval, LargePayment, Payable
from payouts.queries.central_desks import central_points, is_large
from payouts.queries.tickets import find_ticket, standing_payable
from payouts.services.held_tickets import refuse_held
from payouts.services.owed_now import owed_now
from payouts.services.recipients import ShownDocument, note_recipient
from pools.models import Bet
from pools.services.sources import from_till
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


def prepare_large_payment(
    *, bet: Bet, shown: ShownDocument, cashier: User, claimed_in_time: bool = False
) -> LargePayment:
    """Prepare the payment of a large winning to who shows a document at this central desk; another person approves it.

    The caller has seen the right to it: the check code (`find_ticket`), or a claim that is granted.

    :raises DomainError: NOT_ALLOWED for who is no cashier at a till; CENTRAL_DESK_ONLY; WRONG_STATE when the winning is
        not large; what `owed_now` refuses; BAD_VALUE; UNDER_AGE.
    """
    till = from_till(cashier).till
    assert till is not None
    with one_transaction():
        payable = standing_payable(lock_payables_of(bet.pool_id, bet.ticket))
        at = clock.now()
        owed = owed_now(bet, payable, at, claimed_in_time=claimed_in_time)
        if not is_large(owed, at):
            raise DomainError(Refusal.WRONG_STATE, _("This needs no approval: pay it."))
        _refuse_elsewhere(till)
        person = note_recipient(shown, at=at, actor=cashier.actor)
        prepared = LargePayment.objects.create(
            pool_id=bet.pool_id,
            ticket=bet.ticket,
            amount=owed.amount,
            person=person,
            point=till.point,
            prepared_by=cashier,
            prepared_at=at,
        )
        write_journal(
            at=at,
            actor=cashier.actor,
            act="prepare_large_payment",
            subject=f"bet:{bet.ticket}",
            after={"number": prepared.pk, "amount": owed.amount, "person": person.pk, "point": till.point.code},
        )
    return prepared


def prepare_large_ticket(*, ticket: str, check_code: str, shown: ShownDocument, cashier: User) -> LargePayment:
    """Prepare the payment of a large winning to who brings the ticket.

    :raises DomainError: WRONG_CODE; TICKET_HELD; as `prepare_large_payment`.
    """
    bet = find_ticket(ticket, check_code)
    refuse_held(bet)
    return prepare_large_payment(bet=bet, shown=shown, cashier=cashier)


def approve_large_payment(*, payment: LargePayment, approved_by: User) -> LargeApproval:
    """Approve the latest that was prepared for a ticket; approved again it answers as the first time.

    :raises DomainError: NOT_ALLOWED; SAME_PERSON; WRONG_STATE when it was prepared anew, or is paid.
    """
    refuse_all_but_staff(approved_by)
    refuse_same_person(payment.prepared_by_id, approved_by)
    with one_transaction():
        payable = standing_payable(lock_payables_of(payment.pool_id, payment.ticket))
        standing = LargeApproval.objects.filter(payment=payment).first()
        if standing is not None:
            return standing
        if payable is None or payable.state != "due" or _latest(payment.pool_id, payment.ticket) != payment:
            raise DomainError(Refusal.WRONG_STATE, _("It was prepared anew or paid meanwhile; read it first."))
        at = clock.now()
        approval = LargeApproval.objects.create(
            payment=payment, prepared_by_id=payment.prepared_by_id, approved_by=approved_by, approved_at=at
        )
        write_journal(
            at=at,
            actor=approved_by.actor,
            act="approve_large_payment",
            subject=f"bet:{payment.ticket}",
            after={"number": payment.pk, "amount": payment.amount, "person": payment.person_id},
        )
    return approval


def person_of_large(payable: Payable, till: Till, person: Person | None, at: datetime) -> Person | None:
    """Return who is paid: `person`, or of a large winning the one it was approved for.

    :raises DomainError: CENTRAL_DESK_ONLY, with the points that pay it; APPROVAL_NEEDED until two people have agreed
        on this sum at this point; NOT_ALLOWED when somebody else is to be paid than was approved.
    """
    if not is_large(payable, at):
        return person
    _refuse_elsewhere(till)
    prepared = _latest(payable.pool_id, payable.ticket)
    if prepared is None or prepared.amount != payable.amount or prepared.point_id != till.point_id:
        raise DomainError(Refusal.APPROVAL_NEEDED, _("A large winning is prepared here first, and approved."))
    if not LargeApproval.objects.filter(payment=prepared).exists():
        raise DomainError(Refusal.APPROVAL_NEEDED, _("Another person has to approve this payment first."))
    if person is not None and person.pk != prepared.person_id:
        raise DomainError(Refusal.NOT_ALLOWED, _("It was approved for another person."), field="person")
    return prepared.person


def _latest(pool_id: int, ticket: str) -> LargePayment | None:
    rows = LargePayment.objects.filter(pool_id=pool_id, ticket=ticket).select_related("person")
    return rows.order_by("-pk").first()


def _refuse_elsewhere(till: Till) -> None:
    points = list(central_points())
    if till.point_id not in [point.pk for point in points]:
        raise DomainError(
            Refusal.CENTRAL_DESK_ONLY,
            _("A winning as large as this is paid only at the central desk."),
            points=[str(point) for point in points],
        )
