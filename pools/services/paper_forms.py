"""Entering paper forms, approving them, returning what came too late (¶9.10, C8).

A form is entered by a cashier and becomes a bet when a second person has compared it with the paper, both before the
pool closes by the database's clock. Its money is booked with its fate: into the till with the bet or the jackpot, or
never, when it is handed back.
"""

from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError
from django.utils.translation import gettext_lazy as _

from accounts.models import Person, Role, Till, User
from accounts.services.identified_operations import refuse_unidentified
from accounts.services.staff import written
from pools.locks import find_pool, hold_pool_shared, lock_paper_form
from pools.models import FormState, PaperForm, PaperRegister, Pool, PoolState, WhyRefused, jackpot_owner, move_form
from pools.queries.paper import forms_never_approved
from pools.services.betting import PlacedBet, place_bet, read_coupon
from pools.services.sources import from_paper_form, from_till
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction

_TASK = "task:refuse_forms_never_approved"


@dataclass(frozen=True, slots=True)
class ApprovedForm:
    """A form that was approved: with its bet, or without one when the pool had closed meanwhile."""

    form: PaperForm
    placed: PlacedBet | None


def enter_form(
    *,
    number: int,
    pool_code: str,
    selections: str,
    stake: int,
    written_at: datetime,
    cashier: User,
    person: Person | None = None,
) -> PaperForm:
    """Enter a form as it is written; after the pool's closing it is kept as refused, its money to be returned.

    `person` is who showed a document: a large stake needs one, limits and exclusions bind on paper too (X15).

    :raises DomainError: NOT_ALLOWED; NOT_FOUND for a pool or number that is not of this point; WRONG_STATE for a number
        used before; BAD_SELECTION, BAD_STAKE, TOO_MANY_LINES; NOT_OPEN_YET; BAD_VALUE for a form of another game or
        from the future; IDENTITY_NEEDED.
    """
    pool = find_pool(pool_code)
    coupon = read_coupon(pool, selections, stake)
    till = _till_of(cashier)
    with one_transaction():
        state, now = hold_pool_shared(pool.pk)
        register = _register_of(number, till)
        if jackpot_owner(pool.game) != register.jackpot:
            raise DomainError(Refusal.BAD_VALUE, _("This form is for another game."), field="number")
        if written_at > now:
            raise DomainError(Refusal.BAD_VALUE, _("The form is from the future."), field="written_at")
        if state == PoolState.DRAFT or now < pool.opens_at:
            raise DomainError(Refusal.NOT_OPEN_YET, _("The pool does not take bets yet."), field="pool")
        late = _is_closed(pool, state, now)
        if not late:
            refuse_unidentified(amount=stake, person=person, at=now)
        return _entered(
            PaperForm(
                number=number,
                register=register,
                state=FormState.TO_RETURN if late else FormState.ENTERED,
                why=WhyRefused.LATE if late else "",
                pool=pool,
                selections=coupon.selections,
                stake=stake,
                person=person,
                written_at=written_at,
                till=till,
                entered_by=cashier,
                entered_at=now,
            )
        )


def enter_faulty_form(
    *, number: int, why: WhyRefused, stake: int, written_at: datetime | None, note: str, cashier: User
) -> PaperForm:
    """Enter a form whose requisites are missing or unreadable: no bet; `stake` kopecks were taken for it.

    :raises DomainError: NOT_ALLOWED; NOT_FOUND; WRONG_STATE; BAD_VALUE for another fault or no money.
    """
    if why not in (WhyRefused.MISSING, WhyRefused.UNREADABLE):
        raise DomainError(Refusal.BAD_VALUE, _("Requisites are missing or unreadable."), field="why")
    if stake <= 0:
        raise DomainError(Refusal.BAD_VALUE, _("The amount must be above zero."), field="stake")
    return _enter_no_bet(number, FormState.TO_RETURN, note, cashier, why=why, stake=stake, written_at=written_at)


def record_spoiled_form(*, number: int, note: str, cashier: User) -> PaperForm:
    """Record a form that was spoiled and no money taken for, so that its number is no gap.

    :raises DomainError: NOT_ALLOWED; NOT_FOUND; WRONG_STATE; BAD_VALUE without a note.
    """
    return _enter_no_bet(number, FormState.SPOILED, note, cashier)


def approve_form(*, number: int, approved_by: User) -> ApprovedForm:
    """Make an entered form a bet, paid in cash at its till; approved again it answers as the first time.

    When the pool has closed meanwhile there is no bet, and the money is to be returned.

    :raises DomainError: NOT_FOUND; NOT_ALLOWED; SAME_PERSON; WRONG_STATE; what refuses a sale at the till (nothing was
        done, and approving can be tried again).
    """
    with one_transaction():
        form = _held(number)
        _refuse_approver(form, approved_by)
        if form.state not in (FormState.ENTERED, FormState.REGISTERED):
            raise _wrong_state(form)
        try:
            placed = _place(form)
        except DomainError as refusal:
            if refusal.code != Refusal.POOL_CLOSED:
                raise
            _refuse(form, WhyRefused.LATE, str(refusal.message), approved_by)
            return ApprovedForm(form, None)
        if form.state == FormState.ENTERED:
            at = clock.now()
            ticket = placed.bet.ticket
            move_form(form, FormState.REGISTERED, approved_by=approved_by, approved_at=at, ticket=ticket)
            _journal(form, "approve_form", approved_by, at, ticket=ticket)
    return ApprovedForm(form, placed)


def reject_form(*, number: int, reason: str, rejected_by: User) -> PaperForm:
    """Refuse an entered form that is not as on the paper; its money is to be returned.

    :raises DomainError: NOT_FOUND; NOT_ALLOWED; SAME_PERSON; WRONG_STATE; BAD_VALUE without a reason.
    """
    reason = written(reason, field="reason")
    with one_transaction():
        form = _held(number)
        _refuse_approver(form, rejected_by)
        _refuse(form, WhyRefused.REJECTED, reason, rejected_by)
    return form


def note_form_returned(*, number: int, document: str, returned_by: User) -> PaperForm:
    """Note that the money of a refused form was handed back, and against which receipt.

    :raises DomainError: NOT_FOUND; NOT_ALLOWED; WRONG_STATE; BAD_VALUE without a document.
    """
    document = written(document, field="document")
    with one_transaction():
        form = _held(number)
        _refuse_strangers(form, returned_by)
        move_form(form, FormState.RETURNED, note=document)
        _journal(form, "note_form_returned", returned_by, clock.now(), document=document)
    return form


def refuse_forms_never_approved() -> int:
    """Refuse the forms that nobody has approved before their pools closed, so that their money goes back; say how many.

    Each has its own transaction; run again, it does nothing.
    """
    refused = 0
    for number in list(forms_never_approved(clock.now()).values_list("number", flat=True)):
        with one_transaction():
            form = _held(number)
            if form.state == FormState.ENTERED:
                move_form(form, FormState.TO_RETURN, why=WhyRefused.LATE, note="")
                after = {"why": str(WhyRefused.LATE)}
                subject = f"paper_form:{number}"
                write_journal(at=clock.now(), actor=_TASK, act="refuse_form", subject=subject, after=after)
                refused += 1
    return refused


def _place(form: PaperForm) -> PlacedBet:
    assert form.pool is not None
    assert form.stake is not None
    return place_bet(
        pool_code=form.pool.code,
        selections=form.selections,
        stake=form.stake,
        source=from_paper_form(form),
        idempotency_key=f"paper form {form.number}",
    )


def _is_closed(pool: Pool, state: str, now: datetime) -> bool:
    return state not in (PoolState.ANNOUNCED, PoolState.OPEN) or now >= pool.closes_at


def _enter_no_bet(number: int, state: FormState, note: str, cashier: User, **columns: object) -> PaperForm:
    note = written(note, field="note")
    till = _till_of(cashier)
    with one_transaction():
        return _entered(
            PaperForm(
                number=number,
                register=_register_of(number, till),
                state=state,
                till=till,
                entered_by=cashier,
                entered_at=clock.now(),
                note=note,
                **columns,
            )
        )


def _entered(form: PaperForm) -> PaperForm:
    try:
        with one_transaction():
            form.save(force_insert=True)
    except IntegrityError as fault:
        raise DomainError(Refusal.WRONG_STATE, _("This form was entered before."), field="number") from fault
    _journal(form, "enter_form", form.entered_by, form.entered_at, state=form.state, stake=form.stake)
    return form


def _refuse(form: PaperForm, why: WhyRefused, note: str, by: User) -> None:
    move_form(form, FormState.TO_RETURN, why=why, note=note[:200])
    _journal(form, "refuse_form", by, clock.now(), why=str(why))


def _till_of(cashier: User) -> Till:
    till = from_till(cashier).till
    assert till is not None
    return till


def _register_of(number: int, till: Till) -> PaperRegister:
    register = PaperRegister.objects.filter(point_id=till.point_id, first__lte=number, last__gte=number).first()
    if register is None:
        raise DomainError(Refusal.NOT_FOUND, _("This point was issued no form with this number."), field="number")
    return register


def _held(number: int) -> PaperForm:
    form = lock_paper_form(number)
    if form is None:
        raise DomainError(Refusal.NOT_FOUND, _("This form was not entered."), field="number")
    return form


def _refuse_approver(form: PaperForm, person: User) -> None:
    _refuse_strangers(form, person)
    if person.pk == form.entered_by_id:
        raise DomainError(Refusal.SAME_PERSON, _("Another person must compare it with the paper."))


def _refuse_strangers(form: PaperForm, person: User) -> None:
    """Let the organizer's staff and the cashiers of the form's point pass."""
    colleague = Till.objects.filter(point_id=form.till.point_id, cashier=person).exists()
    if person.role != Role.ORGANIZER and not (person.role == Role.CASHIER and colleague):
        raise DomainError(Refusal.NOT_ALLOWED, _("Only this point's cashiers and the organizer's staff can do this."))


def _wrong_state(form: PaperForm) -> DomainError:
    message = _("The form is: %(state)s.") % {"state": FormState(form.state).label}
    return DomainError(Refusal.WRONG_STATE, message, state=form.state)


def _journal(form: PaperForm, act: str, by: User, at: datetime, **after: object) -> None:
    write_journal(at=at, actor=by.actor, act=act, subject=f"paper_form:{form.number}", after=after)
