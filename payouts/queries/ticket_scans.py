"""What a check of a ticket says, in one big word and a sentence: the same to cashier, player and slip (C7)."""

from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from payouts.models import PayableKind, TicketScan
from payouts.queries.tickets import TicketStanding
from totalizator.core.localtime import LEGAL_ZONE, local_text
from totalizator.core.money import format_byn
from totalizator.core.plain_words import without_references


@dataclass(frozen=True, slots=True)
class ScanVerdict:
    """`kind` as the part `notice` takes it: accepted, refused, paid or waits."""

    kind: str
    verdict: str
    about: str = ""


def verdict_of(scan: TicketScan) -> ScanVerdict:
    """Say what was told of a ticket, in the language that is active and without the rules' paragraphs."""
    told = _verdict(scan)
    return replace(told, about=without_references(told.about))


def _verdict(scan: TicketScan) -> ScanVerdict:
    if not scan.ticket:
        return ScanVerdict("refused", _("NOT KNOWN"), _("There is no ticket with this number and check code."))
    match TicketStanding(scan.standing):
        case TicketStanding.PAYABLE:
            return _payable(scan)
        case TicketStanding.PAID:
            paid = _("PAID: %(amount)s") % {"amount": format_byn(scan.handed_over or 0)}
            return ScanVerdict("paid", paid, where(scan))
        case TicketStanding.NOT_PAYABLE_YET:
            day = local_text(scan.payable_from, LEGAL_ZONE) if scan.payable_from is not None else ""
            return ScanVerdict("waits", _won(scan), _("NOT YET: this is paid from %(day)s.") % {"day": day})
        case TicketStanding.IN_PLAY:
            return ScanVerdict("waits", _("IN PLAY"), _("The pool is not settled yet."))
        case TicketStanding.NOTHING:
            return ScanVerdict("refused", _("NOTHING WON"), _("There is nothing to be paid on this ticket."))
        case TicketStanding.EXPIRED:
            return ScanVerdict("refused", _("TOO LATE"), _("The term for payment is over."))
        case TicketStanding.DISPUTED:
            about = _("Nothing is paid on this ticket until the dispute is answered.")
            return ScanVerdict("waits", _("IN DISPUTE"), about)
        case standing:
            return ScanVerdict("waits", _("NOT NOW"), _sentence(str(standing.label)))


def where(scan: TicketScan) -> str:
    """Say where and when it was paid (C58)."""
    zone = scan.till.point.time_zone
    when = local_text(scan.paid_at, zone, with_seconds=True) if scan.paid_at is not None else ""
    return f"{scan.paid_where or _('to the account or card (¶41)')}, {when}"


def _payable(scan: TicketScan) -> ScanVerdict:
    if scan.goes_back:
        about = _("It goes back the way the stake came: to the account or card (¶41).")
        return ScanVerdict("waits", _won(scan), about)
    about = _("A returned stake.") if scan.kind == PayableKind.REFUND else _("Before income tax.")
    return ScanVerdict("accepted", _("TO BE PAID: %(amount)s") % {"amount": format_byn(scan.amount)}, about)


def _won(scan: TicketScan) -> str:
    words = _("GOES BACK: %(amount)s") if scan.kind == PayableKind.REFUND else _("WON: %(amount)s")
    return words % {"amount": format_byn(scan.amount)}


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:] + "."
