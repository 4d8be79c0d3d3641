"""What a ticket's QR code holds, with the operator's signature under the sale, and judging such a text (X2).

The signature is made when the text is asked for, not while the bet is taken; Ed25519 gives the same one each time, so
that a copy has the ticket's.
"""

from base64 import b64decode
from dataclasses import dataclass

from django.conf import settings
from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from pools.models import Bet
from pools.queries.operator_keys import operator_keys
from pools.snapshots.pool_archives import bet_with_ticket
from totalizator.core.signing import operator_signature
from totalizator.engine.coupon import coupon_from_bits
from totalizator.engine.errors import EngineError
from totalizator.engine.instants import instant_text
from totalizator.engine.signatures import OPERATOR, PublicKey
from totalizator.engine.ticket import PrintedBet, read_ticket, signer_of, ticket_text


class TicketVerdict(TextChoices):
    """What the text of a QR code proves."""

    BOOKED = "booked", _("signed by the operator, and booked as printed")
    MISSING = "missing", _("SIGNED BY THE OPERATOR AND NOT BOOKED")
    DIFFERENT = "different", _("SIGNED BY THE OPERATOR AND BOOKED OTHERWISE")
    NOT_SIGNED = "not_signed", _("not signed by this operator")
    OTHER = "other", _("another ticket")
    UNREADABLE = "unreadable", _("not the text of a ticket's QR code")


@dataclass(frozen=True, slots=True)
class TicketJudgement:
    """The verdict, what is printed, and where the text cannot be read."""

    verdict: TicketVerdict
    printed: PrintedBet | None = None
    told: str = ""

    @property
    def alarming(self) -> bool:
        """Whether a sale was not booked as it was sold."""
        return self.verdict in (TicketVerdict.MISSING, TicketVerdict.DIFFERENT)


def qr_text(bet: Bet, check_code: str) -> str:
    """Return what the ticket's QR code holds; a copy has an empty check code.

    Its page, and behind # what no browser sends on: the check code is in no server's log.
    """
    return qr_text_of(printed_bet(bet), check_code)


def qr_text_of(printed: PrintedBet, check_code: str) -> str:
    """Return `qr_text` of a bet whose ticket is known."""
    page = f"{settings.SITE_URL}/t/{printed.ticket}/"
    return ticket_text(page, check_code, printed, operator_signature(printed.payload()))


def printed_bet(bet: Bet) -> PrintedBet:
    """Return what a ticket prints of a bet."""
    selections = coupon_from_bits(bet.pool.terms, bet.bits).selections
    return PrintedBet(bet.ticket, selections, bet.stake, instant_text(bet.registered_at), bet.terms_digest)


def judge_ticket(text: str, ticket: str) -> TicketJudgement:
    """Judge what somebody read from the QR code of `ticket`; of the books nothing is told that is not in the text."""
    try:
        printed, signature = read_ticket(text)
    except EngineError as fault:
        return TicketJudgement(TicketVerdict.UNREADABLE, told=str(fault))
    if printed.ticket != ticket:
        return TicketJudgement(TicketVerdict.OTHER, printed)
    keys = {key_id: PublicKey(b64decode(public), OPERATOR) for key_id, public in operator_keys().items()}
    if signer_of(printed, signature, keys) is None:
        return TicketJudgement(TicketVerdict.NOT_SIGNED, printed)
    bet = bet_with_ticket(ticket, printed.pool)
    if bet is None:
        return TicketJudgement(TicketVerdict.MISSING, printed)
    booked = TicketVerdict.BOOKED if printed_bet(bet) == printed else TicketVerdict.DIFFERENT
    return TicketJudgement(booked, printed)
