"""The demonstration, small and with its tasks run in this process: it plays to the end and is the same for a seed."""

import json
from io import StringIO
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from django.test import Client, override_settings

from accounts.models import GameAccount, Role, User
from payouts.management.demo.cast import secret_of
from payouts.models import Payable, PayableState
from pools.models import Bet, Channel, Pool, PoolState

BETS = 200
MEASURED = ("seconds", "selling_seconds", "bets_per_second")


def play(*arguments: str) -> dict[str, Any]:
    out = StringIO()
    call_command("demo", "--bets", str(BETS), "--no-celery", "--threads", "1", "--json", *arguments, stdout=out)
    figures: dict[str, Any] = json.loads(out.getvalue())
    return figures


def play_and_forget(*arguments: str) -> dict[str, Any]:
    """Play, then undo everything, so that the next run starts from the same database."""
    with transaction.atomic():
        figures = play(*arguments)
        transaction.set_rollback(True)
    return {name: value for name, value in figures.items() if name not in MEASURED}


@pytest.mark.django_db
def test_the_demonstration_plays_two_rounds_to_the_last_payment() -> None:
    figures = play("--seed", "5")
    first, one_match, eight, drawn = figures["pools"]
    assert [pool["code"] for pool in figures["pools"]] == ["D1-1", "D1-2", "D1-3", "D1-4"]
    assert [pool["bets"] for pool in figures["pools"]] == [120, 24, 26, 30]
    assert sum(pool["bets"] for pool in figures["pools"]) == BETS == figures["bets"]
    for pool in figures["pools"]:
        assert (pool["identity"], pool["verify"]) == (True, "OK")
        assert pool["turnover"] == pool["takeout"] + pool["fund"]
    assert figures["ledger"] == "OK"
    # ¶11.4: nobody had all fifteen right, so the level's fund went to the jackpot ...
    top = first["levels"][0]
    assert (top["code"], top["lines"], top["dividend"]) == ("15", 0, None)
    assert top["moved"] == [{"to": "jackpot", "amount": top["fund"], "why": "empty"}]
    # ... which the second round drew and its winners got (¶18).
    assert drawn["jackpot_in"] == first["jackpot_out"] >= top["fund"]
    assert drawn["levels"][0]["lines"] >= 1
    assert drawn["levels"][0]["fund"] > drawn["jackpot_in"]
    assert one_match["winnings"] > 0
    assert eight["game"] == "totolot-position"


@pytest.mark.django_db
def test_winnings_are_paid_in_cash_and_to_accounts_and_the_rest_expires() -> None:
    figures = play("--seed", "5")
    payments = figures["payments"]
    assert min(paid["count"] for paid in payments.values()) > 0
    winnings = sum(pool["winnings"] for pool in figures["pools"])
    assert sum(paid["gross"] for paid in payments.values()) == winnings
    assert not Payable.objects.filter(state=PayableState.DUE).exists()
    assert payments["accounts"]["gross"] == payments["accounts"]["net"] + payments["accounts"]["tax"]
    jackpot = figures["jackpots"]["sportloto"]
    assert jackpot["before"] == 0
    assert jackpot["after"] > 0


@pytest.mark.django_db
def test_bets_are_sold_at_tills_and_from_accounts_with_system_coupons_among_them() -> None:
    play("--seed", "5")
    assert Bet.objects.count() == BETS
    by_channel = {channel: Bet.objects.filter(channel=channel).count() for channel in (Channel.CASH, Channel.ACCOUNT)}
    assert sum(by_channel.values()) == BETS
    assert min(by_channel.values()) > BETS // 3
    systems = Bet.objects.filter(lines__gt=1).count()
    assert BETS // 50 < systems < BETS // 8


@pytest.mark.django_db
def test_the_same_seed_gives_the_same_money_and_another_seed_does_not() -> None:
    assert play_and_forget("--seed", "7") == play_and_forget("--seed", "7")
    assert play_and_forget("--seed", "7")["pools"] != play_and_forget("--seed", "8")["pools"]


@pytest.mark.django_db(transaction=True)
def test_how_many_sell_at_a_time_changes_no_money() -> None:
    alone, together = play("--seed", "3"), play("--seed", "3", "--threads", "3")
    assert Bet.objects.count() == 2 * BETS
    # The second run finds another jackpot, so only the pools that draw none are the same.
    for one, other in zip(alone["pools"][:3], together["pools"][:3], strict=True):
        assert {**one, "code": ""} == {**other, "code": ""}


@pytest.mark.django_db
def test_it_runs_again_with_the_same_people_and_new_pools() -> None:
    play("--seed", "1")
    people = set(User.objects.values_list("username", flat=True))
    left_open = Pool.objects.get(code="D1-5")
    assert left_open.state == PoolState.OPEN
    again = play("--seed", "1")
    assert [pool["code"] for pool in again["pools"]] == ["D2-1", "D2-2", "D2-3", "D2-4"]
    assert {pool["verify"] for pool in again["pools"]} == {"OK"}
    assert set(User.objects.values_list("username", flat=True)) == people
    left_open.refresh_from_db()
    assert left_open.state == PoolState.CANCELLED  # nobody would ever enter its result
    assert Pool.objects.get(code="D2-5").state == PoolState.OPEN


@pytest.mark.django_db
def test_the_printed_log_ins_open_and_every_role_has_one() -> None:
    figures = play("--seed", "1")
    people = {user.username: user for user in User.objects.filter(username__in=figures["logins"])}
    assert {user.role for user in people.values()} == set(Role)
    for username, secret in figures["logins"].items():
        assert secret == secret_of(username)
        assert people[username].check_password(secret)
    assert GameAccount.objects.filter(player=people["player1"]).exists()


@pytest.mark.django_db
def test_the_printed_addresses_answer(client: Client) -> None:
    addresses = play("--seed", "1")["addresses"]
    site = addresses["The site"]
    for what, address in addresses.items():
        answer = client.get(urlsplit(address).path)
        assert address.startswith(site)
        assert answer.status_code in (200, 302), what  # a desk sends who is not logged in to the log-in


@pytest.mark.django_db
@override_settings(CLOCK_MAY_MOVE=False)
def test_production_refuses_and_nothing_happens() -> None:
    with pytest.raises(CommandError, match="never in production"):
        play()
    assert not User.objects.exists()
    assert not Pool.objects.exists()


@pytest.mark.django_db
def test_too_few_bets_are_refused() -> None:
    with pytest.raises(CommandError, match="at least 20"):
        call_command("demo", "--bets", "19", "--no-celery")
    assert not User.objects.exists()


@pytest.mark.django_db
def test_without_a_worker_it_says_what_it_waited_for() -> None:
    with pytest.raises(CommandError, match=r"Waited 0 seconds for the pools to open\. Do a Celery worker and beat run"):
        call_command("demo", "--bets", "20", "--threads", "1", "--patience", "0")
    assert not Bet.objects.exists()
