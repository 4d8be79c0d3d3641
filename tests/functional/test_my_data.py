"""All that is kept of a player, handed to the player: every table is in it or left out for a reason (S2)."""

import json
from datetime import timedelta
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from django.apps import apps
from django.db.models import ForeignKey

from accounts.models import GameAccount, LimitKind, LimitPeriod, Person, User
from accounts.services.api_tokens import create_token
from accounts.services.exclusion import cool_off
from accounts.services.limits import set_limit
from accounts.services.persons import person_of
from payouts.queries.own_data import SUBJECTS
from payouts.services.booking import book_payables
from payouts.services.crediting import credit_accounts
from tests.functional.browsing import text_of, visitor
from tests.making import bet_from_account, make_player, make_pool
from tests.paying import go_to, payable_from
from tests.settling import settle
from tests.topping_up import ask_back, named_bank
from totalizator.core import clock
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db
LEFT_OUT = {
    "accounts.Insider": "players are no insiders; who is listed is told by the organizer",
    "accounts.LoginClosing": "of who works here: a player's log-in is never closed",
    "accounts.RoleProposal": "of who works here",
    "accounts.Shift": "of who works here",
    "accounts.Till": "of who works here",
    "pools.CommissionKey": "of who works here",
    "pools.ConflictDeclaration": "of who works here",
    "pools.PoolMember": "of who works here",
    "pools.PoolSketch": "of who works here",
    "admin.LogEntry": "of who works here, and nobody can change anything there",
    "pools.ProtocolDissent": "of who works here",
    "pools.ResultEntry": "of who works here",
    "accounts.User_groups": "no player has one",
    "accounts.User_user_permissions": "no player has one",
    "pools.ReceiptProposal": "the account's top-up tells it; the payer may be somebody else",
}
"""Tables that name a person, an account or a log-in, are not the player's to take, and why."""


def unzipped(answer: Any) -> dict[str, Any]:
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/zip")
    with ZipFile(BytesIO(answer.content)) as file:
        return {name: file.read(name).decode() for name in file.namelist()}


def test_every_table_that_names_a_player_is_in_it_or_left_out_for_a_reason() -> None:
    read = {table._meta.label for subject in SUBJECTS for table in subject.tables}
    naming = {
        model._meta.label
        for model in apps.get_models(include_auto_created=True)
        for field in model._meta.fields
        if isinstance(field, ForeignKey)
        and (
            field.related_model in (Person, GameAccount)
            or (field.related_model is User and not field.name.endswith("_by"))
        )
    }
    assert naming - read - LEFT_OUT.keys() == set()
    assert LEFT_OUT.keys() - naming == set()


def test_a_player_takes_all_that_is_kept_and_nothing_of_anybody_else() -> None:
    player, other = make_player(10_000), make_player(10_000)
    pool = make_pool()
    mine = bet_from_account(pool, player, "1;X;2", 100).bet.ticket
    theirs = bet_from_account(pool, other, "1;X;1", 100).bet.ticket
    settle(pool, "1;X;2")
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    credit_accounts(code=pool.code)
    set_limit(person=person_of(player), kind=LimitKind.LOSS, period=LimitPeriod.WEEK, amount=700, actor=player.actor)
    cool_off(person=person_of(player), days=2, actor=player.actor)
    ask_back(player, 1_000, named_bank(player))
    token = create_token(user=player, name="my program").text
    client = visitor(player)
    assert "bets.json" in text_of(client.get("/my/data/"))
    files = unzipped(client.post("/my/data/"))
    assert set(files) == {"README.txt", *(f"{subject.name}.json" for subject in SUBJECTS)}
    told = {name.removesuffix(".json"): json.loads(text) for name, text in files.items() if name.endswith(".json")}
    assert [row["username"] for row in told["account"]] == [player.username]
    (identity,) = told["identity"]
    assert (identity["full_name"], identity["identity_number"]) == (f"Name {player.pk}", f"TEST{player.pk:06}")
    assert [(bet["ticket"], bet["selections"], bet["stake"]) for bet in told["bets"]] == [(mine, "1;X;2", "1.00")]
    (won,), (paid,) = told["winnings"], told["payments"]
    assert (won["ticket"], won["state"], paid["gross"]) == (mine, "paid", won["amount"])
    assert [row["amount"] for row in told["limits"]] == ["7.00"]
    assert [(row["kind"], row["forwarded_reference"]) for row in told["exclusions"]] == [("cooling_off", None)]
    assert [row["amount"] for row in told["withdrawals"]] == ["10.00"]
    assert told["instruments"][0]["token"] == "BY13NBRB3600900000002Z00AB00"
    assert [row["name"] for row in told["tokens"]] == ["my program"]
    assert told["statement"][-1]["balance"] == told["account"][0]["balance"]
    assert {"set_limit", "cooling_off"} <= {row["act"] for row in told["acts"]}
    everything = "".join(files.values())
    for secret in (token, theirs, other.username, f'Name {other.pk}"', "claimed_digest", "check_hash", 'password"'):
        assert secret not in everything, secret


def test_it_is_taken_three_times_a_day_and_noted_each_time() -> None:
    player = make_player()
    client = visitor(player)
    for _ in range(3):
        assert client.post("/my/data/").status_code == 200
    refused = client.post("/my/data/", follow=True)
    assert "You have taken it 3 times in 24 hours; the next time is from" in text_of(refused)
    noted = JournalRecord.objects.filter(act="export_own_data", subject=person_of(player).subject)
    assert noted.count() == 3
    assert unzipped(visitor(make_player()).post("/my/data/"))
    clock.move_clock(timedelta(days=1))
    assert unzipped(visitor(player).post("/my/data/"))
