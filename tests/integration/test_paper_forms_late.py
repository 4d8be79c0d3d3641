"""Paper forms that nobody approved in time, and who stands behind a form (¶9.10, X15)."""

from datetime import timedelta
from functools import partial

import pytest

from accounts.services.exclusion import cool_off
from pools.models import FormState, PaperForm, WhyRefused
from pools.queries.paper import forms_to_return
from pools.services.paper_forms import approve_form, refuse_forms_never_approved
from tests.making import keep_register_fresh, make_organizers, make_pool, make_till, somebody
from tests.paper import enter, issue
from tests.paying import go_to
from tests.refusals import refused
from totalizator.core.errors import Refusal

pytestmark = pytest.mark.django_db


def test_forms_that_nobody_approved_before_closing_are_listed_to_be_returned_once() -> None:
    pool, other, till = make_pool("sportloto-variant"), make_pool("sportloto-variant"), make_till()
    number = issue(till).first
    enter(pool, till, number)
    go_to(pool.closes_at - timedelta(seconds=5))
    assert refuse_forms_never_approved() == 0
    go_to(pool.closes_at)
    assert (refuse_forms_never_approved(), refuse_forms_never_approved()) == (1, 0)
    form = PaperForm.objects.get(number=number)
    assert (form.state, form.why, list(forms_to_return())) == (FormState.TO_RETURN, WhyRefused.LATE, [form])
    assert not other.bets.exists()


def test_x15_a_large_form_is_entered_with_a_document_and_its_person_plays_within_limits() -> None:
    pool, till = make_pool("totolot-variant"), make_till()
    number, large = issue(till, game="totolot").first, 100_000
    refusal = refused(partial(enter, pool, till, number, stake=large))
    assert (refusal.code, refusal.field, PaperForm.objects.count()) == (Refusal.IDENTITY_NEEDED, "person", 0)
    keep_register_fresh()
    person = somebody()
    enter(pool, till, number, stake=large, person=person)
    placed = approve_form(number=number, approved_by=make_organizers()[0]).placed
    assert placed is not None
    assert (placed.bet.person, placed.bet.stake) == (person, large)
    cool_off(person=person, days=30, actor="test")
    enter(pool, till, number + 1, person=person)
    barred = partial(approve_form, number=number + 1, approved_by=make_organizers()[0])
    assert refused(barred).code == Refusal.MAY_NOT_PLAY
