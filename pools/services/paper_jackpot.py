"""The money of Sportloto forms without requisites goes to the jackpot, by a decision of two people (¶17.1, ¶17.2)."""

from django.utils.translation import gettext_lazy as _

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import Movement, ledger_account, post
from accounts.models import User
from accounts.queries.jackpots import heir_of
from accounts.services.desks import refuse_to_sell
from accounts.services.staff import refuse_all_but_staff, refuse_same_person, written
from pools.locks import lock_jackpot, lock_paper_form
from pools.models import FormState, PaperForm, WhyRefused, move_form
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction

_SPORTLOTO = "sportloto"
_KINDS = {
    WhyRefused.MISSING: TransferKind.JACKPOT_REQUISITES,
    WhyRefused.UNREADABLE: TransferKind.JACKPOT_UNREADABLE,
}


def propose_form_to_jackpot(*, number: int, reason: str, proposed_by: User) -> PaperForm:
    """Propose that the money of a faulty form goes to the jackpot instead of back.

    :raises DomainError: NOT_ALLOWED; NOT_FOUND; BAD_VALUE; WRONG_STATE for a form that ¶17.1-17.2 do not name.
    """
    refuse_all_but_staff(proposed_by)
    reason = written(reason, field="reason")
    with one_transaction():
        form = _waiting(number)
        PaperForm.objects.filter(pk=form.pk).update(proposed_by=proposed_by)
        form.proposed_by = proposed_by
        write_journal(
            at=clock.now(),
            actor=proposed_by.actor,
            act="propose_form_to_jackpot",
            subject=f"paper_form:{number}",
            reason=reason,
        )
    return form


def approve_form_to_jackpot(*, number: int, approved_by: User) -> PaperForm:
    """Book the money of the form into its till and from there into Sportloto's jackpot.

    :raises DomainError: NOT_ALLOWED; NOT_FOUND; WRONG_STATE without a proposal; SAME_PERSON; what refuses money at the
        till, which takes it in a shift.
    """
    refuse_all_but_staff(approved_by)
    with one_transaction():
        form = _waiting(number)
        if form.proposed_by_id is None:
            raise DomainError(Refusal.WRONG_STATE, _("Nobody has proposed it."), field="number")
        refuse_same_person(form.proposed_by_id, approved_by)
        assert form.stake is not None
        lock_jackpot(_SPORTLOTO)
        at = clock.now()
        refuse_to_sell(till=form.till, cash=form.stake, now=at)
        jackpot = ledger_account(AccountKind.JACKPOT, heir_of(_SPORTLOTO))
        post(
            key=f"paper-form:{number}",
            kind=_KINDS[WhyRefused(form.why)],
            occurred_at=at,
            cause=f"paper_form:{number}",
            movements=[Movement(form.till.ledger_account, jackpot, form.stake)],
        )
        move_form(form, FormState.JACKPOT, approved_by=approved_by, approved_at=at)
        write_journal(
            at=at,
            actor=approved_by.actor,
            act="approve_form_to_jackpot",
            subject=f"paper_form:{number}",
            after={"amount": form.stake, "proposed_by": f"user:{form.proposed_by_id}"},
        )
    return form


def _waiting(number: int) -> PaperForm:
    form = lock_paper_form(number)
    if form is None:
        raise DomainError(Refusal.NOT_FOUND, _("This form was not entered."), field="number")
    named = form.state == FormState.TO_RETURN and form.why in _KINDS and form.register.jackpot == _SPORTLOTO
    if not named:
        message = _("Only the money of Sportloto forms without requisites goes to the jackpot (¶17.1, ¶17.2).")
        raise DomainError(Refusal.WRONG_STATE, message, state=form.state)
    return form
