"""What the organizer owes on tickets, and the payments made."""

from payouts.models.agent_commissions import AgentCommission, CommissionsPosted
from payouts.models.bookings import Booking
from payouts.models.cash_wishes import CashWish
from payouts.models.central_desks import CentralDesk
from payouts.models.corrections import (
    CorrectedPayable,
    CorrectionBooking,
    CorrectionOutcome,
    OverpaidCase,
    OverpaidDecision,
    OverpaidProposal,
    OverpaidState,
)
from payouts.models.dispute_documents import DisputeDocument
from payouts.models.disputes import DISPUTE_MOVES, OPEN_DISPUTES, Dispute, DisputeKind, DisputeState, DisputeStep
from payouts.models.insider_wins import PublishedInsiderWins
from payouts.models.large_payments import LargeApproval, LargePayment
from payouts.models.notice_choices import NoticeChoice
from payouts.models.notices import NoticeKind, NoticePhone, PoolNotices, WinnerNotice
from payouts.models.payables import MOVES, WINNINGS, Payable, PayableKind, PayableState, Payment, PaymentMethod
from payouts.models.phones import CodePurpose, MessageTry, PhoneBinding, PhoneCode, TextMessage
from payouts.models.publications import (
    ConsentWay,
    ConsentWithdrawal,
    Publication,
    PublicationConsent,
    PublicationProposal,
)
from payouts.models.receivable_payments import ReceivablePayment
from payouts.models.recipients import FormerRecipient, Recipient
from payouts.models.refund_lapses import RefundLapse, RefundLapseProposal
from payouts.models.result_claims import ResultClaim, ResultClaimAnswer, ResultClaimState
from payouts.models.term_extensions import TermExtended, TermExtension
from payouts.models.ticket_claims import (
    CLAIM_MOVES,
    LIVE,
    ClaimDecision,
    ClaimProposal,
    ClaimState,
    Mishap,
    TicketClaim,
    TimeGivenBack,
)
from payouts.models.ticket_owners import CreditWish, TicketOwner
from payouts.models.ticket_scans import TicketScan
from payouts.models.unpaid_copies import UnpaidListCopy

__all__ = [
    "CLAIM_MOVES",
    "DISPUTE_MOVES",
    "LIVE",
    "MOVES",
    "OPEN_DISPUTES",
    "WINNINGS",
    "AgentCommission",
    "Booking",
    "CashWish",
    "CentralDesk",
    "ClaimDecision",
    "ClaimProposal",
    "ClaimState",
    "CodePurpose",
    "CommissionsPosted",
    "ConsentWay",
    "ConsentWithdrawal",
    "CorrectedPayable",
    "CorrectionBooking",
    "CorrectionOutcome",
    "CreditWish",
    "Dispute",
    "DisputeDocument",
    "DisputeKind",
    "DisputeState",
    "DisputeStep",
    "FormerRecipient",
    "LargeApproval",
    "LargePayment",
    "MessageTry",
    "Mishap",
    "NoticeChoice",
    "NoticeKind",
    "NoticePhone",
    "OverpaidCase",
    "OverpaidDecision",
    "OverpaidProposal",
    "OverpaidState",
    "Payable",
    "PayableKind",
    "PayableState",
    "Payment",
    "PaymentMethod",
    "PhoneBinding",
    "PhoneCode",
    "PoolNotices",
    "Publication",
    "PublicationConsent",
    "PublicationProposal",
    "PublishedInsiderWins",
    "ReceivablePayment",
    "Recipient",
    "RefundLapse",
    "RefundLapseProposal",
    "ResultClaim",
    "ResultClaimAnswer",
    "ResultClaimState",
    "TermExtended",
    "TermExtension",
    "TextMessage",
    "TicketClaim",
    "TicketOwner",
    "TicketScan",
    "TimeGivenBack",
    "UnpaidListCopy",
    "WinnerNotice",
]
