"""Who gets past the door of every page and of the API is what docs/roles.md says, and what the separation asks (R1)."""

import os

import pytest

from tests.functional import role_table
from tests.functional.role_table import CALLERS

ACTS = ("POST ", "PUT ", "PATCH ", "DELETE ")
OF_WHOEVER_HOLDS = {
    "POST /api/v1/pools/{code}/card-bets": "a card, by its code",
    "POST /api/v1/pools/{code}/quote": "nothing: it only counts",
    "POST /api/v1/tickets/check": "a ticket, by its check code",
    "POST /api/v1/tickets/phones": "a ticket, by its check code",
    "POST /api/v1/tickets/phones/codes": "a bound ticket, by its number and phone",
    "POST /api/v1/tickets/phones/confirmations": "a ticket, by its check code, and the phone",
    "POST /api/v1/tickets/phones/notices-end": "a ticket, by its check code",
    "POST /api/v1/tickets/receipt": "a ticket, by its check code",
}
"""The acts that ask nobody who they are, and what they ask for instead."""


def doors() -> dict[str, set[str]]:
    """What the document says: address, and who is let in."""
    rows = [line.split("|")[1:-1] for line in role_table.written()[len(role_table.HEADING) :]]
    return {
        what.strip().strip("`"): {name for name, mark in zip(CALLERS, marks, strict=True) if mark.strip()}
        for what, *marks, _about in rows
    }


def acts() -> dict[str, set[str]]:
    """Those of the API that may change something."""
    return {what: let_in for what, let_in in doors().items() if what.startswith(ACTS)}


@pytest.mark.django_db
def test_r1_every_address_lets_in_who_the_document_says() -> None:
    lines = role_table.table()
    if os.environ.get("ROLE_TABLE") == "write":
        role_table.write(lines)
    assert lines == role_table.written()


def test_r1_the_regulator_changes_nothing() -> None:
    assert {what for what, let_in in acts().items() if "regulator" in let_in} == set()


def test_r1_who_is_nobody_acts_only_with_what_one_holds() -> None:
    assert {what for what, let_in in acts().items() if "nobody" in let_in} == set(OF_WHOEVER_HOLDS)


def test_r1_who_decides_results_has_no_door_to_sales_and_payments() -> None:
    shared = {what for what, let_in in acts().items() if {"commission", "cashier"} <= let_in}
    assert shared == set(OF_WHOEVER_HOLDS)
    deciding = {what: let_in for what, let_in in acts().items() if "/commission/pools/" in what}
    also_by_staff = {"POST /api/v1/commission/pools/{code}/annulments"}  # a note, which changes no result (¶32)
    assert {what for what, let_in in deciding.items() if let_in != {"commission"}} == also_by_staff
    assert len(deciding) == 8


def test_r1_a_terminal_opens_no_door_that_is_closed_to_its_cashier_but_its_own() -> None:
    of_machines = {what for what, let_in in acts().items() if "terminal" in let_in and "cashier" not in let_in}
    assert {what.rpartition("/api/v1/")[2].partition("/")[0] for what in of_machines} == {"terminal"}


def test_r1_what_only_staff_may_do_no_other_person_may() -> None:
    staff = {what: let_in for what, let_in in doors().items() if "/api/v1/staff/" in what or what.startswith("/desk/")}
    assert len(staff) > 100
    assert {what for what, let_in in staff.items() if let_in - {"organizer", "regulator"}} == set()
    assert {what for what, let_in in staff.items() if what.startswith(ACTS) and let_in != {"organizer"}} == set()
