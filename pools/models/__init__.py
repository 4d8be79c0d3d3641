"""Pools and all that is fixed about them: bets, commitment, protocol, settlement, winnings."""

from pools.models.bets import Bet, Channel
from pools.models.commission import CommissionKey, PoolMember, Protocol, ProtocolSignature, ResultEntry
from pools.models.games import Game, jackpot_owner
from pools.models.incidents import Incident, IncidentState
from pools.models.pools import Cancellation, CancellationProposal, Pool
from pools.models.rules import RulesText
from pools.models.settlements import Commitment, Settlement, SettlementState, Winning
from pools.models.states import MOVES, PoolState, move

__all__ = [
    "MOVES",
    "Bet",
    "Cancellation",
    "CancellationProposal",
    "Channel",
    "CommissionKey",
    "Commitment",
    "Game",
    "Incident",
    "IncidentState",
    "Pool",
    "PoolMember",
    "PoolState",
    "Protocol",
    "ProtocolSignature",
    "ResultEntry",
    "RulesText",
    "Settlement",
    "SettlementState",
    "Winning",
    "jackpot_owner",
    "move",
]
