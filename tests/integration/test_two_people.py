"""What one person begins nobody finishes alone, and nobody whose role it is not: refused, with nothing changed (R1)."""

from collections.abc import Iterator
from functools import partial

import pytest

from accounts.models import Role
from pools.models import PoolState, Protocol
from pools.services.protocols import sign_protocol
from pools.services.results import enter_result
from tests.approving import APPROVALS
from tests.architecture.test_ways_in import acts
from tests.fakes.provider import FakeProvider, running, settings_of
from tests.making import PASSPHRASE, make_pool, make_user
from tests.refusals import refused
from tests.resulting import close_by_clock, make_result, members_of
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db


@pytest.fixture
def provider(settings: object) -> Iterator[FakeProvider]:
    with running() as fake:
        settings.PAYMENT_PROVIDERS = settings_of(fake)  # type: ignore[attr-defined]
        yield fake


@pytest.mark.parametrize("name", APPROVALS)
def test_r1_who_began_it_is_refused_twice_and_so_is_every_other_role(name: str, provider: FakeProvider) -> None:
    waiting = APPROVALS[name](provider)
    before = JournalRecord.objects.filter(act=waiting.act).count()
    others = [make_user(role) for role in Role if role != Role.ORGANIZER]
    by_staff, by_desk = Refusal.SAME_PERSON, {Refusal.SAME_PERSON, Refusal.NOT_ALLOWED}
    for _again in range(2):
        code = refused(partial(waiting.approve, waiting.first)).code
        assert code == by_staff if waiting.first.role == Role.ORGANIZER else code in by_desk
    for other in others:
        if (name.endswith("approve_form"), other.role) != (True, Role.CASHIER):  # another cashier may
            assert refused(partial(waiting.approve, other)).code == Refusal.NOT_ALLOWED, other.role
    waiting.approve(make_user(Role.ORGANIZER))
    assert JournalRecord.objects.filter(act=waiting.act).count() > before


def test_r1_every_service_that_approves_is_tried() -> None:
    told = {name.partition(" ")[0] for name in APPROVALS}
    found = {f"{module}.{name}" for module, name in acts() if name.startswith("approve_")}
    assert sorted(found - told) == []


def test_r1_no_member_alone_makes_a_result_official() -> None:
    pool = close_by_clock(make_pool())
    first, second, _third = members_of(pool)
    result = make_result(pool, "1;1;1")
    enter_result(code=pool.code, member=first, result=result)
    for _again in range(2):
        twice = refused(lambda: enter_result(code=pool.code, member=first, result=result))
        assert twice.code == Refusal.SAME_PERSON
    assert not Protocol.objects.filter(pool=pool).exists()
    enter_result(code=pool.code, member=second, result=result)
    assert not sign_protocol(code=pool.code, member=first, passphrase=PASSPHRASE)
    for _again in range(2):
        twice = refused(lambda: sign_protocol(code=pool.code, member=first, passphrase=PASSPHRASE))
        assert twice.code == Refusal.SAME_PERSON
    pool.refresh_from_db()
    assert pool.state == PoolState.CLOSED
    assert sign_protocol(code=pool.code, member=second, passphrase=PASSPHRASE)
