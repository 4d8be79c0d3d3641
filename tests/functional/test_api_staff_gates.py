"""Who is let in to the staff's part of the API, and what is no body of it: the same for every declared act."""

import re
from importlib import import_module

import pytest
from django.test import Client

from accounts.api.staff.acts import Act, Declared
from accounts.api.staff.addresses import SUBJECTS
from accounts.models import Role
from tests.architecture.sources import ROOT
from tests.desks import make_terminal
from tests.functional.calling import Caller, told
from tests.functional.uploading import upload
from tests.making import make_organizers, make_player, make_till, make_user
from tests.refusals import every_row
from totalizator.core.api.schema import schema

pytestmark = pytest.mark.django_db
SUBJECTS_ABOVE = [
    import_module(f"{app}.api.{path.stem}")
    for app in ("pools", "payouts")
    for path in (ROOT / app / "api").glob("staff_*.py")
]
DECLARED: tuple[Declared, ...] = tuple(
    declared for subject in (*SUBJECTS, *SUBJECTS_ABOVE) for declared in subject.DECLARED
)
PLAIN = ("staff/expiries", "staff/payment-exports")


def address(path: str) -> str:
    """An address as it may be asked for: there is nothing at it."""
    return "staff/" + re.sub(r"<int:\w+>", "1", re.sub(r"<label:\w+>", "NONE", path))


def test_every_declared_operation_is_in_the_schema_under_its_own_name() -> None:
    names = [declared.name for declared in DECLARED]
    assert len(names) == len(set(names))
    assert len(names) >= 87
    paths = schema()["paths"]
    shown = {told["operationId"] for path, methods in paths.items() if "/staff/" in path for told in methods.values()}
    assert shown >= {*names, "staff_expiries", "staff_payment_orders_export"}


def test_nobody_but_the_staff_is_let_in_and_nothing_happens() -> None:
    till = make_till()
    others = [
        Caller(make_player()),
        Caller(till.cashier),
        Caller(make_user(Role.COMMISSION)),
        Caller(make_terminal(till)),
    ]
    for declared in DECLARED:
        where = address(declared.path)
        before = every_row() if isinstance(declared, Act) and declared.shown is not None else None
        for caller in others:
            answer = caller.post(where, {}) if isinstance(declared, Act) else caller.get(where)
            assert told(answer) == (403, "not_allowed"), declared.name
        nobody = Caller().post(where, {}) if isinstance(declared, Act) else Caller().get(where)
        assert told(nobody) == (401, "not_logged_in"), declared.name
        assert before is None or without_traces(every_row()) == without_traces(before)
    for where in PLAIN:
        assert [told(caller.post(where, {}))[0] for caller in others] in ([403] * 4, [405] * 4)
        assert [told(caller.get(where))[0] for caller in others] in ([403] * 4, [405] * 4)


def without_traces(rows: dict[str, list[tuple[object, ...]]]) -> dict[str, list[tuple[object, ...]]]:
    """Leave out what asking itself leaves behind: a token's last use, a terminal's nonces."""
    return {name: kept for name, kept in rows.items() if not name.endswith(("apitoken", "terminalnonce"))}


def test_a_body_with_a_member_that_nobody_knows_is_refused_by_its_name() -> None:
    staff = Caller(make_organizers()[0])
    before = every_row()
    for declared in DECLARED:
        if isinstance(declared, Act):
            where = address(declared.path)
            if declared.is_upload:
                answer = upload(staff, where.removeprefix("staff/"), b"x", nonsense="1")
            else:
                answer = staff.post(where, {"nonsense": 1})
            assert (told(answer), answer.json()["field"]) == ((400, "bad_value"), "nonsense"), declared.name
    assert every_row() == before


def test_what_a_body_lacks_is_named() -> None:
    staff = Caller(make_organizers()[0])
    for declared in DECLARED:
        needed = (
            [name for name, field in declared.body().fields.items() if field.required]
            if isinstance(declared, Act)
            else []
        )
        if isinstance(declared, Act) and needed:
            where = address(declared.path)
            answer = upload(staff, declared.path.replace("<label:code>", "NONE"), None) if declared.is_upload else None
            answer = answer or staff.post(where, {})
            assert told(answer) == (400, "bad_value"), declared.name
            assert sorted(answer.json()["errors"]) == sorted(needed), declared.name


def test_what_moves_money_needs_a_key() -> None:
    staff = Caller(make_organizers()[0])
    keyed = {declared.name for declared in DECLARED if isinstance(declared, Act) and declared.shown is not None}
    assert keyed >= {
        "staff_card_replacement_approve",
        "staff_paid_over",
        "staff_payment_order_replace",
        "staff_payment_order_return",
        "staff_prefunded",
        "staff_receipt_approve",
        "staff_till_float",
        "staff_transfer_credit",
        "staff_withdrawal_approve",
        "staff_withdrawal_cancel",
        "staff_withdrawal_end_approve",
    }
    for declared in DECLARED:
        if declared.name in keyed:
            answer = staff.post(address(declared.path), {}, key=None)
            assert (told(answer), answer.json()["field"]) == ((400, "bad_value"), "Idempotency-Key")
    assert told(staff.post("staff/payment-exports", {"iban": "x"}, key=None)) == (400, "bad_value")


def test_a_number_or_name_of_nothing_is_not_found() -> None:
    staff = Caller(make_organizers()[0])
    assert told(staff.post("staff/withdrawals/7/approval", {})) == (404, "not_found")
    assert told(staff.get("staff/points/NONE/tills")) == (404, "not_found")
    assert told(staff.get("staff/cases/99999999999999999999999/form")) == (404, "not_found")
    assert told(staff.get("staff/payment-files/NONE")) == (404, "not_found")


def test_a_browser_without_its_mark_is_refused() -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(make_organizers()[0])
    answer = client.post("/api/v1/staff/insiders", {}, content_type="application/json")
    assert told(answer) == (403, "not_allowed")


def test_a_broken_form_is_a_problem_and_no_fault() -> None:
    client = Client()
    client.force_login(make_organizers()[0])
    for kind, body in (("multipart/form-data", b"x"), ("multipart/form-data; boundary=b", b"--b\r\nx")):
        answer = client.generic("POST", "/api/v1/staff/currency-rates", body, content_type=kind)
        assert answer.status_code == 400
        assert answer["Content-Type"] == "application/problem+json"
    twice = b"--b\r\nContent-Disposition: form-data; name=origin\r\n\r\na\r\n" * 2 + b"--b--\r\n"
    answer = client.generic(
        "POST", "/api/v1/staff/currency-rates", twice, content_type="multipart/form-data; boundary=b"
    )
    assert (told(answer), answer.json()["field"]) == ((400, "bad_value"), "origin")
