"""What the house asks of a payment system, whichever it is (U3): an acquirer, ЕРИП, a wallet.

Amounts are minor units of the currency. References are ours; a payment system does the same reference once.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Protocol

from accounts.models import Currency, InstrumentKind


class NotAnswered(Exception):
    """Whether the payment system has taken the call is not known: it may have."""


@dataclass(frozen=True, slots=True)
class DepositOrder:
    """A deposit to begin; the payer comes back to `return_to`."""

    reference: str
    amount: int
    currency: Currency
    return_to: str


@dataclass(frozen=True, slots=True)
class PayoutOrder:
    """A payout to the instrument that the payment system calls `token`; not to be begun after `expires_at`."""

    reference: str
    amount: int
    currency: Currency
    token: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class RefundOrder:
    """Money to give back to who paid our deposit `of`, all of it; not to be begun after `expires_at`."""

    reference: str
    of: str
    amount: int
    currency: Currency
    expires_at: datetime


class Outcome(StrEnum):
    """How a deposit or a payout stands at the payment system."""

    UNDER_WAY = "under_way"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ReportedInstrument:
    """What the money came from: `token` is the payment system's, `label` is what a person is shown."""

    kind: InstrumentKind
    token: str
    label: str


@dataclass(frozen=True, slots=True)
class Standing:
    """How the payment system says that one of our references stands."""

    outcome: Outcome
    provider_reference: str
    amount: int
    currency: Currency
    reason: str = ""
    instrument: ReportedInstrument | None = None


@dataclass(frozen=True, slots=True)
class ProviderEvent:
    """A message whose signature was right: one of our references has come to stand otherwise."""

    event_id: str
    kind: str
    reference: str
    standing: Standing
    body_digest: str


class PaymentProvider(Protocol):
    """One payment system.

    Each call to it may raise `NotAnswered`. What it refuses is a Standing that has failed, with the reason.
    """

    @property
    def name(self) -> str:
        """As in its messages' address, and in the ledger."""

    @property
    def currencies(self) -> frozenset[Currency]:
        """In which it takes money."""

    def start_deposit(self, order: DepositOrder) -> str:
        """Begin a deposit, and return the address at which the player pays.

        :raises DomainError: PROVIDER_AWAY when it does not want to.
        """

    def verify_webhook(self, headers: Mapping[str, str], body: bytes, now: datetime) -> ProviderEvent:
        """Return what a message says, whose signature and time are right.

        :raises DomainError: BAD_SIGNATURE; BAD_VALUE for a signed message that cannot be read.
        """

    def send_payout(self, order: PayoutOrder) -> Standing:
        """Send money. Called once for each reference."""

    def send_refund(self, order: RefundOrder) -> Standing:
        """Give a deposit back to its payer. Called once for each reference."""

    def status_of(self, reference: str) -> Standing | None:
        """Return how one of our references stands; None: it has never heard of it."""

    def statement_of(self, day: date) -> str:
        """Return the file of what came to an end on a legal day (`reconciliation.py` tells its form)."""
