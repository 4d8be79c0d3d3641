"""Reports and the journal as pages: the regulator reads them without an API (N1-N6)."""

import re
from datetime import timedelta
from html import unescape

import pytest

from accounts.models import Role
from payouts.services.reports import REPORTS
from payouts.views import inspection
from tests.functional.browsing import text_of, visitor
from tests.making import make_organizers, make_pool, make_user
from tests.reporting import today
from tests.settling import sell
from totalizator.core import clock
from totalizator.core.journal import write_journal
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db


def days() -> str:
    return f"first={today()}&last={today()}"


def test_n6_both_roles_find_their_way_to_every_report() -> None:
    for person in (make_user(Role.REGULATOR), make_organizers()[0]):
        browser = visitor(person)
        first = browser.get("/").content.decode()
        assert 'href="/reports/"' in first
        assert 'href="/journal/"' in first
        listed = re.findall(r'href="(/reports/[a-z_]+/)"', browser.get("/reports/").content.decode())
        assert listed == [f"/reports/{name}/" for name in REPORTS]
        for path in listed:
            asked = browser.get(path)
            assert (asked.status_code, b"<table" in asked.content) == (200, False)
            shown = browser.get(f"{path}?{days()}").content.decode()
            assert "<caption>" in shown
            for scope in ("col", "row") if "<tfoot>" in shown else ("col",):
                assert f'scope="{scope}"' in shown
    assert 'href="/reports/"' not in visitor().get("/").content.decode()


def test_n5_a_report_says_what_it_is_sums_up_and_leads_to_its_files() -> None:
    pool = make_pool("sportloto-variant")
    sell(pool, ("1", 100), ("X", 100))
    browser = visitor(make_user(Role.REGULATOR))
    page = browser.get(f"/reports/sales/?{days()}&pool={pool.code}&channel=cash")
    told = text_of(page)
    for words in ("Sales and payments by pool, point and channel", f"channel: cash, pool: {pool.code}", "Minsk time"):
        assert words in told
    total = re.search(r'<tfoot><tr><th scope="row">Total</th>(.*?)</tr></tfoot>', page.content.decode())
    assert total is not None
    assert re.findall(r"<td[^>]*>([^<]*)</td>", total.group(1))[:5] == ["", "", "2", "0", "2.00"]
    files = [unescape(path) for path in re.findall(r'href="(/api/v1/reports/[^"]*)"', page.content.decode())]
    begins = {"form=csv": b"\xef\xbb\xbf", "form=json": b"{", "form=pdf": b"%PDF"}
    assert len(files) == len(begins)
    for path in files:
        answer = browser.get(path)
        assert (answer.status_code, answer.content.startswith(begins[path.rpartition("&")[2]])) == (200, True)
        assert path.startswith(f"/api/v1/reports/sales?{days()}")
    nothing = text_of(browser.get(f"/reports/sales/?{days()}&pool=NONE"))
    assert "No activity in this period." in nothing
    assert "Total 0 0 0.00" in nothing


def test_n5_what_cannot_be_asked_for_is_said_beside_the_field() -> None:
    browser = visitor(make_user(Role.REGULATOR))
    assert browser.get("/reports/chess/").status_code == 404
    before = today() - timedelta(days=1)
    for asked, words in (
        (f"first={today()}&last={before}", "must not end before it begins"),
        (f"first={today() - timedelta(days=400)}&last={today()}", "one year at most"),
        (f"first={today()}", "required"),
        (f"first=yesterday&last={today()}", "valid date"),
        (f"{days()}&channel=pigeon", "valid choice"),
    ):
        page = browser.get(f"/reports/sales/?{asked}")
        assert (page.status_code, words in text_of(page)) == (400, True), asked


def test_n5_of_a_long_report_the_page_has_the_first_rows_and_all_totals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspection, "MOST_ROWS", 1)
    for _ in range(3):
        sell(make_pool("sportloto-variant"), ("1", 100))
    page = visitor(make_user(Role.REGULATOR)).get(f"/reports/pools/?first={today() - timedelta(days=9)}&last={today()}")
    assert page.content.decode().partition("<tbody>")[2].partition("</tbody>")[0].count("<tr>") == 1
    assert "Rows that are in the files alone: 2" in text_of(page)
    assert "3.00" in text_of(page)


def test_n6_the_journal_is_read_page_by_page_and_searched() -> None:
    staff, browser = make_organizers()[0], visitor(make_user(Role.REGULATOR))
    day, at = today(), clock.now()
    for number in range(inspection.RECORDS_A_PAGE + 5):
        subject, reason = f"incident:{number}", f"Reason <{number}>"
        write_journal(at=at, actor=staff.actor, act="pause_sales", subject=subject, reason=reason, after={"pool": None})
    asked = f"/journal/?act=pause_sales&actor={staff.actor}&first={day}&last={day}"
    first = browser.get(asked).content.decode()
    expected = list(JournalRecord.objects.filter(act="pause_sales").order_by("-pk").values_list("pk", flat=True))
    assert numbers_in(first) == expected[: inspection.RECORDS_A_PAGE]
    (older,) = re.findall(r'href="(\?[^"]*before=[0-9]+)"', first)
    write_journal(at=at, actor=staff.actor, act="pause_sales", subject="incident:new")  # shifts no page
    second = browser.get("/journal/" + unescape(older)).content.decode()
    assert numbers_in(second) == expected[inspection.RECORDS_A_PAGE :]
    assert 'class="pages"' not in second
    assert "Reason &lt;3&gt;" in second
    found = browser.get("/journal/?subject=incident:7")
    (only,) = numbers_in(found.content.decode())
    assert JournalRecord.objects.get(pk=only).reason == "Reason <7>"
    assert "Sales are paused" in text_of(found)
    tomorrow = day + timedelta(days=1)
    assert numbers_in(browser.get(f"/journal/?act=pause_sales&first={tomorrow}").content.decode()) == []


@pytest.mark.parametrize("asked", ["before=x", "before=0", "first=never", f"act={'a' * 61}", f"before={10**30}"])
def test_n6_what_the_journal_cannot_be_asked_is_refused(asked: str) -> None:
    assert visitor(make_user(Role.REGULATOR)).get(f"/journal/?{asked}").status_code == 400


def numbers_in(page: str) -> list[int]:
    return [int(number) for number in re.findall(r'data-label="Number">([0-9]+)</td>', page)]


def test_n6_the_journal_is_searched_by_a_log_in_and_by_what_pools_and_tickets_are_called() -> None:
    staff, browser, pool = make_organizers()[0], visitor(make_user(Role.REGULATOR)), make_pool()
    ticket = f"{pool.code}-7K3M9QX2RA"
    for subject in (f"pool:{pool.code}", f"bet:{ticket}", "point:P1"):
        write_journal(at=clock.now(), actor=staff.actor, act="pause_sales", subject=subject)
    by_pool, by_ticket, _by_point = JournalRecord.objects.filter(act="pause_sales").order_by("pk")
    asked = "/journal/?act=pause_sales"
    of_staff = browser.get(f"{asked}&actor={staff.username}")
    assert len(numbers_in(of_staff.content.decode())) == 3
    assert f"{staff.username} {staff.actor}" in text_of(of_staff)
    for typed, record in ((pool.code.lower(), by_pool), (ticket.lower(), by_ticket)):
        assert numbers_in(browser.get(f"{asked}&subject={typed}").content.decode()) == [record.pk]
    assert numbers_in(browser.get(f"{asked}&actor=nobody").content.decode()) == []
