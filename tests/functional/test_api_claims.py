"""Lost tickets, large winnings and longer terms over the API, by those whose work it is (K1, K2, K4)."""

from datetime import timedelta

import pytest

from accounts.models import Role
from payouts.models import Payment, TicketClaim
from tests.claiming import won
from tests.functional.calling import Caller, told
from tests.making import make_player, make_till, make_user
from tests.paying import go_to, payable_from, payable_until
from totalizator.core import clock
from totalizator.core.legal import forget_legal_numbers
from totalizator.core.models import LegalNumber
from totalizator.engine.deadlines import legal_day

pytestmark = pytest.mark.django_db

PERSON = {"identity_number": "CLAIM00001", "birth_date": "1990-05-31"}
SHOWN = {**PERSON, "full_name": "Янка Купала", "document": "MP1234567"}


def test_a_lost_ticket_from_the_claim_to_the_money() -> None:
    till = make_till(1_000)
    pool, slip = won(till)
    go_to(payable_from(pool))
    desk, one, other = Caller(till.cashier), Caller(make_user(Role.ORGANIZER)), Caller(make_user(Role.ORGANIZER))
    body = {"ticket": slip.bet.ticket, "check_code": slip.check_code, "mishap": "lost", "story": "Lost", "shown": SHOWN}
    assert told(Caller(make_player()).post("tickets/claims", body, key=None)) == (403, "not_allowed")
    claim = desk.post("tickets/claims", body, key=None).json()
    assert (claim["state"], claim["code_shown"]) == ("open", True)
    check = {"ticket": slip.bet.ticket, "check_code": slip.check_code}
    assert Caller().post("tickets/check", check, key=None).json()["standing"] == "held"
    assert told(desk.post(f"tickets/{slip.bet.ticket}/payments", {"check_code": slip.check_code})) == (
        409,
        "ticket_held",
    )
    path = f"tickets/claims/{claim['number']}/payments"
    assert told(desk.post(path, {"person": PERSON})) == (409, "wrong_state")
    listed = one.get("staff/ticket-claims").json()["claims"]
    assert [row["number"] for row in listed] == [claim["number"]]
    assert "Купала" not in str(listed)
    why = {"grant": True, "reason": "The code was shown"}
    proposal = one.post(f"staff/ticket-claims/{claim['number']}/proposals", why, key=None).json()
    approval = f"staff/ticket-claim-proposals/{proposal['number']}/approval"
    assert told(desk.post(approval, {}, key=None)) == (403, "not_allowed")
    assert told(one.post(approval, {}, key=None)) == (403, "same_person")
    assert other.post(approval, {}, key=None).json()["state"] == "granted"
    paid = [desk.post(path, {"person": PERSON}, key="once") for _time in range(2)]
    assert [answer.status_code for answer in paid] == [201, 201]
    assert paid[0].json() == paid[1].json()
    assert (paid[0].json()["handed_over"], Payment.objects.count()) == ("0.66", 1)
    assert TicketClaim.objects.get().state == "paid"


def test_a_large_winning_and_c58_where_it_was_paid() -> None:
    LegalNumber.objects.create(name="large_winning_from", valid_from=clock.today(), value="70", source="A test's")
    forget_legal_numbers()
    till = make_till(1_000)
    pool, slip = won(till)
    go_to(payable_from(pool))
    desk, staff = Caller(till.cashier), Caller(make_user(Role.ORGANIZER))
    large, pay = f"tickets/{slip.bet.ticket}/large-payments", f"tickets/{slip.bet.ticket}/payments"
    body = {"check_code": slip.check_code, "shown": SHOWN}
    assert told(desk.post(large, body, key=None)) == (409, "central_desk_only")
    central = f"staff/points/{till.point.code}/central-desk"
    answer = staff.post(central, {"central": True, "reason": "Safe and two people"}, key=None)
    assert answer.json() == {"point": till.point.code, "central": True}
    prepared = desk.post(large, body, key=None).json()
    assert (prepared["amount"], prepared["approved"]) == ("0.70", False)
    assert told(desk.post(pay, {"check_code": slip.check_code})) == (409, "approval_needed")
    assert [row["approved"] for row in staff.get("staff/large-payments").json()["payments"]] == [False]
    assert staff.post(f"staff/large-payments/{prepared['number']}/approval", {}, key=None).json()["approved"]
    assert desk.post(pay, {"check_code": slip.check_code}).status_code == 201
    asked = Caller().post("tickets/check", {"ticket": slip.bet.ticket, "check_code": slip.check_code}, key=None).json()
    assert (asked["standing"], asked["paid_how"]) == ("paid", "cash")
    assert asked["paid_where"] == f"{till.point.name}, {till}"


def test_a_longer_term() -> None:
    pool, _slip = won(make_till())
    one, other = Caller(make_user(Role.ORGANIZER)), Caller(make_user(Role.ORGANIZER))
    day = legal_day(payable_until(pool)) + timedelta(days=3)
    body = {"last_day": day.isoformat(), "reason": "The points were shut", "document": "Order 7"}
    asked = one.post(f"staff/pools/{pool.code}/term-extensions", body, key=None).json()
    path = f"staff/term-extensions/{asked['number']}/approval"
    assert told(one.post(path, {}, key=None)) == (403, "same_person")
    assert other.post(path, {}, key=None).json()["approved"]
    assert set(pool.payables.values_list("payable_until", flat=True)) != {payable_until(pool)}
