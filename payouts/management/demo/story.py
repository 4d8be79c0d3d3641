"""The whole demonstration, from the people to the proof."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from django.core.management import call_command

from accounts.models import TopUpWay
from accounts.services.topups import credit_transfer
from payouts.management.demo.admitting import admit, read_register
from payouts.management.demo.cast import MOST_PLAYERS, Cast, gather_cast
from payouts.management.demo.figures import Figures, Pace, jackpots, money_figures, pool_figures
from payouts.management.demo.leftovers import cancel_pools_in_play, next_run
from payouts.management.demo.paying import collect_in_cash, credit_by_clock, expire_by_clock
from payouts.management.demo.playing import announce, close_by_clock, decide, open_by_clock
from payouts.management.demo.proving import reconcile, verify_bundles
from payouts.management.demo.sales import Slip, payer_of, sell
from payouts.management.demo.season import Sale, codes_of, first_round, second_round, visitors_round
from payouts.management.demo.waiting import Stage
from pools.models import RulesText
from pools.services.rules import publish_rules
from totalizator.core import clock

RULES = "Правила приёма ставок: действует утверждённый порядок тотализатора; это демонстрация.\n"
RULES_SINCE = datetime(2020, 1, 1, tzinfo=UTC)
POCKET_MONEY = 5000  # kopecks that each player has besides what the planned bets cost


class Teller(Protocol):
    """Who tells the watcher how far it is."""

    def step(self, words: str) -> None:
        """Say what happens now."""

    def selling(self, bets: int) -> AbstractContextManager[Callable[[], None]]:
        """Show the sale of so many bets; what is given is called after each."""


@dataclass(frozen=True, slots=True)
class Story:
    """One run: its size, its seed, who does the work."""

    bets: int
    seed: int
    threads: int
    stage: Stage
    teller: Teller

    def play(self) -> Figures:
        """Play everything; return the figures of the table."""
        started = time.monotonic()
        self.teller.step("People, tills, keys, accounts")
        call_command("load_legal_calendar")
        cast = gather_cast(min(MOST_PLAYERS, self.bets // 10))
        run = next_run()
        cancel_pools_in_play(cast)
        rules_version = _rules_in_force(cast)
        admit([account.player for account in cast.accounts], cast.drafter, rules_version)
        jackpots_before = jackpots()

        first = first_round(run, self.bets, cast, rules_version)
        slips, selling_first = self._play_round("First round", first, cast)
        second = second_round(run, self.bets, cast, rules_version)
        more_slips, selling_second = self._play_round("Jackpot round", second, cast)

        codes = codes_of(first) + codes_of(second)
        self._pay(slips + more_slips, codes, cast)
        self.teller.step("Reconciling the ledger, verifying the bundles")
        ledger, verdicts = reconcile(), verify_bundles(codes)
        left_open = self._leave_a_pool_open(run, cast, rules_version)
        pace = Pace(time.monotonic() - started, selling_first + selling_second, self.bets)
        return {
            "seed": self.seed,
            "bets": self.bets,
            "pools": [pool_figures(code, verdicts[code]) for code in codes],
            **money_figures(codes, jackpots_before),
            "ledger": ledger,
            "left_open": left_open,
            **pace.as_figures(),
        }

    def _play_round(self, name: str, sales: Sequence[Sale], cast: Cast) -> tuple[list[Slip], float]:
        """Announce, sell, close, decide; return the cash tickets and the seconds that selling took."""
        plans = [sale.plan for sale in sales]
        self.teller.step(f"{name}: announcing {', '.join(codes_of(sales))}")
        announce(plans, cast)
        read_register()
        self._fill_accounts(sales, cast)
        open_by_clock(plans, self.stage)
        started = time.monotonic()
        with self.teller.selling(sum(sale.count for sale in sales)) as sold:
            sold_by_pool = [
                sell(sale.plan.code, sale.bets(self.seed), cast, threads=self.threads, sold=sold) for sale in sales
            ]
        seconds = time.monotonic() - started
        self.teller.step(f"{name}: closing by the clock")
        close_by_clock(plans, self.stage)
        self.teller.step(f"{name}: the commission signs, the pools are settled")
        decide(plans, cast, self.stage)
        return [slip for slips in sold_by_pool for slip in slips], seconds

    def _fill_accounts(self, sales: Sequence[Sale], cast: Cast) -> None:
        """Deposit what each player's bets will cost, and some more (¶35.3: bets only from a positive balance)."""
        needed: Counter[int] = Counter()
        for sale in sales:
            for bet in sale.bets(self.seed):
                if not bet.in_cash:
                    needed[payer_of(bet, cast).account.pk] += bet.stake
        for account in cast.accounts:
            credit_transfer(
                account=account,
                amount=needed[account.ledger_account_id] + POCKET_MONEY,
                reference=f"{sales[0].plan.code}:{account.pk}",
                method=TopUpWay.BANK_TRANSFER,
                received_at=clock.now(),
                actor=cast.announcer.actor,
            )

    def _pay(self, slips: Sequence[Slip], codes: Sequence[str], cast: Cast) -> None:
        self.teller.step("Next day: accounts are credited, winners come to the tills")
        credit_by_clock(codes, self.stage)
        collect_in_cash(slips, codes, cast)
        self.teller.step("The claim terms end: what nobody collected goes into the jackpot")
        expire_by_clock(codes, self.stage)

    def _leave_a_pool_open(self, run: int, cast: Cast, rules_version: str) -> str:
        plan = visitors_round(run, cast, rules_version)
        self.teller.step(f"Opening {plan.code} for visitors")
        announce([plan], cast)
        open_by_clock([plan], self.stage)
        return plan.code


def _rules_in_force(cast: Cast) -> str:
    """Return the version of the rules text in force, publishing the demonstration's own where there is none (A3)."""
    standing = RulesText.objects.filter(valid_from__lte=clock.now()).order_by("-valid_from").first()
    if standing is not None:
        return standing.version
    return publish_rules(text=RULES, valid_from=RULES_SINCE, published_by=cast.drafter).version
