"""Claims of who has lost a cash ticket, or whose ticket cannot be read any more (K4)."""

from collections.abc import Mapping

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from accounts.models import Person
from pools.models import Pool
from totalizator.core.encrypted import EncryptedTextField


class Mishap(models.TextChoices):
    """What became of the ticket."""

    LOST = "lost", _("lost")
    DAMAGED = "damaged", _("damaged")


class ClaimState(models.TextChoices):
    """Where a claim stands."""

    OPEN = "open", _("to be decided")
    DISPUTED = "disputed", _("disputed: more than one person claims it")
    GRANTED = "granted", _("granted")
    PAID = "paid", _("paid to the claimant")
    REFUSED = "refused", _("refused")
    LAPSED = "lapsed", _("lapsed")


CLAIM_MOVES: Mapping[ClaimState, frozenset[ClaimState]] = {
    ClaimState.OPEN: frozenset({ClaimState.DISPUTED, ClaimState.GRANTED, ClaimState.REFUSED, ClaimState.LAPSED}),
    ClaimState.DISPUTED: frozenset({ClaimState.GRANTED, ClaimState.REFUSED}),
    ClaimState.GRANTED: frozenset({ClaimState.DISPUTED, ClaimState.PAID, ClaimState.REFUSED, ClaimState.LAPSED}),
    ClaimState.PAID: frozenset(),
    ClaimState.REFUSED: frozenset(),
    ClaimState.LAPSED: frozenset(),
}
# While a ticket has a claim in one of these states it is paid to nobody but by that claim.
LIVE = (ClaimState.OPEN, ClaimState.DISPUTED, ClaimState.GRANTED)


class TicketClaim(models.Model):
    """One person's claim to the money of one cash ticket. Only its state moves."""

    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="ticket_claims", db_index=False)
    ticket = models.CharField(max_length=40)
    person = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="ticket_claims")
    mishap = models.CharField(max_length=8, choices=Mishap)
    story = EncryptedTextField(help_text="In the claimant's words: where and when it was bought, what was bet.")
    code_shown = models.BooleanField(help_text="Whether the claimant knew the check code.")
    opened_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    opened_at = models.DateTimeField()
    state = models.CharField(max_length=8, choices=ClaimState, default=ClaimState.OPEN)
    moved_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["pool", "ticket", "person"],
                condition=Q(state__in=("open", "disputed", "granted")),
                name="payouts_one_live_claim_a_person",
            )
        ]
        indexes = [
            models.Index(
                fields=["pool", "ticket"],
                condition=Q(state__in=("open", "disputed", "granted")),
                name="payouts_live_claims",
            )
        ]

    def __str__(self) -> str:
        return f"claim {self.pk}"

    @property
    def subject(self) -> str:
        """How the journal names the ticket that it is about."""
        return f"bet:{self.ticket}"


class ClaimProposal(models.Model):
    """What one of the organizer's staff asks another to approve; the latest one counts. Append-only."""

    claim = models.ForeignKey(TicketClaim, on_delete=models.PROTECT, related_name="proposals")
    grant = models.BooleanField(help_text="Pay the claimant; or refuse the claim.")
    reason = models.CharField(max_length=500)
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    proposed_at = models.DateTimeField()


class ClaimDecision(models.Model):
    """A proposal that was approved, and the two people. Append-only."""

    proposal = models.OneToOneField(ClaimProposal, on_delete=models.PROTECT, primary_key=True, related_name="decision")
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    approved_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    decided_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(proposed_by=F("approved_by")), name="payouts_claim_decided_by_two")
        ]


class TimeGivenBack(models.Model):
    """That the term of a ticket was made longer because it was held in it (K4, ¶45). Append-only."""

    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="+", db_index=False)
    ticket = models.CharField(max_length=40)
    kind = models.CharField(max_length=10, help_text="Of the payable.")
    held_from = models.DateTimeField()
    ended_before = models.DateTimeField(help_text="The end of the term until now.")
    ends = models.DateTimeField(help_text="Exclusive.")
    given_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["pool", "ticket", "kind", "ends"], name="payouts_time_given_back_once"),
            models.CheckConstraint(
                condition=Q(held_from__lt=F("ended_before"), ended_before__lt=F("ends")),
                name="payouts_held_in_the_term",
            ),
        ]
