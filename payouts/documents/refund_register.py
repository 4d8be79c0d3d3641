"""The register of a pool's refunds as a table for spreadsheets and as JSON (L1)."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from payouts.models import PaymentMethod
from payouts.queries.refunds import RefundRegister, RefundRow, RefundState, RefundTotals, RefundWay
from totalizator.core.csv_text import csv_bytes
from totalizator.core.localtime import local_text
from totalizator.core.money import plain_byn
from totalizator.engine.canonical import canonical_json
from totalizator.engine.instants import instant_text


def register_csv(register: RefundRegister) -> bytes:
    """Return it in the language that is active: what it is of, a row for each stake, totals by channel and of all."""
    rows: list[Sequence[str | int]] = [
        [_("Register of refunds"), register.pool],
        [_("As it stood"), local_text(register.at, with_seconds=True)],
        [_("The ledger says the same"), _("yes") if register.holds else _("no")],
        [],
        [
            _("Ticket"),
            _("Channel"),
            _("Why"),
            _("Stake"),
            _("Due from"),
            _("To be paid by"),
            _("State"),
            _("How it was paid"),
            _("When"),
        ],
        *(_table_row(row) for row in register.rows),
        [],
        [_("Channel"), _("Tickets"), _("Stakes"), *(str(state.label) for state in RefundState)],
        *(_totals_row(str(RefundWay(way).label), totals) for way, totals in register.by_way.items()),
        _totals_row(_("Total"), register.total),
    ]
    return csv_bytes(rows)


def register_document(register: RefundRegister) -> dict[str, Any]:
    """Return it as a document: amounts are text in BYN, names are the same in every language."""
    return {
        "pool": register.pool,
        "at": instant_text(register.at),
        "holds": register.holds,
        "figures": [
            {"name": name, "ledger": plain_byn(figure.ledger), "stated": plain_byn(figure.stated)}
            for name, figure in register.figures.items()
        ],
        "channels": [{"channel": str(way), **_totals(totals)} for way, totals in register.by_way.items()],
        "total": _totals(register.total),
        "refunds": [_row(row) for row in register.rows],
    }


def register_json(register: RefundRegister) -> bytes:
    """Return the document as canonical JSON."""
    return canonical_json(register_document(register))


WRITERS = {"csv": register_csv, "json": register_json}


def _table_row(row: RefundRow) -> Sequence[str | int]:
    return [
        row.ticket,
        str(row.way.label),
        str(row.reason.label),
        row.amount,
        local_text(row.due_from),
        local_text(row.deadline),
        str(row.state.label),
        str(PaymentMethod(row.method).label) if row.method else "",
        local_text(row.settled_at) if row.settled_at is not None else "",
    ]


def _totals_row(name: str, totals: RefundTotals) -> Sequence[str | int]:
    return [name, str(totals.tickets), totals.amount, *totals.by_state.values()]


def _row(row: RefundRow) -> Mapping[str, Any]:
    return {
        "ticket": row.ticket,
        "channel": str(row.way),
        "why": str(row.reason),
        "amount": plain_byn(row.amount),
        "due_from": instant_text(row.due_from),
        "deadline": instant_text(row.deadline),
        "state": str(row.state),
        "method": row.method or None,
        "settled_at": instant_text(row.settled_at) if row.settled_at is not None else None,
    }


def _totals(totals: RefundTotals) -> Mapping[str, Any]:
    by_state = {str(state): plain_byn(amount) for state, amount in totals.by_state.items()}
    return {"tickets": totals.tickets, "amount": plain_byn(totals.amount), **by_state}
