"""A proposal taken back at the moment when another person approves it: one of the two is done (R1, N4)."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest

from accounts.models import Role, RoleDecision, User, WithdrawnNumber, WithdrawnRole
from accounts.models.dated_numbers import NumberDecision
from accounts.services.dated_numbers import approve_number, propose_number
from accounts.services.roles import approve_role, propose_role
from accounts.services.withdrawn_proposals import withdraw_number, withdraw_role
from pools.models import Pool, PoolSketch
from pools.services.sketches import begin_sketch, keep_step, prepare_sketch, step_mark
from tests.concurrency.racing import race
from tests.concurrency.test_approvals import linger
from tests.making import make_commission, make_organizers, make_rules, make_terms, make_user
from totalizator.core import clock
from totalizator.core.errors import DomainError

pytestmark = pytest.mark.django_db(transaction=True)


def a_number(one: User, other: User) -> tuple[Callable[[], object], Callable[[], object]]:
    day = clock.today() + timedelta(days=3)
    told = {"source": "Order 9", "reason": "Fewer slips"}
    number = propose_number(name="refused_scans", value="7", valid_from=day, proposed_by=one, **told).pk
    return partial(approve_number, number=number, approved_by=other), partial(
        withdraw_number, number=number, withdrawn_by=one
    )


def a_role(one: User, other: User) -> tuple[Callable[[], object], Callable[[], object]]:
    clerk = make_user(Role.CASHIER)
    number = propose_role(person=clerk, role=Role.COMMISSION, reason="Appointed.", proposed_by=one).pk
    return partial(approve_role, proposal_id=number, approved_by=other), partial(
        withdraw_role, proposal_id=number, withdrawn_by=one
    )


@pytest.mark.parametrize("proposed", [a_number, a_role])
def test_r1_a_proposal_is_approved_or_taken_back_and_never_both(
    proposed: Callable[[User, User], tuple[Callable[[], object], Callable[[], object]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one, other = make_organizers()
    acts = proposed(one, other)
    linger(monkeypatch)
    refused = [answer for answer in race(acts) if isinstance(answer, DomainError)]
    done = (NumberDecision, RoleDecision, WithdrawnNumber, WithdrawnRole)
    assert (len(refused), sum(rows.objects.count() for rows in done)) == (1, 1)


def test_a1_a_button_pressed_in_two_windows_prepares_one_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    maker, _other = make_organizers()
    opens_at = clock.now() + timedelta(hours=1)
    document = make_terms(
        opens_at=opens_at,
        closes_at=opens_at + timedelta(days=1),
        rules_version=make_rules(maker),
        keys=make_commission(),
        code="R-1",
    )
    sketch = begin_sketch(origin="sportloto-15", document={}, typed={}, begun_by=maker)
    linger(monkeypatch)
    prepare = partial(prepare_sketch, number=sketch.pk, document=document, prepared_by=maker)
    assert race([prepare, prepare]) == [Pool.objects.get(), Pool.objects.get()]


def test_a1_two_windows_that_save_a_step_at_once_lose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    maker, _other = make_organizers()
    sketch = begin_sketch(origin="sportloto-15", document={}, typed={}, begun_by=maker)
    seen = step_mark(sketch, "events")
    linger(monkeypatch)
    save = partial(keep_step, number=sketch.pk, step="events", seen=seen, kept_by=maker)
    answers = race([partial(save, typed={"name_ru": ["А"]}), partial(save, typed={"name_ru": ["Б"]})])
    assert sum(isinstance(answer, DomainError) for answer in answers) == 1
    kept = PoolSketch.objects.get().typed["events"]["name_ru"]
    assert kept == (["Б"] if isinstance(answers[0], DomainError) else ["А"])
