"""Opening and closing a shift at the till's page: counted, differences with a reason, the report (C2)."""

import pytest

from accounts.models import Shift
from accounts.services.shifts import close_shift, open_shift_of
from pools.models import Bet
from tests.functional.browsing import text_of, visitor
from tests.making import make_pool, make_till

pytestmark = pytest.mark.django_db


def test_a_shift_is_closed_and_opened_with_counted_cash() -> None:
    till = make_till(1_000)
    client = visitor(till.cashier)
    assert "open since" in text_of(client.get("/till/"))
    wrong = client.post("/till/shift/close/", {"counted": "9.00", "reason": ""})
    assert wrong.status_code == 400
    assert Shift.objects.get().closed_at is None
    assert client.post("/till/shift/close/", {"counted": "9.00", "reason": "a note was torn"}).status_code == 302
    shift = Shift.objects.get()
    assert (shift.expected, shift.counted, shift.reason) == (1_000, 900, "a note was torn")
    page = client.get("/till/")
    assert "Nothing is sold or paid without an open shift." in text_of(page)
    assert client.get(f"/till/shifts/{shift.number}/report/").content.startswith(b"%PDF")
    assert client.post("/till/shift/open/", {"counted": "many"}).status_code == 400
    assert client.post("/till/shift/open/", {"counted": "9.00"}).status_code == 302
    assert Shift.objects.filter(closed_at__isnull=True).count() == 1


def test_nothing_is_sold_between_shifts() -> None:
    pool, till = make_pool(), make_till()
    shift = open_shift_of(till)
    assert shift is not None
    assert till.cashier is not None
    close_shift(shift=shift, counted=0, closed_by=till.cashier)
    answer = visitor(till.cashier).post(
        f"/api/v1/pools/{pool.code}/bets",
        {"selections": "1;1;1", "stake": "1.00"},
        content_type="application/json",
        headers={"idempotency-key": "K"},
    )
    assert answer.status_code == 409
    assert not Bet.objects.exists()


def test_another_till_s_report_is_not_shown() -> None:
    till, other = make_till(), make_till()
    shift = open_shift_of(till)
    assert shift is not None
    assert till.cashier is not None
    close_shift(shift=shift, counted=0, closed_by=till.cashier)
    assert visitor(other.cashier).get(f"/till/shifts/{shift.number}/report/").status_code == 404
