"""One bet through each of the channels into one pool, as its players, cashiers and terminals make it (¶9, ¶35)."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

from django.test import Client

from accounts.models import PointKind, Till, User
from accounts.services.api_tokens import create_token
from accounts.services.terminals import NewKey, synchronise
from pools.models import Bet, Channel, Pool
from pools.services.betting import PlacedBet
from tests.banking import order_bet, pay_for
from tests.carding import Bought, bet_by_card, bought
from tests.desks import make_agent, make_terminal
from tests.making import bet_from_account, bet_in_cash, make_player, make_till
from tests.paper import sell_on_paper
from tests.signing import signed_headers
from totalizator.core.money import plain_byn

JSON = "application/json"
WAYS = ("cash", "card", "account", "transfer", "agent", "batch", "terminal", "paper")
CHANNELS: Mapping[str, Channel] = {
    "cash": Channel.CASH,
    "card": Channel.CARD,
    "account": Channel.ACCOUNT,
    "transfer": Channel.TRANSFER,
    "agent": Channel.CASH,
    "batch": Channel.ACCOUNT,
    "terminal": Channel.CASH,
    "paper": Channel.PAPER,
}
PRICE = 100
_number = count(1)


@dataclass(frozen=True, slots=True)
class Town:
    """Everyone who bets, sells or pays: a till of each kind, a terminal at a till of its own, two players, a card."""

    till: Till
    agents: Till
    under_terminal: Till
    terminal: NewKey
    player: User
    programmer: User
    token: str
    card: Bought


@dataclass(frozen=True, slots=True)
class Slip:
    """What the player holds. `check_code` is empty where nobody is handed a ticket."""

    ticket: str
    check_code: str

    @property
    def bet(self) -> Bet:
        return Bet.objects.get(ticket=self.ticket)


def make_town() -> Town:
    """Two thousand kopecks on each account and card, ten thousand in each till."""
    till, under_terminal = make_till(10_000), make_till(10_000)
    programmer = make_player(2_000)
    return Town(
        till=till,
        agents=make_till(10_000, kind=PointKind.AGENT, agent=make_agent("3/50")),
        under_terminal=under_terminal,
        terminal=make_terminal(under_terminal),
        player=make_player(2_000),
        programmer=programmer,
        token=create_token(user=programmer, name="a program").text,
        card=bought(till, face_value=2_000)[0],
    )


def bet_every_way(pool: Pool, town: Town, selections: str, *, losers: str, more: int) -> Mapping[str, Slip]:
    """Bet `selections` once by each way, and `more` times `losers` in the batch; return the slips by way."""
    synchronise(terminal=town.terminal.terminal)
    ordered = order_bet(pool, selections, PRICE)
    pay_for(ordered)
    ordered.refresh_from_db()
    assert ordered.ticket is not None
    paper = sell_on_paper(pool, town.till, selections).placed
    assert paper is not None
    return {
        "cash": _slip(bet_in_cash(pool, town.till, selections, PRICE)),
        "card": _slip(bet_by_card(pool, town.card, selections, PRICE)),
        "account": _slip(bet_from_account(pool, town.player, selections, PRICE)),
        "transfer": Slip(ordered.ticket, ""),
        "agent": _slip(bet_in_cash(pool, town.agents, selections, PRICE)),
        "batch": batch_of(pool, town, [selections, *[losers] * more])[0],
        "terminal": bet_at_terminal(pool, town, selections),
        "paper": _slip(paper),
    }


def batch_of(pool: Pool, town: Town, coupons: list[str]) -> list[Slip]:
    """Many bets in one call, by a program with its owner's token."""
    bets = [
        {"selections": coupon, "stake": plain_byn(PRICE), "idempotency_key": f"batch-{next(_number)}"}
        for coupon in coupons
    ]
    headers = {"Authorization": f"Bearer {town.token}"}
    answer = Client().post(f"/api/v1/pools/{pool.code}/bets/batch", {"bets": bets}, content_type=JSON, headers=headers)
    answers: list[dict[str, Any]] = answer.json()["answers"]
    assert {told["status"] for told in answers} == {201}, answers
    return [Slip(told["bet"]["ticket"], told["bet"]["check_code"]) for told in answers]


def bet_at_terminal(pool: Pool, town: Town, selections: str) -> Slip:
    """One signed request of the terminal."""
    path = f"/api/v1/pools/{pool.code}/bets"
    body = f'{{"selections": "{selections}", "stake": "{plain_byn(PRICE)}"}}'.encode()
    headers = {
        **signed_headers(town.terminal, "POST", path, body),
        "Idempotency-Key": f"terminal-{next(_number)}",
    }
    answer = Client().post(path, body, content_type=JSON, headers=headers)
    assert answer.status_code == 201, answer.content
    return Slip(answer.json()["ticket"], answer.json()["check_code"])


def _slip(placed: PlacedBet) -> Slip:
    return Slip(placed.bet.ticket, placed.check_code)
