"""People, the places and accounts that money comes from, and the ledger."""

from accounts.ledger.models import HOUSE_BOOK, Entry, LedgerAccount, Transfer
from accounts.models.agents import Agent
from accounts.models.cards import BatchState, CardBatch, CardReplacement, CardState, PrepaidCard
from accounts.models.consents import Consent
from accounts.models.decisions import AccountAct, AccountDecision, AccountProposal
from accounts.models.exclusions import (
    Exclusion,
    ExclusionKind,
    ForwardedExclusion,
    RegisterImport,
    RestrictedPerson,
)
from accounts.models.fiscal import FiscalDocument, FiscalKind
from accounts.models.game_accounts import EFFECTS, AccountState, GameAccount
from accounts.models.handovers import AT_A_POINT, CashLimit, Handover, HandoverState, Route, TakingsAgreement
from accounts.models.identities import DeskCheck, DeskResult, Identity, Verification, VerificationMethod
from accounts.models.insiders import Insider, InsiderKind
from accounts.models.limits import LimitKind, LimitPeriod, LimitRaise, PlayLimit
from accounts.models.persons import Person, Trait, TraitKind
from accounts.models.point_documents import DocumentKind, PointDocument
from accounts.models.points import STATIONARY, BettingPoint, PointKind, Till
from accounts.models.shifts import Shift, ZReport
from accounts.models.terminals import EquipmentCertificate, KeyKind, Terminal, TerminalNonce
from accounts.models.users import Role, User

__all__ = [
    "AT_A_POINT",
    "EFFECTS",
    "HOUSE_BOOK",
    "STATIONARY",
    "AccountAct",
    "AccountDecision",
    "AccountProposal",
    "AccountState",
    "Agent",
    "BatchState",
    "BettingPoint",
    "CardBatch",
    "CardReplacement",
    "CardState",
    "CashLimit",
    "Consent",
    "DeskCheck",
    "DeskResult",
    "DocumentKind",
    "Entry",
    "EquipmentCertificate",
    "Exclusion",
    "ExclusionKind",
    "FiscalDocument",
    "FiscalKind",
    "ForwardedExclusion",
    "GameAccount",
    "Handover",
    "HandoverState",
    "Identity",
    "Insider",
    "InsiderKind",
    "KeyKind",
    "LedgerAccount",
    "LimitKind",
    "LimitPeriod",
    "LimitRaise",
    "Person",
    "PlayLimit",
    "PointDocument",
    "PointKind",
    "PrepaidCard",
    "RegisterImport",
    "RestrictedPerson",
    "Role",
    "Route",
    "Shift",
    "TakingsAgreement",
    "Terminal",
    "TerminalNonce",
    "Till",
    "Trait",
    "TraitKind",
    "Transfer",
    "User",
    "Verification",
    "VerificationMethod",
    "ZReport",
]
