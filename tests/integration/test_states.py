"""Every pair of a pool's states: allowed moves happen, all others are refused with nothing changed (docs/states.md)."""

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import IntegrityError, transaction

from accounts.models import Role
from accounts.models.handovers import MOVES as HANDOVER_MOVES
from accounts.models.held_deposits import RETURN_MOVES
from accounts.models.providers import DEPOSIT_MOVES
from payouts.models import MOVES as PAYABLE_MOVES
from pools.models import MOVES, Pool, PoolState, SettlementState, move
from pools.models.incidents import MOVES as INCIDENT_MOVES
from pools.services.cancelling import propose_cancellation
from pools.services.closing import close_pool, open_pool
from pools.services.drafting import announce_pool, draft_pool, redraft_pool
from pools.services.protocols import sign_protocol
from pools.services.results import enter_result
from tests.making import PASSPHRASE, make_commission, make_organizers, make_pool, make_rules, make_terms, make_user
from tests.refusals import refused
from tests.resulting import make_result
from totalizator.core import clock
from totalizator.core.errors import Refusal

STATES_PAGE = Path(__file__).parents[2] / "docs" / "states.md"


def make_pool_in(state: PoolState) -> Pool:
    """A pool of which nothing but the state is as it would be."""
    maker, _checker = make_organizers()
    opens_at = (clock.now() + timedelta(hours=1)).replace(microsecond=0)
    document = make_terms(
        opens_at=opens_at,
        closes_at=opens_at + timedelta(days=1),
        rules_version=make_rules(maker),
        keys=make_commission(2),
    )
    pool = draft_pool(document=document, prepared_by=maker)
    Pool.objects.filter(pk=pool.pk).update(state=state)
    return Pool.objects.get(pk=pool.pk)


@pytest.mark.django_db
@pytest.mark.parametrize("came_from", PoolState)
@pytest.mark.parametrize("to", PoolState)
def test_a_pool_moves_as_the_table_says_and_no_other_way(came_from: PoolState, to: PoolState) -> None:
    pool = make_pool_in(came_from)
    if to in MOVES[came_from]:
        move(pool, to)
        assert (pool.state, Pool.objects.get(pk=pool.pk).state) == (to, to)
    else:
        refusal = refused(lambda: move(pool, to))
        assert (refusal.code, refusal.details["state"]) == (Refusal.WRONG_STATE, came_from)
        assert pool.state == came_from


@pytest.mark.django_db
def test_a_pool_that_moved_on_meanwhile_is_not_moved_again() -> None:
    pool = make_pool_in(PoolState.OPEN)
    stale = Pool.objects.get(pk=pool.pk)
    move(pool, PoolState.CANCELLED)
    assert refused(lambda: move(stale, PoolState.CLOSED)).code is Refusal.WRONG_STATE
    assert Pool.objects.get(pk=pool.pk).state == PoolState.CANCELLED


@pytest.mark.django_db
@pytest.mark.parametrize("state", [state for state in PoolState if state != PoolState.DRAFT])
def test_the_database_makes_no_draft_of_an_announced_pool(state: PoolState) -> None:
    pool = make_pool_in(state)
    with pytest.raises(IntegrityError, match="cannot change"), transaction.atomic():
        Pool.objects.filter(pk=pool.pk).update(state=PoolState.DRAFT)


ALLOWED = {
    "redraft": {PoolState.DRAFT},
    "announce": {PoolState.DRAFT},
    "open": {PoolState.ANNOUNCED},
    "close early": {PoolState.ANNOUNCED, PoolState.OPEN},
    "propose to cancel": {PoolState.ANNOUNCED, PoolState.OPEN, PoolState.CLOSED},
    "enter the result": {PoolState.CLOSED},
    "sign": {PoolState.CLOSED},
}


@pytest.mark.django_db
@pytest.mark.parametrize("state", PoolState)
def test_no_service_acts_on_a_pool_in_another_state_than_its_own(state: PoolState) -> None:
    """The clock stands within the hours of sale and all people are the right ones: only the state is in the way."""
    keys = make_commission(2)
    maker, checker = make_organizers()
    pool = make_pool(keys=keys)
    if state == PoolState.DRAFT:
        pool = make_pool_in(state)
    else:
        Pool.objects.filter(pk=pool.pk).update(state=state)
    member, organizer = keys[0].member, make_user(Role.ORGANIZER)
    document = make_terms(
        opens_at=pool.opens_at, closes_at=pool.closes_at, rules_version="sha256:x", keys=keys, code=pool.code
    )
    acts: dict[str, Callable[[], object]] = {
        "redraft": lambda: redraft_pool(code=pool.code, document=document, prepared_by=maker),
        "announce": lambda: announce_pool(code=pool.code, announced_by=checker),
        "open": lambda: open_pool(code=pool.code, actor="test"),
        "close early": lambda: close_pool(code=pool.code, actor="test", early_by=organizer),
        "propose to cancel": lambda: propose_cancellation(
            code=pool.code, reason="x", document="x", proposed_by=organizer
        ),
        "enter the result": lambda: enter_result(code=pool.code, member=member, result=make_result(pool, "1;1;1")),
        "sign": lambda: sign_protocol(code=pool.code, member=member, passphrase=PASSPHRASE),
    }
    for name, act in acts.items():
        if state not in ALLOWED[name]:
            assert refused(act).http_status in (400, 403, 409), name


def rows_of(heading: str) -> set[tuple[str, str]]:
    """The (from, to) pairs of a table of docs/states.md."""
    page = STATES_PAGE.read_text(encoding="utf-8")
    section = page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ([a-z]+) \| ([a-z]+) \|", section, flags=re.MULTILINE)
    return set(rows) - {("from", "to")}


def test_the_page_tells_the_pools_moves() -> None:
    assert rows_of("Pool") == {(came_from.value, to.value) for came_from, ends in MOVES.items() for to in ends}


def test_the_page_tells_the_payables_moves() -> None:
    assert rows_of("Payable") == {
        (came_from.value, to.value) for came_from, ends in PAYABLE_MOVES.items() for to in ends
    }


def test_the_page_tells_the_moves_of_handovers_and_incidents() -> None:
    told = (
        ("Handover of cash", HANDOVER_MOVES),
        ("Incident", INCIDENT_MOVES),
        ("Deposit by a payment system", DEPOSIT_MOVES),
        ("Return of a deposit", RETURN_MOVES),
    )
    for heading, moves in told:
        assert rows_of(heading) == {(str(came_from), str(to)) for came_from, ends in moves.items() for to in ends}


def test_the_page_tells_every_state_of_a_settlement() -> None:
    assert {state for pair in rows_of("Settlement") for state in pair} == set(SettlementState.values)
