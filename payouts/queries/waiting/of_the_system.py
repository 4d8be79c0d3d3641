"""What waits about persons and the system itself: cases, proposals, jackpots to draw, events, outgoing messages."""

from datetime import date, datetime, timedelta

from django.db import connection
from django.utils.translation import gettext as _

from accounts.models import AmlCase, CaseState, NumberProposal, ReleaseChange, Role, ShrunkenRegister
from accounts.queries.block_proposals import standing_block_proposals
from accounts.queries.dated_numbers import standing_numbers
from accounts.queries.role_proposals import standing_roles
from payouts.queries.jackpot import JACKPOTS, jackpot_undrawn_this_year
from payouts.queries.reports.significant import SignificantEvent, significant_events
from payouts.queries.waiting.shape import Line, Rows
from totalizator.core.act_names import FAILED
from totalizator.core.legal_words import number_named, value_told
from totalizator.core.money import format_byn
from totalizator.engine.deadlines import end_of_legal_day, legal_day

DUTY_FROM_MONTH = 10
LOOKED_BACK = timedelta(days=60)
SLOW = timedelta(minutes=10)
"""What was told of so long ago and has not gone out is told here."""

_UNSENT = """
SELECT '', count(*), min(at), '' FROM core_pendingevent WHERE at < %(before)s HAVING count(*) > 0
UNION ALL
SELECT s.name, 0, e.at, s.last_failure FROM core_subscriber s
CROSS JOIN LATERAL (SELECT o.at FROM core_outboxevent o WHERE o.sequence > s.delivered ORDER BY o.sequence LIMIT 1) e
WHERE s.state = 'active' AND e.at < %(before)s
"""


# What the jackpots of games that go on hold, where that is something.
_JACKPOTS = """
SELECT a.owner, b.amount FROM accounts_ledgeraccount a
CROSS JOIN LATERAL (
    SELECT ((SELECT COALESCE(sum(e.amount), 0) FROM accounts_entry e WHERE e.credit_id = a.id)
          - (SELECT COALESCE(sum(e.amount), 0) FROM accounts_entry e WHERE e.debit_id = a.id))::bigint AS amount) b
WHERE a.kind = 'jackpot' AND a.owner = ANY(%(games)s) AND b.amount > 0
  AND NOT EXISTS (SELECT FROM accounts_gameend g WHERE g.game = a.owner)
ORDER BY a.owner
"""


def aml_cases() -> Rows:
    """Cases of suspicion that nobody has reviewed, or that wait for the second person (Q1)."""
    rows = AmlCase.objects.filter(state__in=(CaseState.OPEN, CaseState.REVIEWED))
    return Rows(rows, "raised_at", lambda row: f"{row.pk}: {row.get_kind_display()}, {row.subject}")


def block_proposals() -> Rows:
    """Accounts that somebody proposes to block, or to open again (¶35.3)."""
    rows = standing_block_proposals()
    return Rows(rows, "proposed_at", lambda row: f"{row.account.player.username}: {row.get_act_display()}")


def shrunken_registers() -> Rows:
    """Registers of restricted persons that have shrunk, and are to be confirmed by another person (P2)."""
    rows = ShrunkenRegister.objects.filter(approved_at__isnull=True)
    return Rows(rows, "proposed_at", lambda row: f"{row.reason}: {row.file_digest}")


def number_proposals(now: datetime) -> Rows:
    """Dated numbers that somebody proposes to change (N4)."""
    return Rows(standing_numbers(now), "proposed_at", _number_told)


def release_proposals() -> Rows:
    """Change records that another person has to approve (R4)."""
    return Rows(ReleaseChange.objects.filter(approval__isnull=True), "proposed_at", lambda row: f"{row.pk}: {row.code}")


def role_proposals() -> Rows:
    """Roles that somebody proposes to give: of a person the latest proposal (R1)."""
    rows = standing_roles().select_related("person")
    return Rows(rows, "proposed_at", lambda row: f"{row.person.username}: {Role(row.role).label}")


def jackpots_to_draw(now: datetime) -> list[Line]:
    """From 1 October the jackpots that hold money and were not drawn this year (¶16, ¶37)."""
    today = legal_day(now)
    if today.month < DUTY_FROM_MONTH:
        return []
    due = end_of_legal_day(date(today.year, 12, 31))
    with connection.cursor() as cursor:
        cursor.execute(_JACKPOTS, {"games": list(JACKPOTS)})
        held = cursor.fetchall()
    return [
        Line(f"{game}: {format_byn(amount)}", None, due)
        for game, amount in held
        if jackpot_undrawn_this_year(game, on=today)
    ]


def unsent_events(now: datetime) -> list[Line]:
    """Events that have not gone out for a while, by who lacks them (U1)."""
    with connection.cursor() as cursor:
        cursor.execute(_UNSENT, {"before": now - SLOW})
        return [Line(_unsent(name, number, failure), at) for name, number, at, failure in cursor.fetchall()]


def unseen_events(now: datetime) -> list[SignificantEvent]:
    """Significant events that nobody has seen to (N4)."""
    return [event for event in significant_events(now - LOOKED_BACK, now) if event.seen_at is None]


def failed_jobs(unseen: list[SignificantEvent]) -> list[Line]:
    """Of unseen events those that tell of a job that failed (C28)."""
    return [_event(event) for event in unseen if event.kind.endswith(FAILED)]


def other_events(unseen: list[SignificantEvent]) -> list[Line]:
    """The other ones."""
    return [_event(event) for event in unseen if not event.kind.endswith(FAILED)]


def _number_told(row: NumberProposal) -> str:
    return f"{number_named(row.name)}: {value_told(row.name, row.value)}, {row.valid_from:%d.%m.%Y}"


def _event(event: SignificantEvent) -> Line:
    return Line(" · ".join(part for part in (event.title, event.subject, event.details) if part), event.at, event.due)


def _unsent(name: str, number: int, failure: str) -> str:
    if not name:
        return _("without a number: %(number)s") % {"number": number}
    return f"{name}: {failure}" if failure else name
