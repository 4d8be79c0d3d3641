"""People, the places and accounts that money comes from, and the ledger."""

from accounts.ledger.models import HOUSE_BOOK, Entry, LedgerAccount, Transfer
from accounts.models.consents import Consent
from accounts.models.decisions import AccountAct, AccountDecision, AccountProposal
from accounts.models.exclusions import (
    Exclusion,
    ExclusionKind,
    ForwardedExclusion,
    RegisterImport,
    RestrictedPerson,
)
from accounts.models.game_accounts import EFFECTS, AccountState, GameAccount
from accounts.models.identities import DeskCheck, DeskResult, Identity, Verification, VerificationMethod
from accounts.models.insiders import Insider, InsiderKind
from accounts.models.limits import LimitKind, LimitPeriod, LimitRaise, PlayLimit
from accounts.models.persons import Person, Trait, TraitKind
from accounts.models.points import BettingPoint, Till
from accounts.models.users import Role, User

__all__ = [
    "EFFECTS",
    "HOUSE_BOOK",
    "AccountAct",
    "AccountDecision",
    "AccountProposal",
    "AccountState",
    "BettingPoint",
    "Consent",
    "DeskCheck",
    "DeskResult",
    "Entry",
    "Exclusion",
    "ExclusionKind",
    "ForwardedExclusion",
    "GameAccount",
    "Identity",
    "Insider",
    "InsiderKind",
    "LedgerAccount",
    "LimitKind",
    "LimitPeriod",
    "LimitRaise",
    "Person",
    "PlayLimit",
    "RegisterImport",
    "RestrictedPerson",
    "Role",
    "Till",
    "Trait",
    "TraitKind",
    "Transfer",
    "User",
    "Verification",
    "VerificationMethod",
]
