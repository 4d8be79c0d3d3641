"""Watching who wins more than luck explains: told each month to those who must know, published each year (X11)."""

import logging
from datetime import date, timedelta

from django.utils.translation import gettext_lazy as _

from payouts.documents.insider_wins import insider_wins_document
from payouts.models import PublishedInsiderWins
from payouts.queries.reports.insiders import luck
from payouts.queries.reports.shape import Asked
from pools.models import LogKind, Settlement, SettlementState
from pools.services.public_log import append_to_log
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.models import JournalRecord
from totalizator.core.transactions import one_transaction
from totalizator.engine.deadlines import legal_day

logger = logging.getLogger(__name__)
# What was committed in the last moments of a year is there by then.
_SETTLES = timedelta(days=1)
_WATCHED = timedelta(days=365)
LOOKED = "look_for_rare_wins"


def look_for_rare_wins(*, actor: str) -> list[str] | None:
    """Look once a month at the year before this month; journal whose wins are rarer than one in a thousand.

    Return them, each as the report `insiders` names it; None when this month has been looked at. Any of them makes a
    significant event.
    """
    today = clock.today()
    subject = f"month:{today:%Y-%m}"
    if JournalRecord.objects.filter(subject=subject, act=LOOKED).exists():
        return None
    last = today.replace(day=1) - timedelta(days=1)
    found = luck(Asked(last - _WATCHED, last))
    rarer = [
        f"{who} {name}: {one.wins} of {one.bets}, 1 in {one.one_in}"
        for (who, name), one in found.items()
        if one.reported
    ]
    if rarer:
        logger.error("Wins rarer than one in a thousand: %s", "; ".join(rarer))
    write_journal(
        at=clock.now(),
        actor=actor,
        act="look_for_rare_wins",
        subject=subject,
        after={"last": str(last), "rarer": rarer},
    )
    return rarer


def publish_past_years(*, actor: str) -> list[int]:
    """Publish every year since the first settlement that is over and not published; return which were."""
    first = Settlement.objects.filter(state=SettlementState.OFFICIAL).order_by("official_at").first()
    if first is None or first.official_at is None:
        return []
    over = legal_day(clock.now() - _SETTLES).year
    known = set(PublishedInsiderWins.objects.values_list("year", flat=True))
    years = [year for year in range(legal_day(first.official_at).year, over) if year not in known]
    for year in years:
        publish_insider_wins(year, actor=actor)
    return years


def publish_insider_wins(year: int, *, actor: str) -> PublishedInsiderWins:
    """Publish a year that is over, for good; published before, it is only returned.

    :raises DomainError: WRONG_STATE for a year that is not over yet, and a day more.
    """
    with one_transaction():
        known = PublishedInsiderWins.objects.filter(year=year).first()
        if known is not None:
            return known
        at = clock.now()
        if legal_day(at) < date(year + 1, 1, 1) + _SETTLES:
            raise DomainError(Refusal.WRONG_STATE, _("The year is not over yet."), field="year")
        document = insider_wins_document(year)
        published = PublishedInsiderWins.objects.create(year=year, document_text=document.decode(), published_at=at)
        write_journal(at=at, actor=actor, act="publish_insider_wins", subject=f"year:{year}")
        append_to_log(kind=LogKind.REPORT, subject=f"insider-wins:{year}", document=document, at=at)
    return published


def published_otherwise() -> list[int]:
    """Return the years of which the published figures are not those that the rows give now."""
    rows = PublishedInsiderWins.objects.order_by("year")
    return [row.year for row in rows if row.document_text.encode() != insider_wins_document(row.year)]
