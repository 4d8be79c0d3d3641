"""The organizer's pages of cash on its way, and of agents (¶9.5-9.7, ¶35.1, C3)."""

from typing import Any

import pytest

from accounts.models import Agent, Handover, HandoverState, PointKind, Role, Route
from accounts.services.handovers import announce_handover
from payouts.models import AgentCommission
from payouts.services.agent_commissions import post_agent_commissions
from payouts.services.booking import book_payables
from tests.desks import cash_in, make_agent
from tests.functional.browsing import hidden, text_of, visitor
from tests.making import bet_in_cash, make_organizers, make_pool, make_till, make_user
from tests.settling import settle

pytestmark = pytest.mark.django_db
GIVE = "/desk/cash/give/"


def refused(answer: Any, *fields: str) -> bool:
    return (answer.status_code, list(answer.context["form"].errors)) == (400, list(fields))


def test_p9_5_cash_goes_from_point_to_desk_to_bank_and_back_by_two_people() -> None:
    (one, other), till = make_organizers(), make_till(10_000)
    first, second = visitor(one), visitor(other)
    assert till.cashier is not None
    coming = announce_handover(route=Route.POINT_TO_DESK, amount=6_000, given_by=till.cashier, till=till)
    page = first.get("/desk/cash/")
    assert (page.context["in_desk"], page.context["on_its_way"]) == (0, 6_000)
    here = f"/desk/cash/{coming.number}/"
    assert here in page.content.decode()
    assert refused(first.post(here, {"counted": "59.50"}), "reason")
    assert refused(first.post(here, {"counted": "x"}), "counted")
    coming.refresh_from_db()
    assert coming.state == HandoverState.ANNOUNCED
    assert first.post(here, {"counted": "59.50", "reason": "A false note"}).status_code == 302
    coming.refresh_from_db()
    assert (coming.counted, coming.received_by) == (5_950, one)
    assert "A false note" in text_of(first.get(here))
    assert first.post(here, {"counted": "1"}).status_code == 200  # nothing is taken any more
    page = first.get("/desk/cash/?state=received")
    assert (page.context["in_desk"], page.context["on_its_way"]) == (5_950, 0)
    token = hidden(first.get(GIVE), "token")
    written = {"route": "desk_to_bank", "amount": "50", "document": "Order 7", "token": token}
    for broken, field in (
        ({"route": "point_to_desk"}, "route"),
        ({"amount": "0"}, "amount"),
        ({"document": ""}, "document"),
        ({"till": "P1/x"}, "till"),
        ({"till": str(till)}, "till"),
        ({"amount": "9999"}, "__all__"),
    ):
        assert refused(first.post(GIVE, {**written, **broken}), field), broken
    assert Handover.objects.count() == 1
    for _ in range(2):  # sent twice, given once
        assert first.post(GIVE, written)["Location"] == "/desk/cash/2/"
    to_bank = Handover.objects.get(number=2)
    mine, theirs = first.get("/desk/cash/2/"), second.get("/desk/cash/2/")
    assert (mine.context["form"], theirs.context["form"] is None) == (None, False)
    assert "Another person must receive it." in text_of(mine)
    first.post("/desk/cash/2/", {"counted": "50"})
    to_bank.refresh_from_db()
    assert to_bank.state == HandoverState.ANNOUNCED
    assert second.post("/desk/cash/2/", {"counted": "50"}).status_code == 302
    to_bank.refresh_from_db()
    assert (to_bank.state, to_bank.received_by) == (HandoverState.RECEIVED, other)
    pdf = first.get("/desk/cash/2/document/")
    assert (pdf["Content-Type"], pdf.content[:5]) == ("application/pdf", b"%PDF-")
    token = hidden(first.get(f"{GIVE}?till={till}"), "token")
    to_point = {"route": "desk_to_point", "amount": "9", "till": str(till), "token": token}
    assert first.post(GIVE, to_point).status_code == 302
    at_till = second.get("/desk/cash/3/")
    assert "The cashier of the till takes it over" in text_of(at_till)
    assert second.post("/desk/cash/3/", {"counted": "9"}).status_code == 200
    assert Handover.objects.get(number=3).state == HandoverState.ANNOUNCED
    assert (second.get("/desk/cash/99/").status_code, cash_in(till)) == (404, 4_000)


def test_p35_1_an_agent_is_registered_extended_and_what_it_is_owed_is_shown() -> None:
    client = visitor(make_user(Role.ORGANIZER))
    written = {"name": "Agent Ltd", "contract_number": "A-900", "valid_from": "2020-01-01"}
    written |= {"valid_until": "2049-12-31", "commission": "3/50"}
    for broken, field in (
        ({"commission": "3"}, "commission"),
        ({"commission": "1/0"}, "commission"),
        ({"valid_until": "2019-12-31"}, "valid_until"),
        ({"name": ""}, "name"),
    ):
        assert refused(client.post("/desk/agents/new/", {**written, **broken}), field), broken
    assert not Agent.objects.exists()
    assert client.post("/desk/agents/new/", written).status_code == 302
    assert refused(client.post("/desk/agents/new/", written), "contract_number")
    agent = Agent.objects.get()
    here = f"/desk/agents/{agent.pk}/"
    earlier = {"valid_until": "2030-01-01", "document": "Annex 1"}
    assert refused(client.post(f"{here}extend/", earlier), "valid_until")
    assert client.post(f"{here}extend/", {**earlier, "valid_until": "2050-06-30"}).status_code == 302
    agent.refresh_from_db()
    assert agent.valid_until.isoformat() == "2050-06-30"
    pool, till = make_pool("totolot-variant"), make_till(kind=PointKind.AGENT, agent=agent)
    bet_in_cash(pool, till, "1", 1_100)
    settle(pool, "1")
    book_payables(code=pool.code)
    post_agent_commissions(code=pool.code)
    assert AgentCommission.objects.get().amount == 66
    client = visitor(make_user(Role.ORGANIZER))  # days have passed
    page = client.get(here)
    assert (page.context["owed"], page.context["stakes"]) == (66, 1_100)
    assert f"{pool.code} BYN 11.00 6 % BYN 0.66" in text_of(page)
    assert till.point.code in text_of(page)
    make_agent("1/20")
    listed = {agent.name: owed for agent, owed in client.get("/desk/agents/").context["shown"]}
    assert (listed["Agent Ltd"], sum(listed.values()), len(listed)) == (66, 66, 2)
    assert "6 %" in text_of(client.get("/desk/agents/?q=a-900"))
    assert not client.get("/desk/agents/?q=nobody").context["shown"]
