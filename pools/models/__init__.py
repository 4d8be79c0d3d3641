"""Pools and all that is fixed about them: bets, commitment, protocol, settlement, winnings."""

from pools.models.bet_cancellations import BetCancellation, BetCancellationProposal, CancelledWhen, WinningTaken
from pools.models.bet_chunks import BetChunk
from pools.models.bet_orders import BetOrder, BetOrderState
from pools.models.bets import Bet, Channel
from pools.models.commission import (
    CommissionKey,
    ConflictDeclaration,
    KeyRevocationProposal,
    LateAnnulment,
    PoolMember,
    Protocol,
    ProtocolDissent,
    ProtocolSignature,
    ResultEntry,
)
from pools.models.corrections import AbandonedCorrection, AbandonmentProposal, Computed, CorrectedWinning, Correction
from pools.models.evidence import Evidence
from pools.models.games import Game, jackpot_owner
from pools.models.incidents import Incident, IncidentState
from pools.models.operator_keys import OperatorKey, OperatorKeyNotice
from pools.models.paper import FORM_MOVES, FormState, PaperForm, PaperRegister, WhyRefused, move_form
from pools.models.pool_archives import ArchivedPlay, PoolArchive
from pools.models.pools import Cancellation, CancellationProposal, Pool
from pools.models.provisional import AliveCount, ProvisionalResult
from pools.models.public_log import LogEntry, LogHead, LogKind, LogNode, LogStamp
from pools.models.receipt_decisions import ReceiptDecision, ReceiptProposal
from pools.models.result_feeds import FeedFormat, ResultFeed, ResultProposal
from pools.models.rules import RulesText
from pools.models.settlements import LARGE_FROM, Commitment, ComputedTwice, Settlement, SettlementState, Winning
from pools.models.settling_ranges import SettlingRange
from pools.models.sketches import PoolSketch
from pools.models.states import MOVES, PoolState, move
from pools.models.told_bets import ToldBets

__all__ = [
    "FORM_MOVES",
    "LARGE_FROM",
    "MOVES",
    "AbandonedCorrection",
    "AbandonmentProposal",
    "AliveCount",
    "ArchivedPlay",
    "Bet",
    "BetCancellation",
    "BetCancellationProposal",
    "BetChunk",
    "BetOrder",
    "BetOrderState",
    "Cancellation",
    "CancellationProposal",
    "CancelledWhen",
    "Channel",
    "CommissionKey",
    "Commitment",
    "Computed",
    "ComputedTwice",
    "ConflictDeclaration",
    "CorrectedWinning",
    "Correction",
    "Evidence",
    "FeedFormat",
    "FormState",
    "Game",
    "Incident",
    "IncidentState",
    "KeyRevocationProposal",
    "LateAnnulment",
    "LogEntry",
    "LogHead",
    "LogKind",
    "LogNode",
    "LogStamp",
    "OperatorKey",
    "OperatorKeyNotice",
    "PaperForm",
    "PaperRegister",
    "Pool",
    "PoolArchive",
    "PoolMember",
    "PoolSketch",
    "PoolState",
    "Protocol",
    "ProtocolDissent",
    "ProtocolSignature",
    "ProvisionalResult",
    "ReceiptDecision",
    "ReceiptProposal",
    "ResultEntry",
    "ResultFeed",
    "ResultProposal",
    "RulesText",
    "Settlement",
    "SettlementState",
    "SettlingRange",
    "ToldBets",
    "WhyRefused",
    "Winning",
    "WinningTaken",
    "jackpot_owner",
    "move",
    "move_form",
]
