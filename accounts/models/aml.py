"""Who made a large operation, and what looks as if it were split up to avoid being asked (Q1, Q2)."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from accounts.models.persons import Person
from totalizator.core.errors import DomainError, Refusal


class IdentifiedOperation(models.Model):
    """Who showed a document for an operation at a desk, as a token that names nobody. Append-only."""

    operation = models.CharField(
        max_length=120, unique=True, help_text="Key of its transfer: `winning-paid:2411-1-…`, `card-sold:000000123457`."
    )
    person = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="identified_operations")
    noted_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    noted_at = models.DateTimeField()


class CaseKind(models.TextChoices):
    """What was noticed."""

    CASH_SPLIT = "cash_split", _("cash operations just below the threshold at one point")
    DEPOSITS_SPLIT = "deposits_split", _("deposits below the threshold onto one account")
    CARD_CHANGED_HANDS = "card_hands", _("a prepaid card bought by one person and used by another")


class CaseState(models.TextChoices):
    """Where a case stands. A case never blocks anything."""

    OPEN = "open", _("open")
    REVIEWED = "reviewed", _("reviewed")
    REPORTED = "reported", _("reported to the authority")
    CLOSED = "closed", _("closed: nothing suspicious")


CASE_MOVES: Mapping[CaseState, frozenset[CaseState]] = {
    CaseState.OPEN: frozenset({CaseState.REVIEWED}),
    CaseState.REVIEWED: frozenset({CaseState.REPORTED, CaseState.CLOSED}),
    CaseState.REPORTED: frozenset(),
    CaseState.CLOSED: frozenset(),
}


class AmlCase(models.Model):
    """Operations that somebody should look at, and what two people of the organizer's staff made of them."""

    kind = models.CharField(max_length=16, choices=CaseKind)
    subject = models.CharField(max_length=120, help_text="`point:P1`, `game_account:17`, `card:000000123457`.")
    evidence = models.JSONField(
        help_text="Operations by reference, each with its instant and kopecks, and the thresholds they were held to."
    )
    last_at = models.DateTimeField(help_text="Of the latest operation.")
    state = models.CharField(max_length=8, choices=CaseState, default=CaseState.OPEN)
    raised_at = models.DateTimeField()
    reviewed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    reviewed_at = models.DateTimeField(null=True)
    opinion = models.TextField(blank=True, help_text="Of the first person.")
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)
    decision = models.TextField(blank=True, help_text="Of the second person.")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(decided_by__isnull=True) | ~Q(decided_by=F("reviewed_by")), name="accounts_case_by_two"
            ),
            models.CheckConstraint(
                condition=Q(state="open", reviewed_by__isnull=True, decided_by__isnull=True)
                | Q(state="reviewed", reviewed_by__isnull=False, decided_by__isnull=True)
                | Q(state__in=["reported", "closed"], reviewed_by__isnull=False, decided_by__isnull=False),
                name="accounts_case_people",
            ),
        ]
        indexes = [
            models.Index(fields=["kind", "subject", "last_at"], name="accounts_cases"),
            models.Index(
                fields=["raised_at"], condition=Q(state__in=["open", "reviewed"]), name="accounts_cases_waiting"
            ),
        ]

    @property
    def journal_subject(self) -> str:
        """How the journal names this case."""
        return f"aml_case:{self.pk}"


def move_case(case: AmlCase, to: CaseState, **changes: Any) -> None:
    """Take `case` from the state it was read in to `to`, setting `changes`, if nobody moved it meanwhile.

    :raises DomainError: WRONG_STATE when the table does not allow the move, or the row has moved on.
    """
    came_from, moved = CaseState(case.state), 0
    if to in CASE_MOVES[came_from]:
        moved = AmlCase.objects.filter(pk=case.pk, state=came_from).update(state=to, **changes)
    if not moved:
        raise DomainError(
            Refusal.WRONG_STATE,
            _("The case is: %(state)s; it cannot become: %(wanted)s.") % {"state": came_from.label, "wanted": to.label},
            state=came_from.value,
        )
    case.state = to
    for name, value in changes.items():
        setattr(case, name, value)
