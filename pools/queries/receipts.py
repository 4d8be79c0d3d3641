"""Money that came by transfer and waits: for the job, or for two people."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from django.db.models import QuerySet

from accounts.models import BankLine, Receipt, WhyOpen
from pools.models import ReceiptProposal
from totalizator.core.errors import Refusal
from totalizator.core.problem import TITLES


@dataclass(frozen=True, slots=True)
class UnmatchedLine:
    """One line of the queue; `open_amount` kopecks wait. `proposal` is what somebody asks another to approve.

    `refusal` is the code of what the account or the pool refused, if one did; `refusal_told` says it to the reader.
    """

    receipt: Receipt
    booked_on: date
    open_amount: int
    why: WhyOpen
    reference: str
    refusal: str
    payer_name: str
    payer_account: str
    payer_address: str
    purpose: str
    proposal: ReceiptProposal | None

    @property
    def refusal_told(self) -> str:
        """The refusal in the language that is active."""
        return str(TITLES[Refusal(self.refusal)]) if self.refusal else ""


def new_receipts() -> QuerySet[Receipt, int]:
    """Return the lines that nobody has looked at, from the oldest."""
    return Receipt.objects.filter(why=WhyOpen.NEW).order_by("pk").values_list("pk", flat=True)


def unmatched_lines() -> Iterator[UnmatchedLine]:
    """Yield what waits for a decision, from the oldest."""
    waiting = Receipt.objects.exclude(why__in=[WhyOpen.NEW, WhyOpen.PLACED]).select_related("line__words")
    for receipt in waiting.order_by("line__booked_on", "pk"):
        words = receipt.line.words
        yield UnmatchedLine(
            receipt=receipt,
            booked_on=receipt.line.booked_on,
            open_amount=receipt.open_amount,
            why=WhyOpen(receipt.why),
            reference=receipt.reference,
            refusal=receipt.refusal,
            payer_name=words.party_name,
            payer_account=words.party_account,
            payer_address=words.party_address,
            purpose=words.purpose,
            proposal=standing_proposal(receipt),
        )


def standing_proposal(receipt: Receipt) -> ReceiptProposal | None:
    """Return the latest proposal, unless it was decided."""
    latest = ReceiptProposal.objects.filter(receipt=receipt).order_by("-pk").first()
    return latest if latest is not None and not hasattr(latest, "decision") else None


def unexplained_debits() -> QuerySet[BankLine]:
    """Return what left the bank account without a payment order of ours: fees, and whatever else."""
    return BankLine.objects.filter(is_credit=False, order__isnull=True).select_related("words").order_by("pk")
