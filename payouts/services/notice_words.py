"""The words of notices to winners: what was won and until when it is paid, and nothing that invites to play (K6)."""

from datetime import datetime, timedelta

from django.utils.formats import date_format
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from payouts.models import NoticeKind, WinnerNotice
from payouts.queries.claim_terms import claim_end_of
from totalizator.core.money import format_byn
from totalizator.engine.deadlines import legal_day


def words_of(notice: WinnerNotice) -> str:
    """Say what a notice tells, in the language that is active.

    The last day is the one that stands now, with what the term was extended by.
    """
    end = claim_end_of(notice.pool)
    told = {
        "ticket": notice.ticket,
        "pool": notice.pool.code,
        "amount": format_byn(notice.amount),
        "day": _last_day(end) if end is not None else "",
    }
    return _template(notice) % told


def _template(notice: WinnerNotice) -> str:
    if notice.player_id is None:
        if notice.kind == NoticeKind.WON:
            return _("Ticket %(ticket)s has won %(amount)s, before income tax. It is paid to %(day)s inclusive.")
        return _("Ticket %(ticket)s: %(amount)s, before income tax, is not paid yet. The last day is %(day)s.")
    if notice.kind == NoticeKind.WON:
        return _(
            "Your tickets in pool %(pool)s have won %(amount)s, before income tax. What does not go to an account or "
            "card is paid to %(day)s inclusive."
        )
    if notice.kind == NoticeKind.CORRECTED:
        return _(
            "The result of pool %(pool)s was corrected, and what your tickets have won with it. To be paid on them "
            "now: %(amount)s, before income tax. What was paid already is shown with each ticket."
        )
    return _(
        "Of your tickets in pool %(pool)s %(amount)s, before income tax, is not paid yet. The last day is %(day)s."
    )


def _last_day(end: datetime) -> str:
    day = legal_day(end - timedelta(microseconds=1))
    return date_format(day, "j M Y" if get_language() == "en" else "d.m.Y", use_l10n=False)
