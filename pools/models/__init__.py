"""Pools and all that is fixed about them: bets, commitment, protocol, settlement, winnings."""

from pools.models.bet_chunks import BetChunk
from pools.models.bet_orders import BetOrder, BetOrderState
from pools.models.bets import Bet, Channel
from pools.models.commission import CommissionKey, PoolMember, Protocol, ProtocolSignature, ResultEntry
from pools.models.games import Game, jackpot_owner
from pools.models.incidents import Incident, IncidentState
from pools.models.paper import FORM_MOVES, FormState, PaperForm, PaperRegister, WhyRefused, move_form
from pools.models.pools import Cancellation, CancellationProposal, Pool
from pools.models.public_log import LogEntry, LogHead, LogKind, LogNode
from pools.models.receipt_decisions import ReceiptDecision, ReceiptProposal
from pools.models.rules import RulesText
from pools.models.settlements import Commitment, Settlement, SettlementState, Winning
from pools.models.states import MOVES, PoolState, move

__all__ = [
    "FORM_MOVES",
    "MOVES",
    "Bet",
    "BetChunk",
    "BetOrder",
    "BetOrderState",
    "Cancellation",
    "CancellationProposal",
    "Channel",
    "CommissionKey",
    "Commitment",
    "FormState",
    "Game",
    "Incident",
    "IncidentState",
    "LogEntry",
    "LogHead",
    "LogKind",
    "LogNode",
    "PaperForm",
    "PaperRegister",
    "Pool",
    "PoolMember",
    "PoolState",
    "Protocol",
    "ProtocolSignature",
    "ReceiptDecision",
    "ReceiptProposal",
    "ResultEntry",
    "RulesText",
    "Settlement",
    "SettlementState",
    "WhyRefused",
    "Winning",
    "jackpot_owner",
    "move",
    "move_form",
]
