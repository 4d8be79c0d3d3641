"""The end of a game against the announcement of its next pool and against money for its jackpot (J3)."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from accounts.models import GameEnd
from payouts.queries import jackpot_balance
from payouts.services import game_ends
from payouts.services.jackpot import add_to_jackpot
from pools.models import Pool
from pools.services import drafting
from pools.services.drafting import announce_pool, draft_pool
from tests.concurrency.racing import race
from tests.ending_games import ended, proposed
from tests.making import make_commission, make_organizers, make_rules, make_terms
from tests.paying import broken
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal

pytestmark = pytest.mark.django_db(transaction=True)


def drafted() -> Callable[[], Pool]:
    """A draft of Totolot, to be announced."""
    one, other = make_organizers()
    opens_at = (clock.now() + timedelta(hours=1)).replace(microsecond=0)
    document = make_terms(
        "totolot-variant",
        opens_at=opens_at,
        closes_at=opens_at + timedelta(days=1),
        rules_version=make_rules(one),
        keys=make_commission(),
    )
    code = draft_pool(document=document, prepared_by=one).code
    return lambda: announce_pool(code=code, announced_by=other)


def test_a_game_ends_or_announces_its_next_pool_never_both() -> None:
    announce, proposal = drafted(), proposed()
    results: list[Any] = race([announce, lambda: ended(proposal)])
    (refusal,) = [result for result in results if isinstance(result, DomainError)]
    assert refusal.code == Refusal.WRONG_STATE
    announced = Pool.objects.filter(announced_at__isnull=False).count()
    assert announced + GameEnd.objects.count() == 1


def test_money_for_a_jackpot_is_moved_with_it_or_refused() -> None:
    staff, proposal = make_organizers()[0], proposed()
    results: list[Any] = race(
        [
            lambda: add_to_jackpot(game="totolot", amount=300, document="Order 1", actor=staff),
            lambda: ended(proposal),
        ]
    )
    assert isinstance(results[1], GameEnd)
    added = results[0] is True
    assert (jackpot_balance("totolot"), jackpot_balance("sportloto")) == (0, 300 if added else 0)
    assert broken() == []


def test_negative_control_without_the_jackpots_lock_a_game_ends_with_a_pool_under_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    announce, proposal = drafted(), proposed()
    looked = game_ends._refuse_unfinished

    def announced_meanwhile(game: str) -> None:
        looked(game)
        race([announce])  # a transaction of its own, after nothing was found under way

    monkeypatch.setattr(game_ends, "_refuse_unfinished", announced_meanwhile)
    monkeypatch.setattr(drafting, "lock_jackpot", lambda _game: None)
    ended(proposal)
    assert (Pool.objects.filter(state="announced").count(), GameEnd.objects.count()) == (1, 1)
