"""Bets on paper, while the equipment is down: pre-numbered forms, entered before the pool closes (¶9.10, C8)."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from accounts.models import BettingPoint, Person, Till
from pools.models.pools import Pool
from totalizator.core.errors import DomainError, Refusal


class PaperRegister(models.Model):
    """Forms with the numbers from `first` to `last`, issued to a point. Append-only; no number is issued twice."""

    point = models.ForeignKey(BettingPoint, on_delete=models.PROTECT, related_name="paper_registers")
    jackpot = models.CharField(max_length=10, help_text="The kind of game printed on it: `sportloto`, `totolot`.")
    first = models.BigIntegerField()
    last = models.BigIntegerField()
    issued_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    issued_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(first__gt=0, last__gte=F("first")), name="pools_register_has_forms")
        ]

    def __str__(self) -> str:
        return f"{self.first}-{self.last}"


class FormState(models.TextChoices):
    """Where a form stands."""

    ENTERED = "entered", _("entered, to be approved")
    REGISTERED = "registered", _("registered as a bet")
    TO_RETURN = "to_return", _("refused, its money to be returned")
    RETURNED = "returned", _("returned")
    JACKPOT = "jackpot", _("to the jackpot (¶17.1-17.2)")
    SPOILED = "spoiled", _("spoiled")


FORM_MOVES: Mapping[FormState, frozenset[FormState]] = {
    FormState.ENTERED: frozenset({FormState.REGISTERED, FormState.TO_RETURN}),
    FormState.TO_RETURN: frozenset({FormState.RETURNED, FormState.JACKPOT}),
    FormState.REGISTERED: frozenset(),
    FormState.RETURNED: frozenset(),
    FormState.JACKPOT: frozenset(),
    FormState.SPOILED: frozenset(),
}


_REFUSED = ["to_return", "returned", "jackpot"]


class WhyRefused(models.TextChoices):
    """Why a form is no bet."""

    LATE = "late", _("the pool was closed (¶9.10)")
    MISSING = "missing", _("requisites missing (¶17.1)")
    UNREADABLE = "unreadable", _("requisites unreadable (¶17.2)")
    REJECTED = "rejected", _("not as on the paper")


class PaperForm(models.Model):
    """One form. Its number is used once."""

    number = models.BigIntegerField(primary_key=True)
    register = models.ForeignKey(PaperRegister, on_delete=models.PROTECT, related_name="forms")
    state = models.CharField(max_length=10, choices=FormState)
    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, null=True, related_name="paper_forms")
    selections = models.TextField(blank=True)
    stake = models.BigIntegerField(null=True, help_text="Kopecks taken for it.")
    person = models.ForeignKey(
        Person, on_delete=models.PROTECT, null=True, related_name="+", help_text="Who showed a document (X15)."
    )
    written_at = models.DateTimeField(null=True, help_text="As on the paper; what counts is when it was entered.")
    till = models.ForeignKey(Till, on_delete=models.PROTECT, related_name="+")
    entered_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    entered_at = models.DateTimeField(help_text="By the database's clock.")
    why = models.CharField(max_length=10, choices=WhyRefused, blank=True)
    note = models.CharField(max_length=200, blank=True, help_text="What spoiled it, the receipt of its return.")
    proposed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+", help_text="The jackpot."
    )
    approved_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    approved_at = models.DateTimeField(null=True)
    ticket = models.CharField(max_length=40, null=True, unique=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state="registered", ticket__isnull=False)
                | (~Q(state="registered") & Q(ticket__isnull=True)),
                name="pools_form_registered_iff_bet",
            ),
            models.CheckConstraint(
                condition=(Q(state__in=_REFUSED) & ~Q(why="")) | (~Q(state__in=_REFUSED) & Q(why="")),
                name="pools_form_refused_for_why",
            ),
            models.CheckConstraint(
                condition=~Q(state="registered") | ~Q(entered_by=F("approved_by")), name="pools_form_by_two"
            ),
            models.CheckConstraint(
                condition=~Q(state="jackpot") | ~Q(proposed_by=F("approved_by")), name="pools_form_jackpot_by_two"
            ),
        ]
        indexes = [
            models.Index(fields=["number"], name="pools_forms_open", condition=Q(state__in=["entered", "to_return"]))
        ]

    def __str__(self) -> str:
        return f"form {self.number}"


def move_form(form: PaperForm, to: FormState, **changes: Any) -> None:
    """Take `form` from the state it was read in to `to`, setting `changes`, if nobody moved it meanwhile.

    :raises DomainError: WRONG_STATE when the table does not allow the move, or the row has moved on.
    """
    came_from, moved = FormState(form.state), 0
    if to in FORM_MOVES[came_from]:
        moved = PaperForm.objects.filter(pk=form.pk, state=came_from).update(state=to, **changes)
    if not moved:
        message = _("The form is: %(state)s; it cannot become: %(wanted)s.")
        raise DomainError(
            Refusal.WRONG_STATE, message % {"state": came_from.label, "wanted": to.label}, state=came_from.value
        )
    form.state = to
    for name, value in changes.items():
        setattr(form, name, value)
