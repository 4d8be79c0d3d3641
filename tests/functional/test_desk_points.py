"""The organizer's pages of betting points: registered, found, papers filed, limits, switched, paused (¶9.2-9.7, C1)."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.models import (
    BettingPoint,
    CashLimit,
    DocumentKind,
    PointDocument,
    Role,
    TakingsAgreement,
)
from accounts.services.bank_terms import record_cash_limit
from accounts.services.points import register_point
from payouts.models import CentralDesk
from pools.models import Incident, IncidentState
from tests.desks import LAST, SCAN, file_paper, keeper, make_agent, make_point
from tests.functional.browsing import hidden, text_of, visitor
from tests.making import bet_in_cash, make_pool, make_till, make_user
from totalizator.core import clock

pytestmark = pytest.mark.django_db
POINT = {"code": "S1", "name": "Station", "kind": "own", "address": "Brest, 1 Lenin St.", "time_zone": "Europe/Minsk"}


def staff() -> Any:
    return visitor(make_user(Role.ORGANIZER))


def codes(answer: Any) -> list[str]:
    return [point.code for point, _state in answer.context["shown"]]


def test_a_point_is_registered_and_nothing_wrong_is() -> None:
    client, agent = staff(), make_agent()
    wrong = (
        ({"code": "a b"}, "code"),
        ({"code": "Ж1"}, "code"),
        ({"code": "x" * 13}, "code"),
        ({"name": " "}, "name"),
        ({"time_zone": "Minsk"}, "time_zone"),
        ({"kind": "shop"}, "kind"),
        ({"kind": "agent"}, "agent"),
        ({"agent": agent.pk}, "agent"),
        ({"agent": 10**20}, "agent"),
    )
    for broken, field in wrong:
        answer = client.post("/desk/new-point/", {**POINT, **broken})
        assert (answer.status_code, list(answer.context["form"].errors)) == (400, [field]), broken
    assert not BettingPoint.objects.exists()
    done = client.post("/desk/new-point/", POINT)
    assert (done.status_code, done["Location"]) == (302, "/desk/points/S1/")
    again = client.post("/desk/new-point/", POINT)
    assert "There is a point with this code." in str(again.context["form"].errors["code"])
    of_agent = {**POINT, "code": "S2", "kind": "agent", "agent": agent.pk}
    assert client.post("/desk/new-point/", of_agent).status_code == 302
    assert list(BettingPoint.objects.order_by("code").values_list("code", "agent")) == [("S1", None), ("S2", agent.pk)]
    page = text_of(client.get("/desk/points/S2/"))
    assert f"{agent.name} {agent.contract_number}" in page
    assert "The point has no till yet." in page
    assert client.get("/desk/points/S3/").status_code == 404


def test_points_are_found_by_words_town_kind_and_state() -> None:
    client, by = staff(), keeper()
    for number, (name, address) in enumerate(
        [("Kiosk", "220030, Minsk, 1"), ("Station", "Brest, 2"), ("Shop", "Minsk, Brest St."), ("Stand", "")]
    ):
        kind = "event_site" if name == "Stand" else "own"
        register_point(code=f"P{number}", name=name, address=address, kind=kind, by=by)  # type: ignore[arg-type]
    every = client.get("/desk/points/")
    assert codes(every) == ["P0", "P1", "P2", "P3"]
    assert [value for value, _label in every.context["form"].fields["town"].choices] == ["", "Brest", "Minsk"]
    assert codes(client.get("/desk/points/?q=brest")) == ["P1", "P2"]
    assert codes(client.get("/desk/points/?q=minsk+kio")) == ["P0"]
    assert codes(client.get("/desk/points/?town=Minsk")) == ["P0", "P2"]
    assert codes(client.get("/desk/points/?kind=event_site")) == ["P3"]
    BettingPoint.objects.filter(code="P1").update(enabled=False)
    assert codes(client.get("/desk/points/?show=off")) == ["P1"]
    assert codes(client.get("/desk/points/?show=on")) == ["P0", "P2", "P3"]
    assert codes(client.get("/desk/points/?show=papers")) == ["P0", "P2"]
    nothing = client.get("/desk/points/?q=nowhere")
    assert "No point is found." in text_of(nothing)
    for wrong in ("kind=shop", "town=Gomel", "show=x", f"q={'x' * 101}"):
        answer = client.get(f"/desk/points/?{wrong}")
        assert (answer.status_code, codes(answer)) == (400, ["P0", "P1", "P2", "P3"]), wrong


def test_p9_6_points_near_their_limit_are_listed_the_fullest_first() -> None:
    (client, by), (one, other, free) = (staff(), keeper()), (make_till(8_000), make_till(9_999), make_till(99_999))
    for till in (one, other):
        record_cash_limit(point=till.point, amount=10_000, valid_from=clock.today(), document="L", by=by)
    full, near = other.point.code, one.point.code
    assert codes(client.get("/desk/points/?show=cash")) == sorted([full, near])
    cash = client.get("/desk/cash/")
    assert [point.code for point in cash.context["near"]] == [full, near]
    assert free.point.code not in [point.code for point in cash.context["near"]]
    page = client.get(f"/desk/points/{full}/").content.decode()
    assert '<progress id="cash" value="9999" max="10000">' in page
    record_cash_limit(point=one.point, amount=10_001, valid_from=clock.today(), document="L", by=by)
    assert codes(client.get("/desk/points/?show=cash")) == [full]
    dashboard = client.get("/desk/").content.decode()
    assert ('href="/desk/cash/"' in dashboard, 'href="/desk/papers/"' in dashboard) == (True, True)


def test_the_list_of_many_points_asks_few_questions(django_assert_max_num_queries: Any) -> None:
    points = [BettingPoint(code=f"M{number:04}", name=f"Point {number}", address="Minsk, 1") for number in range(2_000)]
    BettingPoint.objects.bulk_create(points)
    client = staff()
    client.get("/desk/points/")
    for asked in ("", "?show=papers&page=3", "?show=cash"):
        with django_assert_max_num_queries(13):
            assert len(client.get(f"/desk/points/{asked}").content) < 100_000
    answer = client.get("/desk/points/?town=Minsk&q=point&page=40")
    assert (codes(answer)[0], codes(answer)[-1]) == ("M1950", "M1999")
    assert 'href="?town=Minsk&amp;q=point&amp;page=39"' in answer.content.decode()


def test_p9_4_papers_are_filed_by_versions_and_what_ends_is_told_with_its_page() -> None:
    client, point = staff(), make_point("S1", papers=False)
    here, soon = "/desk/points/S1/papers/", clock.today() + timedelta(days=10)
    told = {"kind": "licence", "number": "L-1", "valid_from": "2020-01-01", "valid_until": soon.isoformat()}

    def sent(content: bytes, **changes: str) -> Any:
        return client.post(here, {**told, **changes, "file": SimpleUploadedFile("My scan.pdf", content)})

    wrong = (
        (sent(b"MZ"), "file"),
        (sent(b""), "file"),
        (sent(SCAN, kind="photo"), "kind"),
        (sent(SCAN, number=" "), "number"),
        (sent(SCAN, valid_until="2019-12-31"), "valid_until"),
        (sent(SCAN, valid_from="soon"), "valid_from"),
        (client.post(here, told), "file"),
    )
    for answer, field in wrong:
        assert (answer.status_code, list(answer.context["form"].errors)) == (400, [field]), field
    assert not PointDocument.objects.exists()
    states = {paper.kind: paper.state for paper in client.get("/desk/points/S1/").context["papers"]}
    assert states == dict.fromkeys(DocumentKind, "missing")
    assert sent(SCAN).status_code == 302
    document = PointDocument.objects.get()
    assert (document.number, document.valid_until, document.original_name) == ("L-1", soon, "My scan.pdf")
    page = client.get("/desk/points/S1/")
    assert next(paper.state for paper in page.context["papers"] if paper.document) == "ending"
    assert f"/api/v1/staff/papers/{document.pk}/scan" in page.content.decode()
    for kind in DocumentKind:
        if kind != DocumentKind.LICENCE:
            file_paper(point, kind)
    ending = client.get("/desk/papers/")
    (paper,) = ending.context["papers"]
    assert (paper.whose, paper.what, paper.to) == ("point S1", "licence", "/desk/points/S1/")
    assert (paper.last_day, paper.is_over) == (soon, False)
    assert sent(SCAN, number="L-2", valid_until="").status_code == 302
    assert "Nothing ends, nothing is missing." in text_of(client.get("/desk/papers/"))
    assert client.get(here).content.decode().count("My scan.pdf") == 2


def test_whatever_ends_leads_to_its_page() -> None:
    client, day = staff(), clock.today()
    agent = make_agent(valid_until=day + timedelta(days=5))
    till = make_till(kind="agent", agent=agent)  # type: ignore[arg-type]
    here = f"/desk/points/{till.point.code}/tills/{till.number}/"
    tomorrow = (day + timedelta(days=1)).isoformat()
    term = {"number": "C-2", "valid_from": "2020-01-01", "valid_until": tomorrow}
    assert client.post(f"{here}certificate/", term).status_code == 302
    assert client.post("/desk/agreement/", {**term, "number": "B-2", "bank": "The bank"}).status_code == 302
    found = {paper.what: (paper.whose, paper.to) for paper in client.get("/desk/papers/").context["papers"]}
    assert found == {
        "examination certificate C-2": (f"till {till}", here),
        f"contract {agent.contract_number}": (agent.name, f"/desk/agents/{agent.pk}/"),
        "agreement of the bank B-2": ("all points", "/desk/agreement/"),
    }


def test_p9_6_p9_7_the_banks_terms_are_recorded() -> None:
    client, point = staff(), make_point("S1")
    agreements = TakingsAgreement.objects.count()
    here, limit = "/desk/points/S1/cash-limit/", {"amount": "5000", "valid_from": "2026-01-01", "document": "Letter 1"}
    for broken, field in (({"amount": "-1"}, "amount"), ({"amount": "x"}, "amount"), ({"document": ""}, "document")):
        answer = client.post(here, {**limit, **broken})
        assert (answer.status_code, list(answer.context["form"].errors)) == (400, [field])
    assert not CashLimit.objects.exists()
    assert client.post(here, limit).status_code == 302
    assert "BYN 5,000.00" in text_of(client.get("/desk/points/S1/"))
    assert client.post(here, {**limit, "amount": ""}).status_code == 302
    assert "the bank has set no limit" in text_of(client.get("/desk/points/S1/"))
    assert list(CashLimit.objects.order_by("pk").values_list("amount", flat=True)) == [500_000, None]
    own = {"bank": "The bank", "number": "B-7", "valid_from": "2026-01-01", "valid_until": "2025-12-31"}
    answer = client.post("/desk/points/S1/agreement/", own)
    assert (answer.status_code, list(answer.context["form"].errors)) == (400, ["valid_until"])
    assert TakingsAgreement.objects.count() == agreements
    assert client.post("/desk/points/S1/agreement/", {**own, "valid_until": LAST.isoformat()}).status_code == 302
    assert TakingsAgreement.objects.get(number="B-7").point == point
    assert "The bank, B-7" in text_of(client.get("/desk/points/S1/"))


def test_c1_a_point_is_switched_off_and_on_and_its_sales_are_paused() -> None:
    client, till = staff(), make_till(1_000)
    point, pool = till.point, make_pool()
    here = f"/desk/points/{point.code}/"
    bet_in_cash(pool, till, "1;X;2", 100)
    bet_in_cash(pool, till, "1;X;1", 100)
    page = client.get(here)
    assert (page.context["turnover"].bets, page.context["turnover"].stake) == (2, 200)
    assert "BYN 2.00 sold, 2 bets BYN 0.00 winnings paid BYN 0.00 stakes returned" in text_of(page)
    assert (page.context["point"].cash, page.context["point"].open_shifts) == (1_200, 1)
    assert f'href="/journal/?subject=point:{point.pk}"' in page.content.decode()
    assert hidden(client.get(f"{here}switch/"), "on") == "no"
    for wrong in ({"on": "no", "reason": " "}, {"reason": "A flood"}, {"on": "x", "reason": "A flood"}):
        assert client.post(f"{here}switch/", wrong).status_code == 400
    point.refresh_from_db()
    assert point.enabled
    for on in ("no", "no", "yes"):  # whoever read the same page does not switch it on again
        assert client.post(f"{here}switch/", {"on": on, "reason": "A flood"}).status_code == 302
        point.refresh_from_db()
        assert point.enabled == (on == "yes")
    assert client.post(f"{here}pause/", {"reason": ""}).status_code == 400
    assert not Incident.objects.exists()
    assert client.post(f"{here}pause/", {"reason": "The line is down"}).status_code == 302
    incident = Incident.objects.get()
    assert (incident.point, incident.state) == (point, IncidentState.OPEN)
    paused = client.get(here)
    assert "The line is down" in text_of(paused)
    end = f"{here}pauses/{incident.pk}/end/"
    assert end in paused.content.decode()
    assert client.post(f"/desk/points/{make_point('S9').code}/pauses/{incident.pk}/end/").status_code == 404
    assert client.post(end, {"reason": "It is up"}).status_code == 302
    incident.refresh_from_db()
    assert (incident.state != IncidentState.OPEN, incident.outcome) == (True, "It is up")
    assert client.post(end, {"reason": "Again"}).status_code == 400


def test_a_point_of_the_organizers_own_becomes_a_central_desk_and_is_one_no_longer() -> None:
    client, point = staff(), make_point("S1")
    make_point("S2", kind="event_site")  # type: ignore[arg-type]
    assert client.post("/desk/points/S2/central-desk/", {"on": "yes", "reason": "Big"}).status_code == 400
    assert not CentralDesk.objects.exists()
    assert client.post("/desk/points/S1/central-desk/", {"on": "yes", "reason": "Big"}).status_code == 302
    assert "central desk" in text_of(client.get("/desk/points/S1/"))
    assert client.post("/desk/points/S1/central-desk/", {"on": "no", "reason": "Moved"}).status_code == 302
    assert list(CentralDesk.objects.order_by("pk").values_list("point", "is_central")) == [
        (point.pk, True),
        (point.pk, False),
    ]


@pytest.mark.parametrize("role", [Role.PLAYER, Role.CASHIER, Role.COMMISSION, Role.REGULATOR])
def test_r1_nobody_else_opens_these_pages(role: Role) -> None:
    client = visitor(make_user(role))
    make_point("S1")
    for path in ("points/", "new-point/", "points/S1/", "points/S1/switch/", "points/S1/papers/", "papers/", "cash/"):
        assert client.get(f"/desk/{path}").status_code == 403
        assert client.post(f"/desk/{path}", {**POINT, "reason": "x"}).status_code == 403
    assert list(BettingPoint.objects.values_list("code", "enabled")) == [("S1", True)]
