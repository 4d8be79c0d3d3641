"""docs/states.md tells the moves of withdrawals, payment orders and deposits; an order walks every pair."""

import re
from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import Path

import pytest

from accounts.models import ORDER_MOVES, OrderState, PaymentOrder
from accounts.models.providers import DEPOSIT_MOVES
from accounts.models.withdrawals import MOVES
from accounts.services.payment_orders import (
    Payee,
    draw_up_anew,
    draw_up_order,
    note_executed,
    note_exported,
    note_returned,
)
from tests.making import make_organizers
from tests.refusals import refused
from totalizator.core import clock
from totalizator.core.errors import Refusal

STATES_PAGE = Path(__file__).parents[2] / "docs" / "states.md"


def rows_of(heading: str) -> set[tuple[str, str]]:
    """The (from, to) pairs of a table of the page, as they are stored."""
    section = STATES_PAGE.read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ([a-z ]+) \| ([a-z ]+) \|", section, flags=re.MULTILINE)
    return {(came_from.replace(" ", "_"), to.replace(" ", "_")) for came_from, to in rows} - {("from", "to")}


@pytest.mark.parametrize(
    ("heading", "moves"),
    [("Withdrawal", MOVES), ("Payment order", ORDER_MOVES), ("Deposit by a payment system", DEPOSIT_MOVES)],
)
def test_the_page_tells_every_move(heading: str, moves: Mapping[Enum, frozenset[Enum]]) -> None:
    assert rows_of(heading) == {(came_from.value, to.value) for came_from, ends in moves.items() for to in ends}


@pytest.mark.django_db
@pytest.mark.parametrize("came_from", OrderState)
@pytest.mark.parametrize("to", [state for state in OrderState if state != OrderState.DRAWN_UP])
def test_an_order_moves_as_the_table_says_and_no_other_way(came_from: OrderState, to: OrderState) -> None:
    # Spelled as an IBAN, and none: so it can come back without having been given to the bank.
    payee, (staff, _other) = Payee("Name", "BY00AKBB30120000000000000017"), make_organizers()
    order = draw_up_order(cause="refund:x", payee=payee, amount=5, purpose="x", at=clock.now(), actor="test")
    PaymentOrder.objects.filter(pk=order.pk).update(state=came_from)
    order.refresh_from_db()
    act: Callable[[], object] = {
        OrderState.EXPORTED: lambda: note_exported(orders=[order], file_digest="sha256:0", actor="test"),
        OrderState.EXECUTED: lambda: note_executed(order=order, bank_reference="x", actor="test"),
        OrderState.RETURNED: lambda: note_returned(order=order, reason="x", by=staff),
        OrderState.REPLACED: lambda: draw_up_anew(order=order, payee=Payee("Name", "BY00"), drawn_up_by=staff),
    }[to]
    if to in ORDER_MOVES[came_from]:
        act()
        assert PaymentOrder.objects.get(pk=order.pk).state == to
    else:
        assert refused(act).code is Refusal.WRONG_STATE
