"""People, the places and accounts that money comes from, and the ledger."""

from accounts.ledger.models import HOUSE_BOOK, Entry, LedgerAccount, Transfer
from accounts.models.game_accounts import GameAccount
from accounts.models.points import BettingPoint, Till
from accounts.models.users import Role, User

__all__ = [
    "HOUSE_BOOK",
    "BettingPoint",
    "Entry",
    "GameAccount",
    "LedgerAccount",
    "Role",
    "Till",
    "Transfer",
    "User",
]
