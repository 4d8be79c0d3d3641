"""A player shows the document at a till: typed from it, the recorded name compared, verified once (E1, ¶35.3)."""

from datetime import date
from typing import Any

import pytest

from accounts.models import Identity, User, Verification
from accounts.services.identity import record_identity
from tests.functional.browsing import text_of, visitor
from tests.functional.test_desk_keyboard import Focused, Keyboard
from tests.making import make_player, make_till
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db
WHERE, NUMBER = "/till/identify/", "3310590A001PB1"


def recorded() -> User:
    player = make_player(may_bet=False)
    record_identity(
        player=player,
        full_name="Coward Noel",
        birth_date=date(1990, 5, 31),
        identity_number=NUMBER,
        document="passport MP 1",
        actor=player.actor,
    )
    return player


def shown(player: User, **more: str) -> dict[str, str]:
    return {"username": player.username, "identity_number": NUMBER, "birth_date": "1990-05-31"} | more


def test_e1_a_cashier_compares_the_name_and_verifies_once_by_keys_alone() -> None:
    till, player = make_till(), recorded()
    desk = Keyboard(till)
    desk.presses("F1")
    assert Focused(desk.answer).field == "username"
    read = desk.client.post(WHERE, shown(player))
    assert "Coward Noel" in text_of(read)
    assert not Verification.objects.exists()
    looked = JournalRecord.objects.get(act="view_identity")
    assert till.cashier is not None
    assert (looked.subject, looked.actor) == (player.person.subject, till.cashier.actor)
    done: Any = desk.client.post(WHERE, shown(player, compared="True"))
    assert (done.status_code, "VERIFIED" in text_of(done)) == (201, True)
    assert Verification.objects.get(person=player.person).verified_by == till.cashier
    again = desk.client.post(WHERE, shown(player, compared="True"))
    assert (again.status_code, "VERIFIED" in text_of(again), Verification.objects.count()) == (200, True, 1)
    elsewhere = visitor(make_till().cashier).post(WHERE, shown(player))
    assert elsewhere.status_code == 409
    assert "The identity is verified already." in text_of(elsewhere)


def test_who_has_not_the_document_learns_no_name_and_verifies_nothing() -> None:
    till, player = make_till(), recorded()
    client = visitor(till.cashier)
    for more in ({"identity_number": "3310590A001PB2"}, {"birth_date": "1990-05-30"}):
        wrong = client.post(WHERE, shown(player, **more))
        assert (wrong.status_code, "Coward" in text_of(wrong)) == (400, False)
        assert client.post(WHERE, shown(player, **more, compared="True")).status_code == 400
    assert client.post(WHERE, shown(player, username="nobody")).status_code == 404
    unrecorded = client.post(WHERE, shown(make_player(may_bet=False)))
    assert (unrecorded.status_code, "No identity is recorded of this player." in text_of(unrecorded)) == (404, True)
    assert not Verification.objects.exists()


def test_only_a_cashier_verifies_at_a_till() -> None:
    player = recorded()
    assert visitor(player).post(WHERE, shown(player)).status_code == 403
    assert not Verification.objects.exists()


def test_an_account_that_no_bank_has_is_refused_where_it_is_typed() -> None:
    player = make_player(may_bet=False)
    typed = {
        "full_name": "Coward Noel",
        "birth_date": "1990-05-31",
        "identity_number": NUMBER,
        "document": "passport MP 1",
        "bank_account": "BY00 AKBB 0000 0000 0000 0000 0000",
    }
    refused = visitor(player).post("/my/identity/", typed)
    assert refused.status_code == 400
    assert "This is no bank account: check its digits (IBAN)." in text_of(refused)
    assert not Identity.objects.exists()
    typed["bank_account"] = "by13 nbrb 3600 9000 0000 2z00 ab00"
    told = visitor(player).post("/my/identity/", typed, follow=True)
    assert Identity.objects.get().bank_account == "BY13NBRB3600900000002Z00AB00"
    assert "31 May 1990" in text_of(told)
