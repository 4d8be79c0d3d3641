"""Significant events: what the regulator asks about first, each with the day by which somebody has to see to it (N4).

They are not written down a second time: they are read from the journal, the settlements and the winnings, so that none
can be left out. That somebody has seen one is itself an act in the journal, under the event's key.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from payouts.queries.reports.shape import Asked, Cell, ReportColumn, ReportKind
from pools.models import LARGE_FROM
from totalizator.core.act_names import act_name
from totalizator.core.legal import non_working_days, whole_number_sql
from totalizator.core.localtime import local_text
from totalizator.core.money import format_byn
from totalizator.engine.deadlines import end_of_legal_day, legal_day, working_day

ACKNOWLEDGED, OVERDUE = "acknowledge_event", "event_overdue"

_LONGEST_HOLIDAYS = timedelta(days=30)

# Acts that are significant by themselves; what a job failed at is so too (`…_failed`).
ACTS = (
    "apply_correction",
    "approve_abandonment",
    "approve_bet_cancellation",
    "approve_cancellation",
    "approve_change",
    "approve_game_end",
    "approve_number",
    "approve_refund_lapse",
    "approve_role",
    "approve_shrunken_register",
    "change_operator_key",
    "check_release",
    "clock_drifts",
    "close_login",
    "correct_result",
    "correct_settlement",
    "days_differ",
    "dispute_correction",
    "dispute_settlement",
    "dispute_ticket_claim",
    "filed_file_changed",
    "flag_late_commitment",
    "flag_unfiled_rules",
    "guarantee_differs",
    "guarantee_shortfall",
    "note_late_annulment",
    "open_login",
    "pause_sales",
    "publish_rules",
    "refunds_decidable",
    "refunds_overdue",
    "refuse_purge",
    "register_release",
    "report_missing_forms",
    "results_differ",
    "revoke_key",
    "staff_row_added",
    "warn_undrawn_jackpot",
)
# Checks that are journalled whatever they find: they are significant when this list of theirs is not empty.
CHECKS: Mapping[str, str] = {
    "check_filed_files": "broken",
    "check_journal": "broken",
    "check_journal_heads": "broken",
    "check_log": "broken",
    "check_outbox": "differing",
    "look_for_rare_wins": "rarer",
    "reconcile": "broken",
}
_NAMES: Mapping[str, str | Promise] = {
    "late": _("Bets were registered after the actual start"),
    "forged": _("Wrong check codes, again and again"),
    "large": _("A large winning"),
    "staff_row_added": _("A log-in of the staff was made"),
}

# What holds is asked of the day on which it happened: so many wrong check codes of one ticket or from one place are a
# forger at work and no slip of the finger; so large a winning is told of.
_SCANS = whole_number_sql("refused_scans", "g.day")
_LARGE = whole_number_sql("large_winning_from", "(s.official_at AT TIME ZONE 'Europe/Minsk')::date")
_LARGE_CORRECTED = whole_number_sql("large_winning_from", "(o.booked_at AT TIME ZONE 'Europe/Minsk')::date")

# A ticket wins at most once on each level: of a large winning one row at least has its part of it. Rows from LARGE_FROM
# on are found by their index; while a large winning is less than that a level, all rows of the pool are looked through.
_FOUND = f"""
WITH settled AS MATERIALIZED (
    SELECT s.pool_id, p.code, s.official_at, {_LARGE} AS large,
           GREATEST(1, jsonb_array_length(s.statement_text::jsonb -> 'levels')) AS levels,
           jsonb_array_length(s.statement_text::jsonb -> 'late')::bigint AS late
    FROM pools_settlement s JOIN pools_pool p ON p.id = s.pool_id
    WHERE s.state = 'official' AND s.official_at >= %(since)s AND s.official_at < %(until)s
), maybe_large AS (
    SELECT w.pool_id, w.ticket FROM settled s JOIN pools_winning w ON w.pool_id = s.pool_id
    WHERE w.amount >= {LARGE_FROM} AND w.amount * s.levels >= s.large AND s.large >= {LARGE_FROM} * s.levels
    UNION
    SELECT w.pool_id, w.ticket FROM settled s JOIN pools_winning w ON w.pool_id = s.pool_id
    WHERE w.amount * s.levels >= s.large AND s.large < {LARGE_FROM} * s.levels
), found (key, at, kind, subject, reason, number) AS (
SELECT 'journal:' || j.id, j.at, j.act, j.subject, j.reason, 0::bigint
FROM core_journalrecord j
WHERE j.at >= %(since)s AND j.at < %(until)s AND j.act <> 'place_bet' AND (
    j.act = ANY(%(acts)s) OR j.act LIKE '%%\\_failed'
    OR EXISTS (SELECT FROM unnest(%(checks)s::text[], %(lists)s::text[]) AS c(act, list)
               WHERE c.act = j.act AND COALESCE(j.after ->> c.list, '') NOT IN ('', '[]')))
UNION ALL
SELECT 'late:' || s.code, s.official_at, 'late', 'pool:' || s.code, '', s.late FROM settled s WHERE s.late > 0
UNION ALL
SELECT 'forged:' || f.subject || ':' || f.day, f.at[f.most + 1], 'forged', f.subject, '', f.number
FROM (SELECT g.*, {_SCANS} AS most
      FROM (SELECT j.subject, (j.at AT TIME ZONE 'Europe/Minsk')::date AS day, count(*) AS number,
                   array_agg(j.at ORDER BY j.id) AS at
            FROM core_journalrecord j WHERE j.act = 'refuse_ticket' AND j.at >= %(since)s AND j.at < %(until)s
            GROUP BY 1, 2) g) f
WHERE f.number > f.most
UNION ALL
SELECT 'large:' || w.ticket, s.official_at, 'large', 'bet:' || w.ticket, '', sum(w.amount)::bigint
FROM maybe_large m JOIN settled s USING (pool_id) JOIN pools_winning w USING (pool_id, ticket)
GROUP BY w.pool_id, w.ticket, s.official_at, s.large HAVING sum(w.amount) >= s.large
UNION ALL
SELECT 'large-corrected:' || c.ticket, g.booked_at, 'large', 'bet:' || c.ticket, '', c.after
FROM payouts_correctedpayable c
JOIN (SELECT o.pool_id, o.booked_at, {_LARGE_CORRECTED} AS large FROM payouts_correctionbooking o
      WHERE o.booked_at >= %(since)s AND o.booked_at < %(until)s) g USING (pool_id)
WHERE c.kind = 'winning' AND c.moved > 0 AND c.after >= g.large
)
SELECT f.*, COALESCE(s.actor, ''), s.at, COALESCE(s.reason, '')
FROM found f
LEFT JOIN LATERAL (SELECT j.actor, j.at, j.reason FROM core_journalrecord j
                   WHERE j.act = %(seen)s AND j.subject = 'event:' || f.key ORDER BY j.id LIMIT 1) s ON true
ORDER BY f.at, f.key
"""


@dataclass(frozen=True, slots=True)
class SignificantEvent:
    """One event. `number` is of bets, scans or kopecks, as its kind has it; empty `seen_by`: nobody has seen it."""

    key: str
    at: datetime
    kind: str
    subject: str
    reason: str
    number: int
    due: datetime
    seen_by: str = ""
    seen_at: datetime | None = None
    words: str = ""

    @property
    def title(self) -> str:
        """What it is, for people."""
        return str(_NAMES[self.kind]) if self.kind in _NAMES else act_name(self.kind)

    def overdue(self, now: datetime) -> bool:
        """Tell whether nobody saw it in time."""
        return (self.seen_at or now) >= self.due

    @property
    def details(self) -> str:
        """Its reason, or its number in words."""
        if self.kind == "large":
            return format_byn(self.number)
        if self.kind == "late":
            return str(_("bets: %(number)s") % {"number": self.number})
        if self.kind == "forged":
            return str(_("scans: %(number)s") % {"number": self.number})
        return self.reason


def significant_events(since: datetime, until: datetime) -> list[SignificantEvent]:
    """Return the events from `since` to `until`, `until` not included, the oldest first."""
    parameters: dict[str, Any] = {
        "since": since,
        "until": until,
        "seen": ACKNOWLEDGED,
        "acts": list(ACTS),
        "checks": list(CHECKS),
        "lists": list(CHECKS.values()),
    }
    with connection.cursor() as cursor:
        cursor.execute(_FOUND, parameters)
        found = cursor.fetchall()
    days_off = non_working_days(legal_day(since), legal_day(until) + _LONGEST_HOLIDAYS)
    events = []
    for key, at, kind, subject, reason, number, seen_by, seen_at, words in found:
        due = end_of_legal_day(working_day(legal_day(at) + timedelta(days=1), days_off))
        events.append(SignificantEvent(key, at, kind, subject, reason, int(number), due, seen_by, seen_at, words))
    return events


def event_subject(key: str) -> str:
    """Return how the journal names an event."""
    return f"event:{key}"


def _find(asked: Asked) -> Sequence[Sequence[Cell]]:
    return [
        (
            event.key,
            local_text(event.at, with_seconds=True),
            event.title,
            event.subject,
            event.details,
            local_text(event.due),
            event.seen_by,
            local_text(event.seen_at) if event.seen_at is not None else "",
            event.words,
        )
        for event in significant_events(asked.since, asked.until)
    ]


EVENTS = ReportKind(
    name="events",
    title=_("Significant events"),
    columns=(
        ReportColumn("key", _("Event")),
        ReportColumn("at", _("When")),
        ReportColumn("what", _("What")),
        ReportColumn("subject", _("Of what")),
        ReportColumn("details", _("Details")),
        ReportColumn("due", _("To be seen to by")),
        ReportColumn("seen_by", _("Seen by")),
        ReportColumn("seen_at", _("Seen at")),
        ReportColumn("words", _("What was done")),
    ),
    find=_find,
)
