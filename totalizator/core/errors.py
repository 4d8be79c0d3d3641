"""The one error that services raise, and what the edge needs to show it.

Codes are stable: clients match on them, `docs/errors.md` lists them, the edge translates the message.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from django.utils.functional import Promise


class Refusal(StrEnum):
    """Why an act was refused; the value of each is the HTTP status class it maps to by `HTTP_STATUS`."""

    BAD_VALUE = "bad_value"
    NOT_FOUND = "not_found"
    NOT_ALLOWED = "not_allowed"
    WRONG_STATE = "wrong_state"
    SAME_PERSON = "same_person"
    BAD_TERMS = "bad_terms"
    BAD_SELECTION = "bad_selection"
    BAD_STAKE = "bad_stake"
    TOO_MANY_LINES = "too_many_lines"
    NOT_OPEN_YET = "not_open_yet"
    POOL_CLOSED = "pool_closed"
    INSUFFICIENT_FUNDS = "insufficient_funds"
    KEY_REUSED = "key_reused"
    BUSY = "busy"
    RESULT_MISMATCH = "result_mismatch"
    BAD_SIGNATURE = "bad_signature"
    QUORUM_MISSING = "quorum_missing"
    SETTLEMENT_DIFFERS = "settlement_differs"
    NOT_PAYABLE_YET = "not_payable_yet"
    TERM_EXPIRED = "term_expired"
    ALREADY_PAID = "already_paid"
    NOTHING_TO_PAY = "nothing_to_pay"
    WRONG_CODE = "wrong_code"
    NOT_VERIFIED = "not_verified"
    UNDER_AGE = "under_age"
    PERSON_KNOWN = "person_known"
    MAY_NOT_PLAY = "may_not_play"
    REGISTER_STALE = "register_stale"
    LIMIT_REACHED = "limit_reached"
    CONSENT_NEEDED = "consent_needed"
    ACCOUNT_BLOCKED = "account_blocked"
    THROTTLED = "throttled"
    REQUEST_NOT_SIGNED = "request_not_signed"
    SWITCHED_OFF = "switched_off"
    NO_OPEN_SHIFT = "no_open_shift"
    NOT_CERTIFIED = "not_certified"
    DOCUMENTS_MISSING = "documents_missing"
    CASH_LIMIT = "cash_limit"
    NO_AGREEMENT = "no_agreement"
    LINK_LOST = "link_lost"
    SALES_PAUSED = "sales_paused"
    CARD_REFUSED = "card_refused"
    RATE_STALE = "rate_stale"
    STEP_UP_NEEDED = "step_up_needed"
    ON_HOLD = "on_hold"
    OTHER_WAY = "other_way"
    PROVIDER_AWAY = "provider_away"
    IDENTITY_NEEDED = "identity_needed"
    KEPT_BY_LAW = "kept_by_law"
    CLOCK_DRIFTS = "clock_drifts"
    CENTRAL_DESK_ONLY = "central_desk_only"
    APPROVAL_NEEDED = "approval_needed"
    TICKET_HELD = "ticket_held"
    BEING_CORRECTED = "being_corrected"
    PHONE_CODE_NEEDED = "phone_code_needed"
    CONFLICT = "conflict"
    EVIDENCE_MISSING = "evidence_missing"
    EVIDENCE_CHANGED = "evidence_changed"
    LOG_BROKEN = "log_broken"


HTTP_STATUS: Mapping[Refusal, int] = {
    Refusal.NOT_FOUND: 404,
    Refusal.NOT_ALLOWED: 403,
    Refusal.SAME_PERSON: 403,
    Refusal.WRONG_STATE: 409,
    Refusal.NOT_OPEN_YET: 409,
    Refusal.POOL_CLOSED: 409,
    Refusal.INSUFFICIENT_FUNDS: 409,
    Refusal.KEY_REUSED: 409,
    Refusal.RESULT_MISMATCH: 409,
    Refusal.QUORUM_MISSING: 409,
    Refusal.SETTLEMENT_DIFFERS: 409,
    Refusal.NOT_PAYABLE_YET: 409,
    Refusal.TERM_EXPIRED: 409,
    Refusal.ALREADY_PAID: 409,
    Refusal.NOTHING_TO_PAY: 409,
    Refusal.NOT_VERIFIED: 403,
    Refusal.UNDER_AGE: 403,
    Refusal.PERSON_KNOWN: 409,
    Refusal.MAY_NOT_PLAY: 403,
    Refusal.REGISTER_STALE: 503,
    Refusal.LIMIT_REACHED: 409,
    Refusal.CONSENT_NEEDED: 409,
    Refusal.ACCOUNT_BLOCKED: 403,
    Refusal.THROTTLED: 429,
    Refusal.REQUEST_NOT_SIGNED: 401,
    Refusal.SWITCHED_OFF: 403,
    Refusal.NO_OPEN_SHIFT: 409,
    Refusal.NOT_CERTIFIED: 409,
    Refusal.DOCUMENTS_MISSING: 409,
    Refusal.CASH_LIMIT: 409,
    Refusal.NO_AGREEMENT: 409,
    Refusal.LINK_LOST: 409,
    Refusal.SALES_PAUSED: 409,
    Refusal.RATE_STALE: 503,
    Refusal.STEP_UP_NEEDED: 403,
    Refusal.ON_HOLD: 409,
    Refusal.OTHER_WAY: 409,
    Refusal.PROVIDER_AWAY: 503,
    Refusal.IDENTITY_NEEDED: 403,
    Refusal.KEPT_BY_LAW: 409,
    Refusal.CLOCK_DRIFTS: 503,
    Refusal.CENTRAL_DESK_ONLY: 409,
    Refusal.APPROVAL_NEEDED: 409,
    Refusal.TICKET_HELD: 409,
    Refusal.BEING_CORRECTED: 409,
    Refusal.PHONE_CODE_NEEDED: 403,
    Refusal.CONFLICT: 403,
    Refusal.EVIDENCE_MISSING: 409,
    Refusal.EVIDENCE_CHANGED: 409,
    Refusal.LOG_BROKEN: 503,
    Refusal.BUSY: 503,
}


class DomainError(Exception):
    """An act that was refused, with nothing done.

    `field` names the input at fault, if one is; `details` are facts for the reader of the message, such as
    the missing sum in kopecks. The message is shown to people, so it is a translated (lazy) string.
    """

    def __init__(self, code: Refusal, message: str | Promise, *, field: str | None = None, **details: Any) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.field = field
        self.details = details

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"

    @property
    def http_status(self) -> int:
        """400 unless the refusal depends on state, rights or load."""
        return HTTP_STATUS.get(self.code, 400)
