"""A pool that is over, long ago: sold, settled, paid, expired; and all that can be known of it."""

from collections.abc import Mapping
from datetime import date, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from accounts.services.persons import person_of
from payouts.queries.own_data import SUBJECTS
from payouts.queries.own_data.subjects import Owner
from payouts.queries.tax_register import tax_register, taxed_payments
from payouts.queries.tickets import ticket_status
from payouts.services.agent_commissions import post_agent_commissions
from payouts.services.booking import book_payables
from payouts.services.crediting import credit_accounts
from payouts.services.expiring import expire_winnings
from pools.models import Pool
from pools.services.bet_receipts import receipt_of
from pools.services.betting import PlacedBet
from pools.services.commission_keys import published_keys
from pools.snapshots.bundle import write_bundle
from pools.snapshots.pool_archives import bet_with_ticket
from pools.views.figures import figures_of
from tests.making import (
    account_of,
    bet_from_account,
    bet_in_cash,
    make_player,
    make_pool,
    make_till,
    somebody,
)
from tests.paying import broken, go_to, pay, payable_from, payable_until
from tests.settling import settle
from totalizator.core import clock
from totalizator.engine.verification import verify_bundle

LEVELS = [
    {"code": "2", "from": "1", "to": "1", "share": "1/2"},
    {"code": "1", "from": "1/2", "to": "1/2", "share": "1/2"},
]


def played() -> tuple[Pool, list[PlacedBet]]:
    """A settled pool of five bets, one of an account, one of a person known at a desk, one late in nothing."""
    pool = make_pool(conditions=2, terms={"levels": LEVELS, "price": {"line": 1_000}})
    till, player = make_till(), make_player(10_000)
    slips = [
        bet_from_account(pool, player, "1;1", 1_000),
        bet_in_cash(pool, till, "1;1", 1_000),
        bet_in_cash(pool, till, "1+X;1", 2_000, person=somebody()),
        bet_in_cash(pool, till, "X;X", 1_000),
        bet_in_cash(pool, till, "1;2", 1_000),
    ]
    settle(pool, "1;1")
    return pool, slips


def paid_and_expired(pool: Pool, slips: list[PlacedBet]) -> None:
    """One winning is credited, one paid in cash, the others expire."""
    book_payables(code=pool.code)
    post_agent_commissions(code=pool.code)
    go_to(payable_from(pool))
    credit_accounts(code=pool.code)
    till = slips[1].bet.till
    assert till is not None
    pay(slips[1], till, person=somebody("DESK000002"))
    go_to(payable_until(pool))
    expire_winnings(code=pool.code)


def long_after() -> None:
    clock.move_clock(timedelta(days=1_828))


def run(*arguments: str) -> str:
    told = StringIO()
    call_command("archive_pools", *arguments, stdout=told, stderr=told)
    return told.getvalue()


def bundle_of(pool: Pool, folder: Path, computed: Any = None) -> dict[str, bytes]:
    write_bundle(Pool.objects.get(pk=pool.pk), folder, computed)
    assert verify_bundle(folder, published_keys()).difference is None
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def own_data(pool: Pool, slips: list[PlacedBet]) -> Mapping[str, Any]:
    player = slips[0].bet.player
    assert player is not None
    owner = Owner(player, person_of(player), account_of(player), clock.now())
    wanted = ("bets", "winnings", "payments")
    return {subject.name: subject.read(owner) for subject in SUBJECTS if subject.name in wanted}


def seen(pool: Pool, slips: list[PlacedBet]) -> dict[str, Any]:
    """All that can be known of a pool and its tickets, by whatever way."""
    pool, year, player = Pool.objects.get(pk=pool.pk), payable_from(pool).year, slips[0].bet.player
    assert player is not None
    person = person_of(player)
    statuses = [ticket_status(slip.bet.ticket, slip.check_code) for slip in slips]
    receipts = [receipt_of(bet_with_ticket(slip.bet.ticket, pool.code)) for slip in slips]  # type: ignore[arg-type]
    visitor = Client(HTTP_ACCEPT_LANGUAGE="en")
    pages = [visitor.get(reverse("payouts:ticket", args=[slip.bet.ticket])).content.count(b"1,000") for slip in slips]
    return {
        "standing": [(status.standing, status.amount, status.bet.stake, status.bet.bits) for status in statuses],
        "receipts": [{key: each[key] for key in ("bet", "index", "path", "root", "commitment")} for each in receipts],
        "figures": figures_of(pool),
        "tax": (taxed_payments(person.pk, year), tax_register(date(year, 1, 1), date(year, 12, 31)).lines),
        "own": own_data(pool, slips),
        "pages": pages,
        "broken": broken(),
    }


def known(pool: Pool, slips: list[PlacedBet]) -> dict[str, Any]:
    """What the holders of tickets and the player know, and whether the books agree."""
    statuses = [ticket_status(slip.bet.ticket, slip.check_code) for slip in slips]
    return {
        "standing": [(status.standing, status.amount, status.bet.stake) for status in statuses],
        "own": own_data(pool, slips),
        "broken": broken(),
    }
