"""The organizer's pages of paper forms: issued, compared with the paper, given back or to the jackpot (¶9.10, C8)."""

from typing import Any

import pytest

from accounts.models import Role
from pools.models import Bet, FormState, PaperForm, PaperRegister, WhyRefused
from pools.services.paper_forms import enter_faulty_form
from tests.desks import cash_in
from tests.functional.browsing import text_of, visitor
from tests.making import make_organizers, make_pool, make_till, make_user
from tests.paper import enter, issue

pytestmark = pytest.mark.django_db


def refused(answer: Any, *fields: str) -> bool:
    return (answer.status_code, list(answer.context["form"].errors)) == (400, list(fields))


def at(form: PaperForm, act: str = "") -> str:
    return f"/desk/paper-forms/{form.number}/{act}"


def test_p9_10_forms_are_issued_once_and_passed_over_numbers_are_shown() -> None:
    client, till, pool = visitor(make_user(Role.ORGANIZER)), make_till(), make_pool("sportloto-variant")
    here = "/desk/paper-registers/new/"
    written = {"point": till.point.code, "game": "sportloto", "first": "501", "last": "510"}
    for broken, field in (
        ({"point": "none"}, "point"),
        ({"game": "lotto"}, "game"),
        ({"first": "0"}, "first"),
        ({"last": "500"}, "last"),
        ({"last": "200000"}, "last"),
        ({"last": str(2**63)}, "last"),
    ):
        assert refused(client.post(here, {**written, **broken}), field), broken
    assert not PaperRegister.objects.exists()
    assert client.post(here, written).status_code == 302
    assert refused(client.post(here, {**written, "first": "510", "last": "520"}), "first")
    assert PaperRegister.objects.get().point == till.point
    enter(pool, till, 504)
    page = client.get(f"/desk/paper-registers/?point={till.point.code}")
    ((register, gaps, more),) = page.context["shown"]
    assert (register.first, gaps, more) == (501, [(501, 503)], False)
    assert "501–503" in text_of(page)
    assert not client.get("/desk/paper-registers/?point=none").context["shown"]


def test_c8_a_form_becomes_a_bet_or_its_money_is_given_back() -> None:
    client, till, pool = visitor(make_user(Role.ORGANIZER)), make_till(), make_pool("sportloto-variant")
    first = issue(till).first
    good, bad = enter(pool, till, first), enter(pool, till, first + 1)
    found = client.get("/desk/paper-forms/?state=entered")
    assert [form.number for form in found.context["page"]] == [good.number, bad.number]
    assert [form.number for form in client.get(f"/desk/paper-forms/?number={first}").context["page"]] == [good.number]
    assert client.get("/desk/paper-forms/?number=x").status_code == 400
    client.get(at(good, "approve/"))
    assert not Bet.objects.exists()
    assert client.post(at(good, "approve/")).status_code == 302
    good.refresh_from_db()
    assert (good.state, good.ticket, cash_in(till)) == (FormState.REGISTERED, Bet.objects.get().ticket, 100)
    assert str(good.ticket) in text_of(client.get(at(good)))
    assert refused(client.post(at(bad, "reject/"), {"reason": " "}), "reason")
    assert refused(client.post(at(bad, "returned/"), {"document": "Receipt 1"}), "__all__")
    bad.refresh_from_db()
    assert bad.state == FormState.ENTERED
    assert client.post(at(bad, "reject/"), {"reason": "Another outcome"}).status_code == 302
    bad.refresh_from_db()
    assert (bad.state, bad.why) == (FormState.TO_RETURN, WhyRefused.REJECTED)
    assert at(bad, "jackpot/") not in client.get(at(bad)).content.decode()
    assert "The form is: refused" in text_of(client.post(at(bad, "approve/"), follow=True))
    assert client.post(at(bad, "returned/"), {"document": "Receipt 1"}).status_code == 302
    bad.refresh_from_db()
    assert (bad.state, bad.note, Bet.objects.count()) == (FormState.RETURNED, "Receipt 1", 1)
    assert client.get("/desk/paper-forms/1/").status_code == 404


def test_p17_1_money_of_a_faulty_form_goes_to_the_jackpot_by_two() -> None:
    (one, other), till = make_organizers(), make_till()
    assert till.cashier is not None
    number = issue(till).first
    form = enter_faulty_form(
        number=number, why=WhyRefused.MISSING, stake=300, written_at=None, note="No stake", cashier=till.cashier
    )
    first, second = visitor(one), visitor(other)
    approve = at(form, "jackpot/approve/")
    first.post(approve)
    assert refused(first.post(at(form, "jackpot/"), {"reason": ""}), "reason")
    assert first.post(at(form, "jackpot/"), {"reason": "Nobody came"}).status_code == 302
    assert (approve in first.get(at(form)).content.decode(), approve in second.get(at(form)).content.decode()) == (
        False,
        True,
    )
    assert "Another person must approve it." in text_of(first.post(approve, follow=True))
    form.refresh_from_db()
    assert (form.state, cash_in(till)) == (FormState.TO_RETURN, 0)
    assert "The money is in the jackpot." in text_of(second.post(approve, follow=True))
    form.refresh_from_db()
    assert (form.state, cash_in(till)) == (FormState.JACKPOT, 300)


def test_r1_nobody_else_opens_these_pages() -> None:
    till, pool = make_till(), make_pool("sportloto-variant")
    form = enter(pool, till, issue(till).first)
    client = visitor(make_user(Role.COMMISSION))
    for path in ("/desk/paper-registers/", "/desk/paper-forms/", at(form), at(form, "approve/"), at(form, "reject/")):
        assert (client.get(path).status_code, client.post(path).status_code) == (403, 403)
    form.refresh_from_db()
    assert form.state == FormState.ENTERED
