"""Until when a winning is paid, in words for a ticket and for pages, before the result and after it (¶12, ¶40, K2)."""

from datetime import date, datetime, timedelta

from django.utils.formats import date_format
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from pools.models import Pool
from totalizator.core.legal import non_working_days
from totalizator.engine.deadlines import claim_term, legal_day

# The longest term and the longest run of days off after it lie well within.
_CALENDAR_AHEAD = timedelta(days=366)


def claim_words(pool: Pool) -> str:
    """Say how long a winning will be paid, and the last day if the result is known on the day of closing."""
    term = (
        _("Winnings are paid from the day after the result, for 12 weeks (¶12).")
        if pool.game.startswith("sportloto")
        else _("Winnings are paid from the day after the result, for three months (¶40).")
    )
    closing = legal_day(pool.closes_at)
    last = claim_term(pool.game, pool.closes_at, non_working_days(closing, closing + _CALENDAR_AHEAD)).last_day
    days = {"closing": _day(closing), "last": _day(last)}
    known = _("If the result is known on %(closing)s, the last day is %(last)s.") % days
    return f"{term} {known}"


def last_day_words(paid_until: datetime) -> str:
    """Say the last day of a term that ends before the instant `paid_until`."""
    last = legal_day(paid_until - timedelta(microseconds=1))
    return _("Winnings are paid to %(last)s inclusive.") % {"last": _day(last)}


def _day(day: date) -> str:
    return date_format(day, "j M Y" if get_language() == "en" else "d.m.Y", use_l10n=False)
