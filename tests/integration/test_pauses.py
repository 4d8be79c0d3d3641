"""Sales paused by pool, by channel, at a point, and the register of it (T2)."""

import csv
from io import StringIO

import pytest

from accounts.models import User
from pools.models import Channel, Incident, IncidentState, Pool
from pools.queries.incidents import COLUMNS, incidents_csv
from pools.services.betting import PlacedBet
from pools.services.pausing import pause_sales, resume_sales
from tests.desks import keeper
from tests.making import bet_from_account, bet_in_cash, make_player, make_pool, make_till
from tests.refusals import refused
from totalizator.core.errors import Refusal

pytestmark = pytest.mark.django_db


def from_account(pool: Pool, player: User) -> PlacedBet:
    return bet_from_account(pool, player, "1;1;1", 100)


def test_a_paused_pool_leaves_the_others() -> None:
    pool, other, player = make_pool(), make_pool(), make_player(1_000)
    incident = pause_sales(cause="A team is late.", paused_by=keeper(), pool_code=pool.code)
    refusal = refused(lambda: from_account(pool, player))
    assert (refusal.code, refusal.details) == (Refusal.SALES_PAUSED, {"since": incident.started_at})
    from_account(other, player)
    resume_sales(incident=incident, outcome="It came.", resumed_by=keeper())
    from_account(pool, player)


def test_a_paused_channel_leaves_the_others() -> None:
    pool, player, till = make_pool(), make_player(1_000), make_till()
    pause_sales(cause="The site is attacked.", paused_by=keeper(), channel=Channel.ACCOUNT)
    assert refused(lambda: from_account(pool, player)).code == Refusal.SALES_PAUSED
    bet_in_cash(pool, till, "1;1;1", 100)


def test_a_paused_point_leaves_the_others() -> None:
    pool, player, till, other = make_pool(), make_player(1_000), make_till(), make_till()
    pause_sales(cause="No light.", paused_by=keeper(), point=till.point)
    assert refused(lambda: bet_in_cash(pool, till, "1;1;1", 100)).code == Refusal.SALES_PAUSED
    bet_in_cash(pool, other, "1;1;1", 100)
    from_account(pool, player)


def test_what_is_named_together_must_all_apply() -> None:
    pool, other, player, till = make_pool(), make_pool(), make_player(1_000), make_till()
    pause_sales(cause="Odd bets.", paused_by=keeper(), pool_code=pool.code, channel=Channel.CASH, point=till.point)
    assert refused(lambda: bet_in_cash(pool, till, "1;1;1", 100)).code == Refusal.SALES_PAUSED
    bet_in_cash(other, till, "1;1;1", 100)
    bet_in_cash(pool, make_till(), "1;1;1", 100)
    from_account(pool, player)


def test_nothing_named_pauses_everything_and_every_pause_must_end() -> None:
    pool, player, till = make_pool(), make_player(1_000), make_till()
    first = pause_sales(cause="The centre burns.", paused_by=keeper())
    second = pause_sales(cause="And here.", paused_by=keeper(), pool_code=pool.code)
    assert refused(lambda: from_account(pool, player)).code == Refusal.SALES_PAUSED
    assert refused(lambda: bet_in_cash(pool, till, "1;1;1", 100)).code == Refusal.SALES_PAUSED
    resume_sales(incident=first, outcome="Put out.", resumed_by=keeper())
    assert refused(lambda: from_account(pool, player)).code == Refusal.SALES_PAUSED
    resume_sales(incident=second, outcome="Put out.", resumed_by=keeper())
    from_account(pool, player)


def test_only_the_staff_pauses_with_a_cause_and_resumes_once() -> None:
    staff, player = keeper(), make_player()
    assert refused(lambda: pause_sales(cause="Fun.", paused_by=player)).code == Refusal.NOT_ALLOWED
    assert refused(lambda: pause_sales(cause=" ", paused_by=staff)).field == "cause"
    assert refused(lambda: pause_sales(cause="X", paused_by=staff, pool_code="none")).code == Refusal.NOT_FOUND
    incident = pause_sales(cause="X", paused_by=staff)
    assert refused(lambda: resume_sales(incident=incident, outcome="", resumed_by=staff)).field == "outcome"
    ended = resume_sales(incident=incident, outcome="Y", resumed_by=staff)
    assert (ended.state, ended.ended_by) == (IncidentState.ENDED, staff)
    again = refused(lambda: resume_sales(incident=incident, outcome="Z", resumed_by=staff))
    assert again.code == Refusal.WRONG_STATE


def test_the_register_is_exported_whole() -> None:
    pool, till = make_pool(), make_till()
    first = pause_sales(cause='=1+1; "quoted"', paused_by=keeper(), pool_code=pool.code, channel=Channel.CASH)
    second = pause_sales(cause="No light,\nno bets", paused_by=keeper(), point=till.point)
    first = resume_sales(incident=first, outcome="Ok", resumed_by=keeper())
    rows = list(csv.reader(StringIO("".join(incidents_csv()))))
    assert rows == [
        list(COLUMNS),
        [
            str(first.pk),
            "ended",
            first.started_at.isoformat().replace("+00:00", "Z"),
            str(first.ended_at and first.ended_at.isoformat().replace("+00:00", "Z")),
            pool.code,
            "cash",
            "",
            '\'=1+1; "quoted"',
            "Ok",
            "keeper",
            "keeper",
        ],
        [
            str(second.pk),
            "open",
            second.started_at.isoformat().replace("+00:00", "Z"),
            "",
            "",
            "",
            till.point.code,
            "No light,\nno bets",
            "",
            "keeper",
            "",
        ],
    ]
    assert Incident.objects.count() == 2
