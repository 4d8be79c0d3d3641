"""A pool's money certificate: where every kopeck went, from the ledger beside the published statement (I3, X4)."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import connection
from django.db.models import Sum

from accounts.ledger.kinds import AccountKind, TransferKind
from payouts.models import (
    WINNINGS,
    Booking,
    CorrectedPayable,
    CorrectionBooking,
    CorrectionOutcome,
    Payable,
    PayableKind,
    PayableState,
)
from pools.models import (
    Bet,
    BetCancellation,
    Cancellation,
    CancelledWhen,
    Pool,
    Settlement,
    SettlementState,
)
from totalizator.engine.canonical import parse_json


@dataclass(frozen=True, slots=True)
class Figure:
    """One sum in kopecks, counted twice. `stated` comes from the statement (or the rows of bets and payables)."""

    name: str
    ledger: int
    stated: int

    @property
    def agrees(self) -> bool:
        """Whether both say the same."""
        return self.ledger == self.stated


@dataclass(frozen=True, slots=True)
class MoneyCertificate:
    """Every figure of one pool. `left` is what the ledger still has in the pot: 0."""

    pool: str
    figures: Mapping[str, Figure]
    left: int

    @property
    def came_in(self) -> int:
        """Turnover, the jackpot drawn and the organizer's addition, by the ledger."""
        return sum(self.figures[name].ledger for name in ("turnover", "jackpot_in", "added"))

    @property
    def went_out(self) -> int:
        """Returned stakes, takeout, winnings and what went into the jackpot, by the ledger."""
        return sum(self.figures[name].ledger for name in ("refunds", "takeout", "winnings", "jackpot_out"))

    @property
    def holds(self) -> bool:
        """Whether all came in that went out, all figures agree, and every winning is paid, unpaid or expired."""
        winnings = self._of("paid", "unpaid", "expired", "revoked") - self._of("corrected_winnings")
        returned = self._of("refunds_paid", "refunds_unpaid", "refunds_lapsed")
        returned -= self._of("cancelled_stakes", "corrected_refunds")
        return (
            self.came_in == self.went_out
            and self.left == 0
            and winnings == self.figures["winnings"].ledger
            and returned == self.figures["refunds"].ledger
            and all(figure.agrees for figure in self.figures.values())
        )

    def _of(self, *names: str) -> int:
        return sum(self.figures[name].ledger for name in names if name in self.figures)


# The book's money by what moved it and between which kinds of account.
_FLOWS = """
SELECT t.kind, d.kind, c.kind, sum(e.amount)
FROM accounts_entry e
JOIN accounts_transfer t USING (book, key)
JOIN accounts_ledgeraccount d ON d.id = e.debit_id
JOIN accounts_ledgeraccount c ON c.id = e.credit_id
WHERE e.book = %s GROUP BY t.kind, d.kind, c.kind
"""

_INTO_JACKPOT = (
    TransferKind.JACKPOT_UNDRAWN,
    TransferKind.JACKPOT_NO_WINNER,
    TransferKind.JACKPOT_CAP,
    TransferKind.JACKPOT_REMAINDER,
)

_Flow = tuple[str, str, str]


def money_certificate(pool: Pool) -> MoneyCertificate | None:
    """Return the certificate of a settled or cancelled pool; None while its money is still in the pot."""
    settlement = Settlement.objects.filter(pool=pool, state=SettlementState.OFFICIAL).first()
    if settlement is None and not Cancellation.objects.filter(pool=pool).exists():
        return None
    flows = _flows(pool)
    ledger, stated = _by_ledger(flows), _by_statement(pool, settlement)
    rows = _by_rows(pool)
    stated.update(rows if Booking.objects.filter(pool=pool).exists() else _unbooked(stated, rows))
    cancelled = _of_cancelled_bets(pool)
    if any(cancelled.values()):
        stated.update(cancelled)
        ledger.update(
            cancelled_stakes=_sum_of(flows, TransferKind.BET_CANCELLED),
            revoked=_sum_of(flows, TransferKind.JACKPOT_CANCELLED),
        )
    corrected = CorrectionBooking.objects.filter(pool=pool).first()
    if corrected is not None:
        stated.update(_of_correction(corrected))
        ledger.update(_correction_by_ledger(flows))
    lapsed = _lapsed(pool)
    if lapsed:
        stated["refunds_lapsed"], ledger["refunds_lapsed"] = lapsed, _sum_of(flows, TransferKind.JACKPOT_REFUND)
    figures = {name: Figure(name, ledger[name], stated[name]) for name in ledger}
    return MoneyCertificate(pool.code, figures, left=_balance(flows, AccountKind.POOL_POT))


def _flows(pool: Pool) -> Mapping[_Flow, int]:
    with connection.cursor() as cursor:
        cursor.execute(_FLOWS, [pool.pk])
        return {(kind, debit, credit): int(amount) for kind, debit, credit, amount in cursor.fetchall()}


def _balance(flows: Mapping[_Flow, int], account: AccountKind) -> int:
    return sum(amount * ((credit == account) - (debit == account)) for (_kind, debit, credit), amount in flows.items())


def _by_ledger(flows: Mapping[_Flow, int]) -> dict[str, int]:
    kinds: dict[str, int] = {}
    for (kind, _debit, _credit), amount in flows.items():
        kinds[kind] = kinds.get(kind, 0) + amount

    def of(*wanted: TransferKind) -> int:
        return sum(kinds.get(kind, 0) for kind in wanted)

    net = of(TransferKind.STAKE) - of(TransferKind.REFUND)
    return {
        "turnover": of(TransferKind.STAKE),
        "refunds": of(TransferKind.REFUND),
        "takeout": of(TransferKind.TAKEOUT),
        "fund": net - of(TransferKind.TAKEOUT),
        "added": of(TransferKind.TOP_UP),
        "jackpot_in": of(TransferKind.JACKPOT_DRAWN),
        "winnings": of(TransferKind.WINNINGS),
        "remainder": of(TransferKind.JACKPOT_REMAINDER),
        "jackpot_out": of(*_INTO_JACKPOT),
        "paid": of(TransferKind.WINNING_PAID),
        "unpaid": _balance(flows, AccountKind.WINNINGS_DUE),
        "expired": of(TransferKind.JACKPOT_UNCLAIMED),
        "refunds_paid": of(TransferKind.REFUND_PAID),
        "refunds_unpaid": _balance(flows, AccountKind.REFUNDS_DUE),
    }


def _of_cancelled_bets(pool: Pool) -> dict[str, int]:
    """Return what bets cancelled after the settlement moved; the published settlement knows nothing of it (D-3)."""
    after = BetCancellation.objects.filter(pool=pool, cancelled_when=CancelledWhen.AFTER)
    tickets = after.values("ticket")
    revoked = Payable.objects.filter(pool=pool, ticket__in=tickets, kind__in=WINNINGS, state=PayableState.REVOKED)
    by_correction = CorrectedPayable.objects.filter(pool=pool, outcome=CorrectionOutcome.REVOKED).values("ticket")
    sums = revoked.exclude(ticket__in=by_correction).aggregate(total=Sum("amount", default=0))
    stakes = after.aggregate(total=Sum("stake", default=0))
    return {"cancelled_stakes": int(stakes["total"]), "revoked": int(sums["total"])}


def _of_correction(booking: CorrectionBooking) -> dict[str, int]:
    """Return what a correction moved beside the settlement, above zero: out of the organizer's money (H5)."""
    return {
        "corrected_winnings": booking.winnings_added - booking.winnings_taken,
        "corrected_refunds": booking.refunds_added - booking.refunds_taken,
        "corrected_takeout": booking.takeout,
        "corrected_jackpot": booking.jackpot,
    }


def _correction_by_ledger(flows: Mapping[_Flow, int]) -> dict[str, int]:
    kinds = (
        TransferKind.CORRECTION_ADDED,
        TransferKind.CORRECTION_TAKEN,
        TransferKind.CORRECTION_TAKEOUT,
        TransferKind.JACKPOT_CORRECTED,
    )
    corrected = {flow: amount for flow, amount in flows.items() if flow[0] in kinds}
    return {
        "corrected_winnings": _balance(corrected, AccountKind.WINNINGS_DUE),
        "corrected_refunds": _balance(corrected, AccountKind.REFUNDS_DUE),
        "corrected_takeout": _balance(corrected, AccountKind.TAKEOUT),
        "corrected_jackpot": _balance(corrected, AccountKind.JACKPOT),
    }


def _lapsed(pool: Pool) -> int:
    """Return what of the refunds nobody collected in the limitation term (D-12)."""
    rows = Payable.objects.filter(pool=pool, state=PayableState.LAPSED)
    return int(rows.aggregate(total=Sum("amount", default=0))["total"])


def _sum_of(flows: Mapping[_Flow, int], wanted: TransferKind) -> int:
    return sum(amount for (kind, _debit, _credit), amount in flows.items() if kind == wanted)


def _by_statement(pool: Pool, settlement: Settlement | None) -> dict[str, int]:
    names = ("turnover", "refunds", "takeout", "fund", "added", "jackpot_in", "winnings", "jackpot_out")
    if settlement is None:
        stakes = int(Bet.objects.filter(pool=pool).aggregate(total=Sum("stake"))["total"] or 0)
        return {**dict.fromkeys(names, 0), "turnover": stakes, "refunds": stakes, "remainder": 0}
    statement = parse_json(settlement.statement_text.encode(), where="statement.json")
    remainder = sum(level["remainder"] for level in statement["levels"])
    return {**{name: int(statement[name]) for name in names}, "remainder": remainder}


def _unbooked(stated: Mapping[str, int], rows: Mapping[str, int]) -> dict[str, int]:
    """Before the payables are drawn up nothing is paid but the stakes of bets cancelled before (¶29)."""
    returned = rows["refunds_paid"]
    unpaid = {"unpaid": stated["winnings"], "refunds_unpaid": stated["refunds"] - returned}
    return {"paid": 0, "expired": 0, "refunds_paid": returned, **unpaid}


def _by_rows(pool: Pool) -> dict[str, int]:
    rows = Payable.objects.filter(pool=pool).values_list("kind", "state").annotate(total=Sum("amount"))
    sums: dict[tuple[str, str], int] = {}
    for kind, state, total in rows:
        key = (PayableKind.WINNING if kind in WINNINGS else kind, state)
        sums[key] = sums.get(key, 0) + int(total)
    return {
        "paid": sums.get((PayableKind.WINNING, PayableState.PAID), 0),
        "unpaid": sums.get((PayableKind.WINNING, PayableState.DUE), 0),
        "expired": sums.get((PayableKind.WINNING, PayableState.EXPIRED), 0),
        "refunds_paid": sums.get((PayableKind.REFUND, PayableState.PAID), 0),
        "refunds_unpaid": sums.get((PayableKind.REFUND, PayableState.DUE), 0),
    }
