"""The whole demonstration, from the people to the proof."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from django.core.management import call_command

from accounts.models import AmlCase
from payouts.management.demo.admitting import admit, read_register
from payouts.management.demo.bank import Bank
from payouts.management.demo.cast import MOST_PLAYERS, Cast, gather_cast
from payouts.management.demo.doors import Services
from payouts.management.demo.figures import (
    Figures,
    Pace,
    jackpots,
    liabilities,
    money_figures,
    money_in,
    pool_figures,
)
from payouts.management.demo.filling import fill_accounts, needed_by
from payouts.management.demo.leftovers import cancel_pools_in_play, next_run
from payouts.management.demo.log_proving import verify_log
from payouts.management.demo.papers import Papers
from payouts.management.demo.payment_system import payment_system
from payouts.management.demo.playing import announce, close_by_clock, decide, open_by_clock
from payouts.management.demo.proving import reconcile, verify_bundles
from payouts.management.demo.scenes import Scene, Teller, end_of_season, pay_what_is_late, sell_everywhere
from payouts.management.demo.season import Sale, codes_of, first_round, second_round, visitors_round
from payouts.management.demo.site import Site
from payouts.management.demo.waiting import Stage
from pools.models import RulesText
from pools.services.rules import publish_rules
from totalizator.core import clock

RULES = "Правила приёма ставок: действует утверждённый порядок тотализатора; это демонстрация.\n"
RULES_SINCE = datetime(2020, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Story:
    """One run: its size, its seed, who does the work, where its papers go, and the address of the running site."""

    bets: int
    seed: int
    threads: int
    stage: Stage
    teller: Teller
    papers: Path
    site: str | None = None

    def play(self) -> Figures:
        """Play everything; return the figures of the table."""
        started = time.monotonic()
        self.teller.step("People, points, terminals, keys, accounts")
        call_command("load_legal_calendar")
        cast = gather_cast(min(MOST_PLAYERS, self.bets // 10))
        run = next_run()
        cancel_pools_in_play(cast)
        rules_version = _rules_in_force(cast)
        admit([account.player for account in cast.accounts], cast.drafter, rules_version)
        jackpots_before, began, cases = jackpots(), clock.now(), AmlCase.objects.count()

        with payment_system(run) as system:
            door = Site(self.site, [account.player for account in cast.accounts]) if self.site else Services()
            scene = Scene(self.stage, self.teller, cast, door, Bank(run, cast), system, Papers(self.papers))
            first = first_round(run, self.bets, cast, rules_version)
            selling = self._play_round("First round", first, scene)
            second = second_round(run, self.bets, cast, rules_version)
            selling += self._play_round("Jackpot round", second, scene)
            codes = codes_of(first) + codes_of(second)
            end_of_season(scene, f"D{run}", codes)

        self.teller.step("Reconciling the ledger, verifying the bundles, the public log and receipts")
        ledger, verdicts = reconcile(), verify_bundles(codes)
        proved = verify_log(codes, scene.slips, self.site)
        told = {**money_in(codes, cast.terminals, began), "liabilities": liabilities()}
        left_open = self._leave_a_pool_open(run, cast, rules_version)
        pace = Pace(time.monotonic() - started, selling, self.bets)
        return {
            "seed": self.seed,
            "bets": self.bets,
            "pools": [pool_figures(code, verdicts[code]) for code in codes],
            **money_figures(codes, jackpots_before),
            **told,
            "cases": AmlCase.objects.count() - cases,
            "documents": {"folder": str(self.papers), "files": scene.papers.names},
            "ledger": ledger,
            "proved": proved,
            "left_open": left_open,
            **pace.as_figures(),
        }

    def _play_round(self, name: str, sales: Sequence[Sale], scene: Scene) -> float:
        """Announce, fill accounts, sell, close, decide; return the seconds that selling took."""
        plans = [sale.plan for sale in sales]
        self.teller.step(f"{name}: announcing {', '.join(codes_of(sales))}")
        announce(plans, scene.cast)
        read_register()
        self.teller.step(f"{name}: money onto the accounts, by bank, payment system, cash and card")
        bets = [bet for sale in sales for bet in sale.bets(self.seed)]
        fill_accounts(needed_by(bets, scene.cast), codes_of(sales)[0], scene.cast, scene.bank, scene.system)
        open_by_clock(plans, self.stage)
        started = time.monotonic()
        with self.teller.selling(len(bets)) as sold:
            for sale in sales:
                sell_everywhere(sale, scene, self.seed, threads=self.threads, sold=sold)
        seconds = time.monotonic() - started
        self.teller.step(f"{name}: closing by the clock")
        close_by_clock(plans, self.stage)
        self.teller.step(f"{name}: the commission signs, the pools are settled")
        decide(plans, scene.cast, self.stage)
        pay_what_is_late(scene)
        return seconds

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
