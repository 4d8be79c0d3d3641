"""Making a report: which there are, for which days, on one snapshot of the database (N1-N6)."""

from collections.abc import Mapping
from datetime import date

from django.db import connection, transaction
from django.utils.translation import gettext_lazy as _

from accounts.services.statements import software_version
from payouts.documents.reports import WRITERS
from payouts.queries.archiving import archived_in
from payouts.queries.reports.alterations import ALTERATIONS
from payouts.queries.reports.insiders import INSIDERS
from payouts.queries.reports.jackpots import JACKPOT_SOURCES
from payouts.queries.reports.liabilities import LIABILITIES
from payouts.queries.reports.pools import POOLS
from payouts.queries.reports.sales import SALES
from payouts.queries.reports.shape import Asked, Report, ReportKind
from payouts.queries.reports.significant import EVENTS
from payouts.queries.reports.tax import TAX
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.releases import running_release
from totalizator.engine.deadlines import end_of_legal_day, start_of_legal_day

REPORTS: Mapping[str, ReportKind] = {
    kind.name: kind for kind in (SALES, POOLS, LIABILITIES, ALTERATIONS, JACKPOT_SOURCES, TAX, EVENTS, INSIDERS)
}
MOST_DAYS = 366
_SHOWN = 10


def make_report(name: str, first: date, last: date, filters: Mapping[str, str] | None = None) -> Report:
    """Return a report of the legal days from `first` to `last`, both included, in words of the active language.

    :raises DomainError: NOT_FOUND for an unknown report; BAD_VALUE for a period that ends before it begins or is longer
        than a leap year, or for a filter that the report does not have.
    """
    if name not in REPORTS:
        raise DomainError(Refusal.NOT_FOUND, _("There is no such report."), field="report")
    kind, chosen = REPORTS[name], {key: value for key, value in (filters or {}).items() if value}
    if last < first:
        raise DomainError(Refusal.BAD_VALUE, _("The period must not end before it begins."), field="last")
    if (last - first).days >= MOST_DAYS:
        raise DomainError(Refusal.BAD_VALUE, _("A report is of one year at most."), field="last")
    for unknown in sorted(chosen.keys() - set(kind.filters)):
        raise DomainError(Refusal.BAD_VALUE, _("This report cannot be limited so."), field=unknown)
    refuse_archived_days(first, last)
    asked, outermost = Asked(first, last, chosen), not connection.in_atomic_block
    with transaction.atomic():
        if outermost:  # one snapshot, so that sales going on do not make the figures disagree
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        rows = kind.find(asked)
    return Report(kind, asked, rows, clock.now(), software_version(), running_release().digest)


def refuse_archived_days(first: date, last: date) -> None:
    """Refuse a period in which bets of archived pools were sold, settled or paid: the rows are gone (docs/archive.md).

    :raises DomainError: BAD_VALUE, with the pools.
    """
    archived = archived_in(start_of_legal_day(first), end_of_legal_day(last)).order_by("pool_id")
    codes = list(archived.values_list("pool__code", flat=True)[:_SHOWN])
    if codes:
        raise DomainError(
            Refusal.BAD_VALUE,
            _("Pools of these days are in the archive, and no report is made of them any more: %(pools)s.")
            % {"pools": ", ".join(codes)},
            field="first",
        )


def write_report(report: Report, form: str) -> bytes:
    """Return the report's document.

    :raises DomainError: BAD_VALUE for any other form than `pdf`, `csv` and `json`.
    """
    if form not in WRITERS:
        raise DomainError(Refusal.BAD_VALUE, _("A report is written as pdf, csv or json."), field="form")
    return WRITERS[form](report)
