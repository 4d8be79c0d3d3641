"""A small town for whoever looks at pages: a pool of every state, a person of every role who has something to do."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from accounts.models import Role, Till, User
from payouts.tasks import book_due_payables
from pools.models import Pool
from pools.services.drafting import draft_pool
from pools.services.results import enter_result
from tests.correcting import correct
from tests.making import (
    bet_from_account,
    bet_in_cash,
    make_commission,
    make_organizers,
    make_player,
    make_pool,
    make_till,
    make_user,
)
from tests.resulting import close_by_clock, draw_up, make_result, members_of
from tests.settling import sell, settle

MATCHES = 5
LINE, OTHER_LINE = "1;X;2;1;X", "2;2;2;2;2"


@dataclass(frozen=True, slots=True)
class Town:
    """Who lives there, by role, and the pools by what became of them; `ticket` is the player's, `slip` one for cash."""

    people: Mapping[Role, User]
    till: Till
    pools: Mapping[str, Pool]
    ticket: str
    slip: tuple[str, str]
    visitors: Mapping[Role | None, User | None] = field(init=False)

    def __post_init__(self) -> None:
        """Count among those who come whoever is not logged in."""
        object.__setattr__(self, "visitors", {None: None, **self.people})


def make_town() -> Town:
    """Let some days pass in which a pool came to each of its states; the last to open is on sale."""
    keys, player, till = make_commission(), make_player(100_000), make_till(1_000_000)
    organizer, other = make_organizers()
    pools: dict[str, Pool] = {}
    for name in ("settled", "corrected", "entered", "drawn up"):
        pools[name] = make_pool(keys=keys, conditions=MATCHES)
        bet_from_account(pools[name], player, LINE, 100)
        sell(pools[name], (LINE, 100), (OTHER_LINE, 100))
        if name in ("settled", "corrected"):
            settle(pools[name], LINE)
        else:
            close_by_clock(pools[name])
    correct(pools["corrected"], OTHER_LINE)
    first = members_of(pools["entered"])[0]
    enter_result(code=pools["entered"].code, member=first, result=make_result(pools["entered"], LINE))
    draw_up(pools["drawn up"], LINE)
    book_due_payables()
    pools["totolot"] = make_pool("totolot-position", keys=keys, conditions=MATCHES, lasts=timedelta(days=3))
    pools["open"] = make_pool(keys=keys, conditions=MATCHES, lasts=timedelta(days=3))
    pools["announced"] = make_pool(keys=keys, conditions=MATCHES, opens_in=timedelta(days=1), is_open=False)
    document = json.loads(pools["open"].terms_text)
    document["pool"]["code"] = "DRAFT-1"
    pools["draft"] = draft_pool(document=document, prepared_by=other)
    placed = bet_from_account(pools["open"], player, LINE, 100)
    slip = bet_in_cash(pools["open"], till, OTHER_LINE, 100)
    assert till.cashier is not None
    people = {
        Role.PLAYER: player,
        Role.CASHIER: till.cashier,
        Role.COMMISSION: keys[0].member,
        Role.ORGANIZER: organizer,
        Role.REGULATOR: make_user(Role.REGULATOR),
    }
    return Town(people, till, pools, placed.bet.ticket, (slip.bet.ticket, slip.check_code))
