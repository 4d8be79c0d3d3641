"""People, the places and accounts that money comes from, and the ledger."""

from accounts.ledger.models import HOUSE_BOOK, Entry, LedgerAccount, Transfer
from accounts.models.agents import Agent
from accounts.models.aml import CASE_MOVES, AmlCase, CaseKind, CaseState, IdentifiedOperation
from accounts.models.api_tokens import ApiToken
from accounts.models.bank import BankLine, BankLineWords, BankStatement, OwnBankAccount
from accounts.models.bank_doubts import BankLineDecision, BankLineProposal
from accounts.models.cards import BatchState, CardBatch, CardReplacement, CardState, PrepaidCard
from accounts.models.closed_logins import LoginClosing, LoginOpening
from accounts.models.consents import Consent
from accounts.models.currencies import Currency, CurrencyRate
from accounts.models.dated_numbers import NumberDecision, NumberProposal
from accounts.models.decisions import AccountAct, AccountDecision, AccountProposal
from accounts.models.endings import DormancyNotice, Ending
from accounts.models.exclusions import (
    Exclusion,
    ExclusionKind,
    ForwardedExclusion,
    RegisterImport,
    RestrictedPerson,
    ShrunkenRegister,
)
from accounts.models.fiscal import FiscalDocument, FiscalKind
from accounts.models.game_accounts import EFFECTS, AccountState, GameAccount, TrialAccount
from accounts.models.game_ends import GameEnd, GameEndProposal, JackpotGame
from accounts.models.handovers import AT_A_POINT, CashLimit, Handover, HandoverState, Route, TakingsAgreement
from accounts.models.held_deposits import DepositReturn, HeldDeposit, HeldState, ReturnState
from accounts.models.identities import DeskCheck, DeskResult, Identity, Verification, VerificationMethod
from accounts.models.insiders import Insider, InsiderKind
from accounts.models.instruments import InstrumentKind, PaymentInstrument
from accounts.models.limits import LimitKind, LimitPeriod, LimitRaise, PlayLimit
from accounts.models.numbered_documents import DocumentCounter, NumberedDocument, NumberedKind
from accounts.models.payment_files import PaymentFile
from accounts.models.payment_orders import ORDER_MOVES, OrderState, PaymentOrder
from accounts.models.persons import Person, Trait, TraitKind
from accounts.models.point_documents import DocumentKind, PointDocument
from accounts.models.points import STATIONARY, BettingPoint, PointKind, Till
from accounts.models.postal_operators import PostalOperator
from accounts.models.postal_registers import PostalRegister
from accounts.models.providers import DepositState, Mismatch, ProviderDeposit, ProviderMessage, UnmatchedItem
from accounts.models.receipts import Outcome, Placement, Receipt, WhyOpen
from accounts.models.release_changes import ReleaseApproval, ReleaseChange
from accounts.models.roles import RoleDecision, RoleProposal
from accounts.models.shifts import Shift, ZReport
from accounts.models.terminals import EquipmentCertificate, KeyKind, Terminal, TerminalNonce
from accounts.models.topups import TopUp, TopUpWay
from accounts.models.users import Role, User
from accounts.models.withdrawal_decisions import WithdrawalDecision, WithdrawalProposal
from accounts.models.withdrawals import OPEN_STATES, Withdrawal, WithdrawalState
from accounts.models.withdrawn_proposals import WithdrawnNumber, WithdrawnRole

__all__ = [
    "AT_A_POINT",
    "CASE_MOVES",
    "EFFECTS",
    "HOUSE_BOOK",
    "OPEN_STATES",
    "ORDER_MOVES",
    "STATIONARY",
    "AccountAct",
    "AccountDecision",
    "AccountProposal",
    "AccountState",
    "Agent",
    "AmlCase",
    "ApiToken",
    "BankLine",
    "BankLineDecision",
    "BankLineProposal",
    "BankLineWords",
    "BankStatement",
    "BatchState",
    "BettingPoint",
    "CardBatch",
    "CardReplacement",
    "CardState",
    "CaseKind",
    "CaseState",
    "CashLimit",
    "Consent",
    "Currency",
    "CurrencyRate",
    "DepositReturn",
    "DepositState",
    "DeskCheck",
    "DeskResult",
    "DocumentCounter",
    "DocumentKind",
    "DormancyNotice",
    "Ending",
    "Entry",
    "EquipmentCertificate",
    "Exclusion",
    "ExclusionKind",
    "FiscalDocument",
    "FiscalKind",
    "ForwardedExclusion",
    "GameAccount",
    "GameEnd",
    "GameEndProposal",
    "Handover",
    "HandoverState",
    "HeldDeposit",
    "HeldState",
    "IdentifiedOperation",
    "Identity",
    "Insider",
    "InsiderKind",
    "InstrumentKind",
    "JackpotGame",
    "KeyKind",
    "LedgerAccount",
    "LimitKind",
    "LimitPeriod",
    "LimitRaise",
    "LoginClosing",
    "LoginOpening",
    "Mismatch",
    "NumberDecision",
    "NumberProposal",
    "NumberedDocument",
    "NumberedKind",
    "OrderState",
    "Outcome",
    "OwnBankAccount",
    "PaymentFile",
    "PaymentInstrument",
    "PaymentOrder",
    "Person",
    "Placement",
    "PlayLimit",
    "PointDocument",
    "PointKind",
    "PostalOperator",
    "PostalRegister",
    "PrepaidCard",
    "ProviderDeposit",
    "ProviderMessage",
    "Receipt",
    "RegisterImport",
    "ReleaseApproval",
    "ReleaseChange",
    "RestrictedPerson",
    "ReturnState",
    "Role",
    "RoleDecision",
    "RoleProposal",
    "Route",
    "Shift",
    "ShrunkenRegister",
    "TakingsAgreement",
    "Terminal",
    "TerminalNonce",
    "Till",
    "TopUp",
    "TopUpWay",
    "Trait",
    "TraitKind",
    "Transfer",
    "TrialAccount",
    "UnmatchedItem",
    "User",
    "Verification",
    "VerificationMethod",
    "WhyOpen",
    "Withdrawal",
    "WithdrawalDecision",
    "WithdrawalProposal",
    "WithdrawalState",
    "WithdrawnNumber",
    "WithdrawnRole",
    "ZReport",
]
