"""Staff's acts on prepaid cards and on suspicions over the API."""

import pytest

from accounts.models import AmlCase, CardBatch, CardReplacement, CardState, CaseKind, PrepaidCard
from accounts.queries.operations import Operation
from accounts.services.cases import raise_case
from tests.carding import PRINTER, at_point, bought
from tests.functional.calling import Caller, told
from tests.making import make_organizers, make_till
from totalizator.core import clock
from totalizator.core.api.documents import instant
from totalizator.core.sealed import open_sealed

pytestmark = pytest.mark.django_db
BATCH = {"series": "ab", "quantity": 2, "face_value": "10.00", "valid_until": "2099-12-31"}


def test_d1_a_batch_is_proposed_approved_by_another_and_handed_out_once() -> None:
    one, other = make_organizers()
    proposed = Caller(one).post("staff/card-batches", BATCH)
    batch = CardBatch.objects.get()
    written = {
        **BATCH,
        "number": batch.pk,
        "series": "AB",
        "state": "proposed",
        "proposed_by": one.username,
        "proposed_at": instant(batch.proposed_at),
        "approved_by": None,
        "exported_at": None,
        "export_digest": "",
    }
    assert (proposed.status_code, proposed.json()) == (201, written)
    where = f"staff/card-batches/{batch.pk}"
    secret = {"passphrase": PRINTER}
    assert told(Caller(one).post(f"{where}/approval", {})) == (403, "same_person")
    assert told(Caller(one).post(f"{where}/export", secret)) == (409, "wrong_state")
    approved = Caller(other).post(f"{where}/approval", {})
    assert approved.json() == written | {"state": "approved", "approved_by": other.username}
    short = Caller(one).post(f"{where}/export", {"passphrase": "short"})
    assert (told(short), short.json()["field"]) == ((400, "bad_value"), "passphrase")
    assert PrepaidCard.objects.count() == 0
    file = Caller(one).post(f"{where}/export", secret)
    numbers = list(PrepaidCard.objects.order_by("number").values_list("number", flat=True))
    assert (file.status_code, file["Content-Type"]) == (200, "application/octet-stream")
    assert file["Content-Disposition"] == f'attachment; filename="cards-AB-{numbers[0]}.sealed"'
    rows = open_sealed(file.content, PRINTER).decode().splitlines()
    assert [row.split(",")[1] for row in rows[1:]] == numbers
    assert told(Caller(one).post(f"{where}/export", secret)) == (409, "wrong_state")
    assert told(Caller(one).post(f"{where}/sheets", {})) == (409, "wrong_state")
    (listed,) = Caller(other).get("staff/card-batches").json()["batches"]
    assert (listed["state"], listed["export_digest"][:7]) == ("exported", "sha256:")
    late = Caller(one).post("staff/card-batches", BATCH | {"valid_until": "2020-01-01"})
    assert (told(late), late.json()["field"]) == ((400, "bad_value"), "valid_until")


def test_sheets_are_handed_out_instead_of_the_file_once() -> None:
    one, other = make_organizers()
    number = Caller(one).post("staff/card-batches", BATCH).json()["number"]
    Caller(other).post(f"staff/card-batches/{number}/approval", {})
    sheets = Caller(one).post(f"staff/card-batches/{number}/sheets", {})
    assert (sheets.status_code, sheets["Content-Type"], sheets.content[:5]) == (200, "application/pdf", b"%PDF-")
    assert PrepaidCard.objects.count() == 2
    assert told(Caller(one).post(f"staff/card-batches/{number}/sheets", {})) == (409, "wrong_state")


def test_d4_a_range_is_blocked_by_one_and_opened_by_another() -> None:
    (one, other), cards = make_organizers(), bought(make_till(), 2)
    some = {"series": "AB", "first": cards[0].number, "last": cards[1].number, "reason": "Stolen"}
    assert Caller(one).post("staff/card-blocks", some).json() == {"quantity": 2}
    assert [card.card.state for card in cards] == [CardState.BLOCKED] * 2
    assert told(Caller(one).post("staff/card-blocks/ending", some)) == (403, "same_person")
    wrong = Caller(other).post("staff/card-blocks/ending", some | {"first": "1"})
    assert (told(wrong), wrong.json()["field"]) == ((400, "bad_value"), "first")
    assert [card.card.state for card in cards] == [CardState.BLOCKED] * 2
    assert Caller(other).post("staff/card-blocks/ending", some).json() == {"quantity": 2}
    assert [card.card.state for card in cards] == [CardState.ACTIVE] * 2
    assert told(Caller(one).post("staff/card-blocks", some | {"series": "ZZ"})) == (404, "not_found")


def test_d4_a_damaged_card_is_replaced_by_two_people() -> None:
    (one, other), till = make_organizers(), make_till()
    (damaged,), (fresh,) = bought(till), at_point(till)
    body = {"damaged": damaged.number, "replacement": fresh.number, "proof": "The torn card"}
    assert told(Caller(one).post("staff/card-replacements", body | {"damaged": fresh.number})) == (409, "wrong_state")
    proposed = Caller(one).post("staff/card-replacements", body)
    replacement = CardReplacement.objects.get()
    written = {
        **body,
        "number": replacement.pk,
        "proposed_by": one.username,
        "proposed_at": instant(replacement.proposed_at),
        "approved_by": None,
        "approved_at": None,
    }
    assert (proposed.status_code, proposed.json()) == (201, written)
    where = f"staff/card-replacements/{replacement.pk}/approval"
    assert told(Caller(one).post(where, {})) == (403, "same_person")
    assert damaged.card.state == CardState.ACTIVE
    approvals = [Caller(other).post(where, {}, key="approve") for _ in range(2)]
    replacement.refresh_from_db()
    assert replacement.approved_at is not None
    written |= {"approved_by": other.username, "approved_at": instant(replacement.approved_at)}
    assert [(answer.status_code, answer.json()) for answer in approvals] == [(200, written)] * 2
    assert (damaged.card.state, fresh.card.state, fresh.money) == (CardState.REPLACED, CardState.ACTIVE, 1_000)
    assert told(Caller(other).post(where, {})) == (409, "wrong_state")
    assert Caller(one).get("staff/card-replacements").json() == {"replacements": [written], "next": None}


def a_case() -> AmlCase:
    operations = [Operation("stake:T-1", clock.now(), 99_000)]
    rule = {"threshold": 100_000, "count": 1, "window_minutes": 60}
    return raise_case(kind=CaseKind.CASH_SPLIT, subject="point:P1", operations=operations, rule=rule, actor="test")


def test_q1_a_case_is_reviewed_by_one_and_reported_by_another() -> None:
    (one, other), case = make_organizers(), a_case()
    where = f"staff/cases/{case.pk}"
    (listed,) = Caller(one).get("staff/cases").json()["cases"]
    at = instant(case.last_at)
    assert listed == {
        "number": case.pk,
        "kind": "cash_split",
        "subject": "point:P1",
        "state": "open",
        "raised_at": instant(case.raised_at),
        "operations": [{"reference": "stake:T-1", "at": at, "amount": "990.00"}],
        "reviewed_by": None,
        "reviewed_at": None,
        "opinion": "",
        "decided_by": None,
        "decided_at": None,
        "decision": "",
    }
    assert told(Caller(one).post(f"{where}/report", {"decision": "Yes"})) == (409, "wrong_state")
    reviewed = Caller(one).post(f"{where}/review", {"opinion": "Split up"})
    assert (reviewed.status_code, reviewed.json()["state"]) == (200, "reviewed")
    assert told(Caller(one).post(f"{where}/report", {"decision": "Yes"})) == (403, "same_person")
    assert told(Caller(one).get(f"{where}/form")) == (404, "not_found")
    reported = Caller(other).post(f"{where}/report", {"decision": "Yes"}).json()
    assert (reported["state"], reported["opinion"], reported["decision"]) == ("reported", "Split up", "Yes")
    assert (reported["reviewed_by"], reported["decided_by"]) == (one.username, other.username)
    form = Caller(one).get(f"{where}/form")
    assert (form.status_code, form["Content-Type"], form.content[:5]) == (200, "application/pdf", b"%PDF-")
    assert Caller(one).get("staff/cases").json()["cases"] == []
    assert Caller(one).get("staff/cases?state=reported").json()["cases"] == [reported]


def test_a_case_without_anything_suspicious_is_closed_by_another() -> None:
    (one, other), case = make_organizers(), a_case()
    Caller(one).post(f"staff/cases/{case.pk}/review", {"opinion": "A big family"})
    body = {"decision": "Nothing"}
    assert told(Caller(one).post(f"staff/cases/{case.pk}/closing", body)) == (403, "same_person")
    closed = Caller(other).post(f"staff/cases/{case.pk}/closing", body)
    assert (closed.status_code, closed.json()["state"], closed.json()["decision"]) == (200, "closed", "Nothing")
    assert told(Caller(other).post(f"staff/cases/{case.pk}/closing", body)) == (409, "wrong_state")
