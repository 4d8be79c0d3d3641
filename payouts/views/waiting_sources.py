"""What the organizer's dashboard watches, in the order of its list, and the page on which each is dealt with."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from payouts.queries.reports.significant import SignificantEvent
from payouts.queries.waiting import of_money, of_points, of_refunds, of_the_system, of_tickets
from payouts.queries.waiting.shape import Line, Rows, Waiting, count_rows, summed
from pools.models import Pool, PoolState

MOST_LINES = 200
_POOLS = "pools:"


class Glance:
    """One look at everything, at one instant; what several sources need is asked once."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    @cached_property
    def unseen(self) -> list[SignificantEvent]:
        """Significant events that nobody has seen to."""
        return of_the_system.unseen_events(self.now)

    @cached_property
    def counted(self) -> Mapping[str, Waiting]:
        """What waits of the sources that have rows, and the pools of each state, in one question."""
        asked = {source.name: source.rows(self) for source in SOURCES if source.rows is not None}
        return count_rows(asked | {f"{_POOLS}{state}": _pools_in(state) for state in PoolState})

    @property
    def pools(self) -> Mapping[str, int]:
        """How many pools are in each state; a state of none is left out."""
        return {
            name.removeprefix(_POOLS): found.count for name, found in self.counted.items() if name.startswith(_POOLS)
        }


@dataclass(frozen=True, slots=True)
class Source:
    """Something that can wait for people; `to` names its page, empty: the plain list of what waits;
    `asked`: what of that page.

    Either `rows`, which are counted together with those of the other sources, or `lines`.
    """

    name: str
    title: str | Promise
    rows: Callable[[Glance], Rows] | None = None
    lines: Callable[[Glance], list[Line]] | None = None
    to: str = ""
    asked: str = ""

    def listed(self, glance: Glance) -> list[Line]:
        """Return what waits, the oldest first."""
        if self.rows is not None:
            return self.rows(glance).lines(MOST_LINES)
        return self.lines(glance)[:MOST_LINES] if self.lines is not None else []


def _now(lines: Callable[[datetime], list[Line]]) -> Callable[[Glance], list[Line]]:
    return lambda glance: lines(glance.now)


def _rows(rows: Callable[[], Rows]) -> Callable[[Glance], Rows]:
    return lambda _glance: rows()


def _pools_in(state: PoolState) -> Rows:
    return Rows(Pool.objects.filter(state=state), "prepared_at", str)


SOURCES: Sequence[Source] = (
    Source("settlements", _("Settlements whose computations differ"), _rows(of_tickets.disputed_settlements)),
    Source("corrections", _("Corrections whose computations differ"), _rows(of_tickets.disputed_corrections)),
    Source("drafts", _("Pools to announce"), _rows(of_tickets.drafts), to="pools:desk", asked="?state=draft"),
    Source(
        "failed-jobs",
        _("Failed jobs"),
        lines=lambda glance: of_the_system.failed_jobs(glance.unseen),
        to="payouts:events",
    ),
    Source(
        "events",
        _("Significant events not seen to"),
        lines=lambda glance: of_the_system.other_events(glance.unseen),
        to="payouts:events",
    ),
    Source(
        "outbox", _("Events that have not gone out"), lines=_now(of_the_system.unsent_events), to="pools:subscribers"
    ),
    Source(
        "disputes", _("Disputes to answer (¶45)"), lines=lambda _glance: of_tickets.disputes(), to="payouts:disputes"
    ),
    Source(
        "result-claims",
        _("Claims against results (¶33)"),
        _rows(of_tickets.result_claims),
        to="payouts:result_claims",
    ),
    Source("ticket-claims", _("Claims to lost tickets"), _rows(of_tickets.ticket_claims), to="payouts:ticket_claims"),
    Source(
        "large-payments",
        _("Large payments to approve"),
        _rows(of_tickets.large_payments),
        to="payouts:large_payments",
    ),
    Source("overpaid", _("Overpaid by a wrong result"), _rows(of_tickets.overpaid), to="payouts:overpaid"),
    Source(
        "bet-cancellations",
        _("Bets proposed to be cancelled (¶29)"),
        _rows(of_tickets.bet_cancellations),
        to="payouts:cancelled_bets",
    ),
    Source("withdrawals", _("Withdrawals to approve"), _rows(of_money.withdrawals), to="accounts:desk_withdrawals"),
    Source(
        "payment-orders",
        _("Payment orders to export"),
        _rows(of_money.payment_orders),
        to="accounts:payment_orders",
    ),
    Source("transfers", _("Transfers without a place"), _rows(of_money.unmatched_transfers), to="pools:transfers"),
    Source("payments", _("Payments that do not agree"), _rows(of_money.unmatched_payments), to="accounts:payments"),
    Source("held-deposits", _("Deposits that are held"), _rows(of_money.held_deposits), to="accounts:held_deposits"),
    Source("bank-doubts", _("Lines of the bank in doubt"), _rows(of_money.bank_doubts), to="accounts:bank_doubts"),
    Source("refunds", _("Returned stakes overdue"), lines=_now(of_refunds.late_refunds), to="payouts:refunds"),
    Source("aml", _("Cases of suspicion"), _rows(of_the_system.aml_cases), to="accounts:cases"),
    Source("blocks", _("Accounts to block or open again"), _rows(of_the_system.block_proposals), to="accounts:players"),
    Source(
        "shrunken-registers",
        _("Shrunken registers to confirm"),
        _rows(of_the_system.shrunken_registers),
        to="accounts:exclusions",
    ),
    Source(
        "documents",
        _("Papers of points that end"),
        lines=_now(of_points.expiring_documents),
        to="accounts:ending_papers",
    ),
    Source("card-batches", _("Batches of cards to approve"), _rows(of_points.card_batches), to="accounts:cards"),
    Source("cash", _("Cash near its limit"), lines=_now(of_points.cash_near_limits), to="accounts:cash"),
    Source(
        "jackpots", _("Jackpots to draw this year"), lines=_now(of_the_system.jackpots_to_draw), to="payouts:jackpots"
    ),
    Source(
        "numbers",
        _("Dated numbers to approve"),
        lambda glance: of_the_system.number_proposals(glance.now),
        to="accounts:numbers",
    ),
    Source(
        "releases",
        _("Changes of the system to approve"),
        _rows(of_the_system.release_proposals),
        to="accounts:releases",
    ),
    Source("roles", _("Roles to approve"), _rows(of_the_system.role_proposals), to="accounts:people"),
)


def waiting_now(glance: Glance) -> list[tuple[Source, Waiting]]:
    """Return each source where something waits, in their order."""
    counted = dict(glance.counted)
    for source in SOURCES:
        if source.lines is not None:
            counted[source.name] = summed(source.lines(glance))
    return [
        (source, counted[source.name]) for source in SOURCES if source.name in counted and counted[source.name].count
    ]
