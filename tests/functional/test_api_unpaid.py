"""The book of unpaid winnings: no ticket can be cashed by it, each look is known, copies are few (K3)."""

from datetime import timedelta

import pytest

from accounts.models import Role
from payouts.models import UnpaidListCopy
from payouts.services.booking import book_payables
from tests.claiming import claimed
from tests.functional.calling import Caller, told
from tests.making import bet_from_account, make_player, make_pool, make_till, make_user
from tests.paying import go_to, pay, payable_from, payable_until, sell_slips
from tests.settling import settle
from totalizator.core import clock
from totalizator.core.models import JournalRecord
from totalizator.engine.deadlines import legal_day

pytestmark = pytest.mark.django_db


def test_k3_the_list_names_no_ticket_and_no_code_and_each_look_is_journalled() -> None:
    till, player = make_till(1_000), make_player(1_000)
    pool = make_pool("sportloto-variant")
    slips = sell_slips(pool, till, ("1", 100), ("1", 100), ("2", 100), ("1", 100))
    waiting, held, lost, paid = slips
    bet_from_account(pool, player, "1", 100)
    settle(pool, "1")
    book_payables(code=pool.code)
    claimed(held, till)
    go_to(payable_from(pool))
    pay(paid, till)
    path = f"staff/pools/{pool.code}/unpaid-winnings"
    for other in (player, till.cashier, make_user(Role.COMMISSION), make_user(Role.REGULATOR)):
        assert Caller(other).get(path).status_code == 403
    assert JournalRecord.objects.filter(act="view_unpaid").count() == 0
    staff = make_user(Role.ORGANIZER)
    caller = Caller(staff)
    first = caller.get(f"{path}?page_size=1")
    second = caller.get(first.json()["next"].rpartition("/api/v1/")[2])
    rows = first.json()["winnings"] + second.json()["winnings"]
    assert second.json()["next"] is None
    shown = {(row["ticket"], row["amount"], row["sold_at"], row["held"], row["bound"]) for row in rows}
    point = till.point.code
    assert shown == {
        (f"…{waiting.bet.ticket[-3:]}", "0.87", point, False, False),
        (f"…{held.bet.ticket[-3:]}", "0.87", point, True, False),
    }
    told_all = first.content.decode() + second.content.decode()
    for slip in (waiting, held, lost, paid):
        assert slip.bet.ticket not in told_all
        assert slip.check_code not in told_all
    looks = JournalRecord.objects.filter(act="view_unpaid", subject=f"pool:{pool.code}")
    assert [look.actor for look in looks] == [staff.actor] * 2
    assert told(caller.get("staff/pools/NONE/unpaid-winnings")) == (404, "not_found")


def test_k3_copies_are_numbered_and_the_third_of_a_day_is_refused() -> None:
    till = make_till()
    pool = make_pool("sportloto-variant")
    (slip, _lost) = sell_slips(pool, till, ("1", 100), ("2", 100))
    settle(pool, "1")
    book_payables(code=pool.code)
    one, other = make_user(Role.ORGANIZER), make_user(Role.ORGANIZER)
    path = f"staff/pools/{pool.code}/unpaid-winnings/copies"
    assert told(Caller(till.cashier).post(path, {}, key=None)) == (403, "not_allowed")
    go_to(payable_from(pool) + timedelta(hours=1))
    first = Caller(one).post(path, {}, key=None)
    assert (first.status_code, first["Content-Type"]) == (201, "text/csv")
    text = first.content.decode("utf-8-sig")
    last_day = legal_day(payable_until(pool)) - timedelta(days=1)
    assert f"…{slip.bet.ticket[-3:]};1,40;{till.point.code};{last_day.isoformat()};;" in text
    assert one.username in text.splitlines()[0]
    assert slip.bet.ticket not in text
    assert Caller(other).post(path, {}, key=None).status_code == 201
    assert told(Caller(one).post(path, {}, key=None)) == (409, "limit_reached")
    copies = UnpaidListCopy.objects.order_by("pk").values_list("number", "rows", "made_by")
    assert list(copies) == [(1, 1, one.pk), (2, 1, other.pk)]
    assert JournalRecord.objects.filter(act="export_unpaid").count() == 2
    clock.move_clock(timedelta(days=1))
    assert Caller(one).post(path, {}, key=None).status_code == 201
