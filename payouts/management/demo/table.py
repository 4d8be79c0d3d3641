"""Showing the demonstration to a person: progress while it runs, the table and the log-ins at its end."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from payouts.management.demo.proving import OK
from totalizator.core.money import plain_byn

MONEY = ("turnover", "refunds", "takeout", "fund", "added", "winnings", "jackpot_in", "jackpot_out")


class ConsoleTeller:
    """Tells the progress on a console: the error stream, so that `--json` has the other to itself."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False)

    def step(self, words: str) -> None:
        """Print one line."""
        self._console.print(f"• {words}")

    @contextmanager
    def selling(self, bets: int) -> Iterator[Callable[[], None]]:
        """Show a bar that grows by one with each call."""
        columns = (TextColumn("  selling"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[speed]}"))
        with Progress(*columns, TimeRemainingColumn(), console=self._console) as progress:
            task = progress.add_task("selling", total=bets, speed="")

            def sold() -> None:
                progress.advance(task)
                speed = progress.tasks[0].finished_speed or progress.tasks[0].speed or 0
                progress.update(task, speed=f"{speed:.0f} bets/s")

            yield sold


def print_figures(figures: Mapping[str, Any], console: Console) -> None:
    """Print the pools, their levels, the payments and the proofs."""
    console.print(_pools(figures))
    console.print(_levels(figures))
    console.print(_money_in(figures))
    console.print(_payments(figures))
    console.print(_liabilities(figures))
    seconds, pace = figures["seconds"], figures["bets_per_second"]
    papers, cases = figures["documents"], figures["cases"]
    console.print(f"Cases of suspicion: {cases}. Papers in {papers['folder']}: {', '.join(papers['files'])}.")
    proved = figures["proved"]
    console.print(f"Public log: {proved['log']}. Receipts of {proved['receipts_of']}: {proved['receipts']}.")
    console.print(f"Ledger: {figures['ledger']}. {figures['bets']} bets, {pace} a second; {seconds} s in all.")


def print_entrances(addresses: Mapping[str, str], logins: Mapping[str, str], console: Console) -> None:
    """Print what there is to see, and who can log in."""
    console.print()
    for what, address in addresses.items():
        console.print(f"{what:<26} {address}", soft_wrap=True)
    console.print()
    table = Table("log-in", "password", caption="A commission member signs with the same.", caption_justify="left")
    for username, secret in logins.items():
        table.add_row(username, secret)
    console.print(table)


def _pools(figures: Mapping[str, Any]) -> Table:
    """One column for each pool, so that four of them fit a narrow window."""
    pools = figures["pools"]
    table = Table("BYN", *(pool["code"] for pool in pools), title="Pools")
    table.add_row("game", *(pool["game"].replace("-", "\n") for pool in pools))
    for name in ("bets", "lines"):
        table.add_row(name, *(str(pool[name]) for pool in pools))
    for name in MONEY:
        table.add_row(name.replace("_", " "), *(plain_byn(pool[name]) for pool in pools))
    table.add_row("identity", *("holds" if pool["identity"] else "BROKEN" for pool in pools))
    table.add_row("engine verify", *(pool["verify"] for pool in pools))
    return table


def _levels(figures: Mapping[str, Any]) -> Table:
    title = "Levels, BYN: what a winning line, or a rouble staked, gets"
    table = Table("pool", "level", "fund", "winners", "each gets", "paid", "moved", title=title)
    for pool in figures["pools"]:
        for level in pool["levels"]:
            winners, each = _winners(level)
            moved = ", ".join(f"{plain_byn(move['amount'])} to {move['to']}" for move in level["moved"])
            table.add_row(
                pool["code"], level["code"], plain_byn(level["fund"]), winners, each, plain_byn(level["paid"]), moved
            )
    return table


def _winners(level: Mapping[str, Any]) -> tuple[str, str]:
    """Return how many share the level, and the dividend of a line or the coefficient of a stake."""
    if level["dividend"] is not None:
        return f"{level['lines']} lines" if level["lines"] != 1 else "1 line", plain_byn(level["dividend"])
    if level["coefficient"] is not None:
        return f"{plain_byn(level['stakes'])} staked", f"× {level['coefficient_shown']}"
    return "none", "–"


def _payments(figures: Mapping[str, Any]) -> Table:
    table = Table("", "winnings", "gross", "tax", "net", title="Paid, BYN")
    for way, paid in figures["payments"].items():
        table.add_row(way, str(paid["count"]), *(plain_byn(paid[name]) for name in ("gross", "tax", "net")))
    for game, jackpot in figures["jackpots"].items():
        table.add_row(f"jackpot {game}", "", f"{plain_byn(jackpot['before'])} → {plain_byn(jackpot['after'])}", "", "")
    return table


def _money_in(figures: Mapping[str, Any]) -> Table:
    """What came by each way: stakes from outside and from accounts, and what came onto accounts."""
    table = Table("", "how many", "BYN", title="Money in")
    for title, ways in (("bets", figures["bets_by_way"]), ("accounts", figures["top_ups"])):
        for way, came in ways.items():
            table.add_row(f"{title}: {way.replace('_', ' ')}", str(came["count"]), plain_byn(came["amount"]))
    return table


def _liabilities(figures: Mapping[str, Any]) -> Table:
    """The guarantee sum, part by part, beside the money that stands for it."""
    told = figures["liabilities"]
    table = Table("", "BYN", title="What players could ask for")
    for kind, amount in told["parts"].items():
        table.add_row(kind.replace("_", " "), plain_byn(amount))
    for name in ("required", "in_bank", "elsewhere"):
        table.add_row(name.replace("_", " "), plain_byn(told[name]))
    return table


def all_proved(figures: Mapping[str, Any]) -> bool:
    """Tell whether the ledger is clean, the guarantee sum is its, identities hold, and all that is public verifies."""
    pools, books = figures["pools"], figures["ledger"] == OK and not figures["liabilities"]["differing"]
    public = (figures["proved"]["log"], figures["proved"]["receipts"]) == (OK, OK)
    return public and books and all(pool["identity"] and pool["verify"] == OK for pool in pools)
