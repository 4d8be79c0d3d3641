"""What happens in each scene of the demonstration, and what all scenes share."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

from payouts.management.demo.bank import Bank
from payouts.management.demo.cast import Cast
from payouts.management.demo.choosing import ChosenBet, Way
from payouts.management.demo.doors import Door
from payouts.management.demo.handing_over import count_shifts, hand_over
from payouts.management.demo.orders import bet_by_transfer, bet_on_paper, order_unpaid, pay_late
from payouts.management.demo.papers import Papers
from payouts.management.demo.paying import collect_in_cash, credit_by_clock, expire_by_clock
from payouts.management.demo.payment_system import PaymentSystem
from payouts.management.demo.sales import Counter, Slip
from payouts.management.demo.season import Sale
from payouts.management.demo.suspicion import split_up
from payouts.management.demo.waiting import Stage
from payouts.management.demo.wallet import buy_cards, card_sheet, shared_out
from payouts.management.demo.withdrawing import give_to_the_bank, withdraw
from payouts.tasks import post_due_agent_commissions
from pools.models import BetOrder


class Teller(Protocol):
    """Who tells the watcher how far it is."""

    def step(self, words: str) -> None:
        """Say what happens now."""

    def selling(self, bets: int) -> AbstractContextManager[Callable[[], None]]:
        """Show the sale of so many bets; what is given is called after each."""


@dataclass(slots=True)
class Scene:
    """Who and what is there, the cash tickets that were sold so far, and an order whose payment will come late."""

    stage: Stage
    teller: Teller
    cast: Cast
    door: Door
    bank: Bank
    system: PaymentSystem
    papers: Papers
    slips: list[Slip] = field(default_factory=list)
    late: BetOrder | None = None


def sell_everywhere(sale: Sale, scene: Scene, seed: int, *, threads: int, sold: Callable[[], None]) -> None:
    """Sell the bets of a pool, each by its way."""
    code, cast, bets = sale.plan.code, scene.cast, list(sale.bets(seed))
    paying = shared_out(bets)
    cards = buy_cards(max(paying.values(), default=-1) + 1, cast)
    counter = Counter(code, cast, scene.door, cards, paying, sold)
    by_transfer, on_paper = _of(bets, Way.TRANSFER), _of(bets, Way.PAPER)
    bet_by_transfer(code, by_transfer, cast, scene.bank)
    tickets = bet_on_paper(code, on_paper, cast)
    for _bet in by_transfer:
        sold()
    for bet in on_paper:
        counter.note(bet, tickets[bet.number])
    others = [bet for bet in bets if bet.way not in (Way.TRANSFER, Way.PAPER)]
    scene.slips += counter.sell(others, threads=threads)
    if sale.club:  # the jackpot is reserved before the payment comes
        scene.late = order_unpaid(code, bets[1], len(bets), cast)


def pay_what_is_late(scene: Scene) -> None:
    """Let a payment come after its pool was closed and settled."""
    if scene.late is not None:
        pay_late(scene.late, scene.bank, scene.cast)


def end_of_season(scene: Scene, name: str, codes: Sequence[str]) -> None:
    """Pay, withdraw, look at what is suspicious, hand cash over, count shifts, let the terms end; keep the papers."""
    cast, papers = scene.cast, scene.papers
    scene.teller.step("Next day: accounts and cards are credited, winners come to the tills")
    credit_by_clock(codes, scene.stage)
    collect_in_cash(scene.slips, codes, cast)
    papers.ticket(scene.slips[0])
    papers.receipt(codes, cast)
    scene.teller.step("Money goes back to players; a case of suspicion; takings go to the bank; shifts are counted")
    large = cast.accounts[0]
    split_up(name, large, cast)
    withdraw(name, large, cast)
    given, order = give_to_the_bank(scene.bank, cast)
    handover, shift = hand_over(cast), count_shifts(cast)
    scene.teller.step("The claim terms end: what nobody collected goes into the jackpot")
    expire_by_clock(codes, scene.stage)
    post_due_agent_commissions()
    papers.of_the_till(handover, shift)
    papers.keep("card-sheet.pdf", card_sheet(cast))
    papers.of_the_account(large)
    papers.of_the_bank(given, order, scene.bank, cast)


def _of(bets: Sequence[ChosenBet], way: Way) -> list[ChosenBet]:
    return [bet for bet in bets if bet.way == way]
