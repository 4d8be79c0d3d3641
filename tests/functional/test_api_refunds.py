"""Refunds over the API: the register for staff and regulator, the decision of two people (L1, D-12)."""

import pytest

from accounts.models import Role
from payouts.tasks import book_due_payables
from tests.cancelled_pools import cancel, go_past_the_limitation
from tests.functional.calling import Caller, told
from tests.making import make_organizers, make_player, make_pool, make_till, make_user
from tests.paying import sell_slips
from tests.settling import jackpot_of

pytestmark = pytest.mark.django_db


def test_staff_and_regulator_read_the_register_and_nobody_else() -> None:
    pool = make_pool("sportloto-variant")
    (slip,) = sell_slips(pool, make_till(), ("1", 100))
    cancel(pool)
    book_due_payables()
    path = f"reports/refunds/{pool.code}"
    for reader in (make_organizers()[0], make_user(Role.REGULATOR)):
        register = Caller(reader).get(path).json()
        assert (register["holds"], register["total"]["due"], register["refunds"][0]["ticket"]) == (
            True,
            "1.00",
            slip.bet.ticket,
        )
        table = Caller(reader).get(f"{path}.csv")
        assert (table.status_code, table["Content-Disposition"]) == (
            200,
            f'attachment; filename="refunds-{pool.code}.csv"',
        )
        assert slip.bet.ticket in table.content.decode()
    for stranger in (make_player(), make_till().cashier, make_user(Role.COMMISSION)):
        assert told(Caller(stranger).get(path)) == (403, "not_allowed")
    assert told(Caller(make_organizers()[0]).get("reports/refunds/NONE")) == (404, "not_found")


def test_two_of_the_staff_decide_about_what_nobody_collected() -> None:
    pool = make_pool("sportloto-variant")
    sell_slips(pool, make_till(), ("1", 100))
    cancellation = cancel(pool)
    book_due_payables()
    one, other = (Caller(person) for person in make_organizers())
    path = f"staff/pools/{pool.code}/refund-lapse-proposals"
    assert told(one.post(path, {"document": "Order 5"})) == (409, "wrong_state")
    go_past_the_limitation(cancellation)
    one, other = (Caller(person) for person in make_organizers())
    proposal = one.post(path, {"document": "Order 5"}).json()
    assert (proposal["tickets"], proposal["amount"], proposal["approved"]) == (1, "1.00", False)
    approval = f"staff/refund-lapse-proposals/{proposal['number']}/approval"
    assert told(one.post(approval, {})) == (403, "same_person")
    assert other.post(approval, {}).json()["amount"] == "1.00"
    assert one.get("staff/refund-lapse-proposals").json()["proposals"][0]["approved"] is True
    assert jackpot_of(pool.game) == 100
