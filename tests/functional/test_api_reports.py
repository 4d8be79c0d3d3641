"""The regulator reads every report, bet, act and entry, and changes nothing anywhere (N6, R1)."""

import csv
import json
import re
from io import StringIO
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from accounts.ledger.kinds import TransferKind
from accounts.ledger.models import Entry
from accounts.models import Role, User
from accounts.services.roles import approve_role, propose_role
from payouts.queries.inspection import person_token
from payouts.services.booking import book_payables
from payouts.services.reports import REPORTS
from pools.models import Bet
from tests.desks import make_terminal
from tests.functional.browsing import visitor
from tests.functional.calling import Caller, told
from tests.making import bet_from_account, make_organizers, make_player, make_pool, make_till, make_user, somebody
from tests.refusals import every_row
from tests.reporting import moved, today
from tests.settling import sell, settle
from totalizator.core.models import JournalRecord
from totalizator.engine.deadlines import end_of_legal_day, start_of_legal_day

pytestmark = pytest.mark.django_db
READ = ("reports", "inspection/journal", "inspection/entries")


def days() -> str:
    return f"first={today()}&last={today()}"


def addresses(patterns: Any = None, prefix: str = "/") -> list[str]:
    """Every address of the site but those of the log-in itself, with something in each place."""
    found: list[str] = []
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver) and not route.startswith(("/account/", "/i18n/")):
            found += addresses(pattern.url_patterns, route)
        elif isinstance(pattern, URLPattern):
            found.append(re.sub("<[a-z]+:[a-z_]+>", "1", route))
    return found


def test_n6_the_regulator_changes_nothing_by_any_method_at_any_address() -> None:
    caller = visitor(make_user(Role.REGULATOR))
    caller.get("/")
    before = every_row()
    found = addresses()
    assert len(found) > 200
    for path in found:
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            answer = caller.generic(method, path, b"{}", content_type="application/json")
            assert answer.status_code == 403, (method, path, answer.status_code)
            if path.startswith("/api/"):
                assert told(answer) == (403, "not_allowed"), path
    assert every_row() == before


def test_n6_not_even_what_anybody_may_do() -> None:
    pool = make_pool()
    path, quote = f"/api/v1/pools/{pool.code}/quote", json.dumps({"selections": "1;X;2"})
    assert visitor().post(path, quote, content_type="application/json").status_code == 200
    regulator = visitor(make_user(Role.REGULATOR))
    assert regulator.post(path, quote, content_type="application/json").status_code == 403
    page = regulator.post("/check/", {"ticket": "x", "check_code": "y"})
    assert (page.status_code, "only reads" in page.content.decode() or "только" in page.content.decode()) == (403, True)


def test_n6_no_page_of_a_desk_opens_for_the_regulator() -> None:
    regulator = visitor(make_user(Role.REGULATOR))
    assert regulator.get("/").status_code == 200
    for path in ("/desk/", "/till/", "/commission/", "/my/"):
        assert regulator.get(path).status_code == 403


def test_r1_the_role_is_given_by_two_people() -> None:
    (one, other), person = make_organizers(), make_user(Role.PLAYER)
    proposal = propose_role(person=person, role=Role.REGULATOR, reason="The ministry's letter 5", proposed_by=one)
    approve_role(proposal_id=proposal.pk, approved_by=other)
    assert User.objects.get(pk=person.pk).role == Role.REGULATOR
    assert Caller(User.objects.get(pk=person.pk)).get("reports").status_code == 200


def test_only_the_regulator_and_the_staff_get_in() -> None:
    till, pool = make_till(), make_pool()
    paths = [
        *READ,
        f"reports/sales?{days()}",
        f"inspection/pools/{pool.code}/bets",
        f"inspection/pools/{pool.code}/bets.csv",
    ]
    others = [
        Caller(make_player()),
        Caller(till.cashier),
        Caller(make_user(Role.COMMISSION)),
        Caller(make_terminal(till)),
    ]
    for path in paths:
        for other in others:
            assert told(other.get(path)) == (403, "not_allowed"), path
        assert told(Caller().get(path)) == (401, "not_logged_in"), path
        for one in (make_user(Role.REGULATOR), make_organizers()[0]):
            assert Caller(one).get(path).status_code == 200, path


def test_n6_every_report_in_every_form() -> None:
    sell(make_pool("sportloto-variant"), ("1", 100))
    caller = Caller(make_user(Role.REGULATOR))
    listed = caller.get("reports").json()["reports"]
    assert [report["name"] for report in listed] == list(REPORTS)
    for report in listed:
        for form, begins in (("json", b"{"), ("csv", b"\xef\xbb\xbf"), ("pdf", b"%PDF")):
            answer = caller.get(f"reports/{report['name']}?{days()}&form={form}")
            assert (answer.status_code, answer.content.startswith(begins)) == (200, True)
            assert answer["Content-Disposition"].endswith(f'.{form}"')
    sales = caller.get(f"reports/sales?{days()}").json()
    assert (sales["totals"]["sales"], sales["rows"][0]["channel"]) != ("", "")
    assert told(caller.get(f"reports/chess?{days()}")) == (404, "not_found")
    for wrong in ("", f"first={today()}", f"{days()}&form=xls", f"{days()}&colour=red"):
        assert told(caller.get(f"reports/sales?{wrong}")) == (400, "bad_value"), wrong
    assert told(caller.get(f"reports/tax?{days()}&point=P1"))[1] == "bad_value"


def no_float(number: str) -> None:
    pytest.fail(f"a float goes out: {number}")


def test_c44_no_amount_that_goes_out_is_a_float_and_the_sums_are_the_ledgers() -> None:
    first, pool = today(), make_pool("totolot-position", terms={"price": {"min": 10, "max": 10_000}})
    stakes = (7_843, 10, 10, 10)  # 78.43 × 100 is no whole number to a float, nor is 3 × 0.1 three tenths
    sell(pool, *(("1;X;2", stake) for stake in stakes))
    settle(pool, "1;X;2")
    book_payables(code=pool.code)
    caller, period = Caller(make_user(Role.REGULATOR)), f"first={first}&last={today()}"
    told_at = ["pools/" + pool.code + part for part in ("/", "/result", "/statement", "/certificate", "/commitment")]
    for path in (*told_at, *(f"reports/{name}?{period}" for name in REPORTS), f"inspection/pools/{pool.code}/bets"):
        answer = caller.get(path)
        assert answer.status_code == 200, path
        json.loads(answer.content, parse_float=no_float)
    staked = moved(start_of_legal_day(first), end_of_legal_day(today()), TransferKind.STAKE)
    sales = caller.get(f"reports/sales?{period}").json()
    assert (sales["totals"]["sales"], staked) == ("78.73", 7_873)
    assert caller.get(f"pools/{pool.code}/").json()["turnover"] == "78.73"


def test_n6_all_bets_of_a_pool_by_pages_and_as_one_table_without_a_name() -> None:
    pool, player = make_pool("sportloto-variant"), make_player(1_000)
    bet_from_account(pool, player, "1", 100)
    bet_from_account(pool, player, "X", 100)
    sell(pool, ("1", 100), ("1+X", 200))
    regulator = make_user(Role.REGULATOR)
    caller = Caller(regulator)
    path = f"inspection/pools/{pool.code}/bets"
    first = caller.get(f"{path}?page_size=3").json()
    second = caller.get(first["next"].partition("/api/v1/")[2]).json()
    bets = [*first["bets"], *second["bets"]]
    assert (len(first["bets"]), second["next"]) == (3, None)
    assert [bet["ticket"] for bet in bets] == sorted(Bet.objects.values_list("ticket", flat=True))
    tokens = {bet["channel"]: bet["person"] for bet in bets}
    assert tokens == {"account": person_token(player.person.pk), "cash": ""}
    assert player.username not in json.dumps(bets)
    assert len(caller.get(f"{path}?channel=account").json()["bets"]) == 2
    assert told(caller.get(f"{path}?channel=pigeon")) == (400, "bad_value")
    assert told(caller.get("inspection/pools/NONE/bets")) == (404, "not_found")
    settle(pool, "1")
    book_payables(code=pool.code)
    caller = Caller(regulator)  # a day later the first log-in has ended
    content = caller.get(f"{path}.csv").content.decode("utf-8-sig")
    rows = list(csv.DictReader(StringIO(content), delimiter=";"))
    assert [row["ticket"] for row in rows] == [bet["ticket"] for bet in bets]
    assert sorted(row["stake"] for row in rows) == ["1,00", "1,00", "1,00", "2,00"]
    assert sorted(row["standing"] for row in rows) == ["", "winning due", "winning due", "winning due"]
    only = list(
        csv.DictReader(StringIO(caller.get(f"{path}.csv?channel=cash").content.decode("utf-8-sig")), delimiter=";")
    )
    assert len(only) == 2


def test_n6_a_person_has_one_token_at_every_desk() -> None:
    assert person_token(None) == ""
    assert person_token(7) == person_token(7) != person_token(8)
    assert len(person_token(7)) == 16
    assert somebody().subject not in person_token(somebody().pk)


def test_n6_the_journal_and_the_ledger_are_searched() -> None:
    pool = make_pool("sportloto-variant")
    sell(pool, ("1", 100), ("X", 100))
    settle(pool, "1")
    caller = Caller(make_user(Role.REGULATOR))
    rows = caller.get(f"inspection/journal?subject=pool:{pool.code}&act=settle_pool").json()["rows"]
    record = JournalRecord.objects.get(act="settle_pool")
    assert [(row["number"], row["after"]) for row in rows] == [(record.pk, record.after)]
    page = caller.get("inspection/journal?page_size=2").json()
    assert [row["number"] for row in page["rows"]] == list(
        JournalRecord.objects.order_by("-pk").values_list("pk", flat=True)[:2]
    )
    stakes = caller.get(f"inspection/entries?pool={pool.code}&kind=stake").json()["entries"]
    assert [(entry["amount"], entry["credit"]) for entry in stakes] == [("1.00", f"pool_pot:{pool.code}")] * 2
    every = caller.get(f"inspection/entries?pool={pool.code}&page_size=200").json()["entries"]
    assert len(every) == Entry.objects.filter(book=pool.pk).count()
    assert told(caller.get("inspection/entries?pool=NONE")) == (404, "not_found")


def test_n4_the_staff_see_to_an_event_and_the_regulator_reads_it() -> None:
    staff = make_organizers()[0]
    event = JournalRecord.objects.filter(act="staff_row_added", subject=staff.actor).get()
    body = {"key": f"journal:{event.pk}", "words": "Hired by order 7."}
    path = "staff/significant-events/acknowledgements"
    answer = Caller(staff).post(path, body)
    assert (answer.status_code, answer.json()["seen_by"]) == (201, staff.actor)
    assert told(Caller(staff).post(path, body)) == (409, "wrong_state")
    assert told(Caller(staff).post(path, {**body, "key": "journal:0"})) == (404, "not_found")
    rows = Caller(make_user(Role.REGULATOR)).get(f"reports/events?{days()}").json()["rows"]
    (row,) = [row for row in rows if row["key"] == body["key"]]
    assert (row["seen_by"], row["words"]) == (staff.actor, "Hired by order 7.")
