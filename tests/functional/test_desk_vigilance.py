"""The organizer's pages of who may not play, and of what looks suspicious (E6, P2, Q1)."""

from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.models import (
    AmlCase,
    CaseKind,
    CaseState,
    ForwardedExclusion,
    Insider,
    RegisterImport,
    RestrictedPerson,
    Role,
    ShrunkenRegister,
)
from accounts.queries.operations import Operation
from accounts.services.cases import raise_case
from accounts.services.exclusion import exclude_oneself
from accounts.services.persons import person_of
from accounts.services.topups import top_up_in_cash
from tests.functional.browsing import text_of, visitor
from tests.making import account_of, make_organizers, make_player, make_till, make_user
from totalizator.core import clock
from totalizator.core.localtime import LEGAL_ZONE

pytestmark = pytest.mark.django_db
PAGE = "/desk/exclusions/"


def register(*lines: str) -> SimpleUploadedFile:
    text = "\n".join(["identity_number;until", *lines])
    return SimpleUploadedFile("register.csv", text.encode(), "text/csv")


def many(count: int) -> SimpleUploadedFile:
    return register(*(f"SHRINK{number:05};" for number in range(count)))


def read(staff: Any, file: SimpleUploadedFile, **changes: str) -> Any:
    as_of = clock.now().astimezone(ZoneInfo(LEGAL_ZONE)).strftime("%Y-%m-%dT%H:%M")
    return staff.post(PAGE, {"file": file, "as_of": as_of} | changes)


def test_p2_the_register_is_read_and_a_wrong_line_is_told_by_its_number() -> None:
    staff = visitor(make_user(Role.ORGANIZER))
    assert "The register was never read without a fault" in text_of(staff.get(PAGE))
    wrong = read(staff, register("3310590A001PB5;2099-12-31", "#;", "4150685B002PB1;31.12.2099"))
    text = text_of(wrong)
    assert (wrong.status_code, "2 lines are wrong" in text) == (400, True)
    assert wrong.context["faults"] == [
        (3, "Give the identity number as it stands in the document, such as 3310590A001PB5."),
        (4, "Write a date as 2026-12-31."),
    ]
    assert "3310590A001PB5;" not in text
    assert RestrictedPerson.objects.count() == 1  # whom the good line names is barred already
    assert "The register was never read without a fault" in text_of(staff.get(PAGE))
    good = read(staff, register("3310590A001PB5;2099-12-31"))
    assert good.status_code == 302
    assert RegisterImport.objects.filter(faults=0).count() == 1
    page = text_of(staff.get(PAGE))
    assert ("The register is fresh." in page, "to a set day: 1" in page) == (True, True)


def test_p2_a_file_that_cannot_be_read_is_told_beside_its_field_and_nothing_is_read() -> None:
    staff = visitor(make_user(Role.ORGANIZER))
    for file, changes, field in (
        (SimpleUploadedFile("r.csv", b"number;until\n"), {}, "file"),
        (SimpleUploadedFile("r.csv", b"\xff\xfe\x00"), {}, "file"),
        (SimpleUploadedFile("r.csv", b"identity_number;until\n\0;"), {}, "file"),
        (register(), {"as_of": "soon"}, "as_of"),
        (register(), {"as_of": (clock.now() + timedelta(days=2)).strftime("%Y-%m-%dT%H:%M")}, "as_of"),
    ):
        refused = read(staff, file, **changes)
        assert (refused.status_code, list(refused.context["form"].errors)) == (400, [field])
    assert staff.post(PAGE, {}).status_code == 400
    assert not RegisterImport.objects.exists()


def test_p2_a_register_that_has_shrunk_is_confirmed_by_two_before_it_is_read() -> None:
    one, other = make_organizers()
    first, second = visitor(one), visitor(other)
    assert read(first, many(40)).status_code == 302
    short = read(first, many(30))
    assert (short.status_code, "two people must confirm it" in text_of(short)) == (400, True)
    confirm, approve = f"{PAGE}confirmation/", f"{PAGE}approval/"
    assert first.post(confirm, {"file": many(30), "reason": " "}).status_code == 400
    assert not ShrunkenRegister.objects.exists()
    assert first.post(confirm, {"file": many(30), "reason": "Ten died"}).status_code == 302
    assert "Ten died" in text_of(second.get(PAGE))
    assert first.post(approve, {"file": many(30)}).status_code == 400
    another = second.post(approve, {"file": many(29)})
    assert (another.status_code, "Nobody has proposed this." in text_of(another)) == (400, True)
    assert ShrunkenRegister.objects.get().approved_by is None
    assert second.post(approve, {"file": many(30)}).status_code == 302
    assert ShrunkenRegister.objects.get().approved_by == other
    assert read(first, many(30)).status_code == 302
    assert RestrictedPerson.objects.filter(lifted_at__isnull=False).count() == 10
    assert [first.get(path).status_code for path in (confirm, approve, f"{PAGE}forwarding/")] == [302] * 3


def test_p2_a_self_exclusion_is_noted_as_sent_on() -> None:
    staff, player = visitor(make_user(Role.ORGANIZER)), make_player()
    exclusion = exclude_oneself(person=person_of(player), months=6, actor=player.actor)
    page = staff.get(PAGE)
    assert f"/desk/players/{account_of(player).pk}/" in page.content.decode()
    where, named = f"{PAGE}forwarding/", {"number": exclusion.pk}
    wrong = staff.post(where, named | {"reference": ""})
    assert (wrong.status_code, text_of(wrong).count("This field is required.")) == (400, 1)
    assert staff.post(where, {"number": 10**15, "reference": "L-1"}).status_code == 404
    assert staff.post(where, {"number": "x", "reference": "L-1"}).status_code == 400
    assert not ForwardedExclusion.objects.exists()
    assert staff.post(where, named | {"reference": "L-1"}).status_code == 302
    assert ForwardedExclusion.objects.get().reference == "L-1"
    assert "Nothing is to be sent on." in text_of(staff.get(PAGE))


def test_e6_an_insider_is_listed_and_taken_off_the_list() -> None:
    staff, till = visitor(make_user(Role.ORGANIZER)), make_till()
    assert till.cashier is not None
    assert "Nobody." in text_of(staff.get("/desk/insiders/"))
    who = {"identity_number": "desk 000009", "kind": "relative", "username": till.cashier.username}
    for broken in ({"identity_number": "#"}, {"kind": "friend"}, {"username": "nobody-at-all"}):
        assert staff.post("/desk/insiders/", who | broken).status_code == 400
    assert not Insider.objects.exists()
    assert staff.post("/desk/insiders/", who).status_code == 302
    insider = Insider.objects.get()
    twice = staff.post("/desk/insiders/", who)
    assert (twice.status_code, "This person is listed already." in text_of(twice)) == (400, True)
    page = text_of(staff.get("/desk/insiders/"))
    assert (till.cashier.username in page, "DESK000009" in page) == (True, False)
    end = {"number": insider.pk, "reason": "Moved away"}
    assert staff.get("/desk/insiders/end/").status_code == 302
    assert staff.post("/desk/insiders/end/", end | {"reason": " "}).status_code == 400
    assert staff.post("/desk/insiders/end/", end | {"number": 10**15}).status_code == 404
    insider.refresh_from_db()
    assert insider.ended_at is None
    assert staff.post("/desk/insiders/end/", end).status_code == 302
    insider.refresh_from_db()
    assert insider.ended_at is not None
    late = staff.post("/desk/insiders/end/", end)
    assert (late.status_code, "no longer listed" in text_of(late)) == (400, True)
    assert till.cashier.username in text_of(staff.get("/desk/insiders/?state=ended"))


def a_case(subject: str) -> AmlCase:
    operations = [Operation(f"deposit:cash:till:1:{n}", clock.now() + timedelta(minutes=n), 99_000) for n in range(5)]
    rule = {"threshold": 100_000, "count": 5, "window_minutes": 60}
    return raise_case(
        kind=CaseKind.DEPOSITS_SPLIT, subject=subject, operations=operations, rule=rule, actor="test", people={}
    )


def test_q1_a_case_is_reviewed_by_one_and_reported_by_another_and_the_player_sees_nothing_of_it() -> None:
    (one, other), player = make_organizers(), make_player()
    first, second, account = visitor(one), visitor(other), account_of(player)
    assert "No cases." in text_of(first.get("/desk/cases/"))
    case = a_case(f"game_account:{account.pk}")
    where = f"/desk/cases/{case.pk}/"
    listed = first.get("/desk/cases/")
    assert (where in listed.content.decode(), f"account {player.username}" in text_of(listed)) == (True, True)
    page = text_of(first.get(where))
    for words in ("at least 5 in 60 minutes", "top-up: cash at a till", "BYN 990.00", "BYN 4,950.00"):
        assert words in page, words
    assert f"/desk/players/{account.pk}/" in first.get(where).content.decode()
    assert where in first.get(f"/desk/players/{account.pk}/").content.decode()
    assert first.post(where, {"opinion": " "}).status_code == 400
    assert first.post(where, {"opinion": "Split up"}).status_code == 302
    assert "Another person must decide." in text_of(first.get(where))
    decided = {"to": "reported", "decision": "Report it"}
    for broken in ({"to": "open"}, {"decision": ""}):
        assert second.post(where, decided | broken).status_code == 400
    alone = first.post(where, decided)
    assert alone.status_code == 400
    case.refresh_from_db()
    assert (case.state, case.decided_by) == (CaseState.REVIEWED, None)
    assert second.post(where, decided).status_code == 302
    case.refresh_from_db()
    assert (case.state, case.decided_by) == (CaseState.REPORTED, other)
    form = f"/api/v1/staff/cases/{case.pk}/form"
    assert form in second.get(where).content.decode()
    assert second.get(form)["Content-Type"] == "application/pdf"
    assert second.post(where, decided).status_code == 200  # nothing is taken any more
    assert where not in first.get("/desk/cases/").content.decode()
    assert where in first.get("/desk/cases/?state=reported").content.decode()
    theirs = visitor(player)
    for path in ("/my/", "/my/statement/", "/my/notices/"):
        assert "suspicion" not in text_of(theirs.get(path)).lower()
    assert theirs.get(where).status_code == 403


def test_q1_a_case_of_a_point_or_card_is_closed_when_there_is_nothing() -> None:
    one, other = make_organizers()
    case = a_case("card:000000123457")
    AmlCase.objects.filter(pk=case.pk).update(evidence=case.evidence | {"people": {"buyer": "person:1"}})
    where = f"/desk/cases/{case.pk}/"
    assert "Bought the card person:1" in text_of(visitor(one).get(where))
    assert visitor(one).post(where, {"opinion": "A gift"}).status_code == 302
    assert visitor(other).post(where, {"to": "closed", "decision": "Agreed"}).status_code == 302
    case.refresh_from_db()
    assert case.state == CaseState.CLOSED
    assert visitor(one).get("/desk/cases/999999/").status_code == 404


def test_q1_an_operation_of_a_case_is_told_by_its_ticket_its_card_or_its_player() -> None:
    player, cashier = make_player(), make_till(1_000).cashier
    assert cashier is not None
    top_up = top_up_in_cash(account=account_of(player), amount=5_000, cashier=cashier, idempotency_key="one")
    keys: tuple[str, ...] = ("stake:D1-5-7K3M9QX2RA", "winning-paid:D1-5-7K3M9QX2RA", "refund-paid:D1-5-7K3M9QX2RA")
    keys += ("card-sold:000000123457", top_up.transfer_key, "deposit:bank:77")
    operations = [Operation(key, clock.now() + timedelta(minutes=n), 99_000) for n, key in enumerate(keys)]
    case = raise_case(kind=CaseKind.CASH_SPLIT, subject="point:P1", operations=operations, rule={}, actor="test")
    page = visitor(make_user(Role.ORGANIZER)).get(f"/desk/cases/{case.pk}/")
    assert [words for words, _operation in page.context["operations"]] == [
        "bet, ticket D1-5-7K3M9QX2RA",
        "winning paid, ticket D1-5-7K3M9QX2RA",
        "stake returned, ticket D1-5-7K3M9QX2RA",
        "card 000000123457 sold",
        f"top-up of {player.username}: cash at a till",
        "top-up: bank transfer",
    ]
    assert [key for key in keys if key in page.content.decode()] == []
