"""The organizer's pages of players: found, looked at on the record, verified, blocked by two, ended (¶35.3, E1, E5)."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import AccountProposal, AccountState, Ending, Identity, Role, User, Verification
from accounts.services.ending import note_waiting
from accounts.services.exclusion import exclude_oneself
from accounts.services.identity import record_identity
from accounts.services.persons import person_of
from tests.functional.browsing import text_of, visitor
from tests.making import (
    account_of,
    bet_from_account,
    keep_register_fresh,
    make_organizers,
    make_player,
    make_pool,
    make_user,
)
from tests.topping_up import ask_back, named_bank
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db
SHOWN = {"identity_number": "3310590A001PB1", "birth_date": "1990-05-31"}
NAME = "Иванова Анна Петровна"


def here(player: User) -> str:
    return f"/desk/players/{account_of(player).pk}/"


def a_recorded_player(number: str = SHOWN["identity_number"]) -> User:
    """A player who has told who they are and was not compared with the document."""
    from datetime import date

    player = make_player(may_bet=False)
    paper = {"full_name": NAME, "birth_date": date(1990, 5, 31), "identity_number": number, "document": "MP7654321"}
    record_identity(player=player, **paper, actor=player.actor)  # type: ignore[arg-type]
    return player


def journalled(act: str) -> list[tuple[str, str]]:
    return list(JournalRecord.objects.filter(act=act).order_by("pk").values_list("actor", "subject"))


def test_players_are_found_by_name_and_state_and_lists_show_no_personal_data() -> None:
    staff = visitor(make_user(Role.ORGANIZER))
    plain, recorded = make_player(), a_recorded_player()
    page = staff.get("/desk/players/")
    assert (here(plain) in page.content.decode(), here(recorded) in page.content.decode()) == (True, True)
    assert ("И. А. П." in text_of(page), "Иванова" in text_of(page), "MP7654321" in text_of(page)) == (
        True,
        False,
        False,
    )
    for asked in (f"?name={recorded.username}", f"?name={recorded.username.upper()}", "?state=to-verify"):
        answer = staff.get(f"/desk/players/{asked}").content.decode()
        assert (here(plain) in answer, here(recorded) in answer) == (False, True), asked
    assert "No players." in text_of(staff.get("/desk/players/?state=blocked"))
    assert staff.get("/desk/players/?state=odd&page=x").status_code == 400
    assert JournalRecord.objects.filter(act__in=("view_identity", "find_player")).count() == 0


def test_a_player_is_found_by_document_or_name_whole_and_who_looks_is_journalled() -> None:
    one, player = make_user(Role.ORGANIZER), a_recorded_player()
    staff, subject = visitor(one), person_of(player).subject
    by_number = staff.post("/desk/players/", {"identity_number": "3310590а001рв1"})
    assert (by_number.status_code, by_number["Location"]) == (302, here(player))
    by_name = staff.post("/desk/players/", {"full_name": "иванова  анна петровна", "birth_date": "1990-05-31"})
    assert by_name["Location"] == here(player)
    twin = a_recorded_player("ALIKE00001")
    both = staff.post("/desk/players/", {"full_name": NAME, "birth_date": "1990-05-31"}).content.decode()
    assert (here(player) in both, here(twin) in both) == (True, True)
    assert journalled("find_player") == [(one.actor, subject)] * 3 + [(one.actor, person_of(twin).subject)]
    for asked, words in (
        ({}, "Give the identity number, or the full name and the date of birth."),
        ({"full_name": NAME}, "Give the identity number, or the full name and the date of birth."),
        ({"identity_number": "3310590A001PB2"}, "No player has recorded this."),
        ({"identity_number": "#"}, "as it stands in the document"),
        ({"full_name": NAME, "birth_date": "1990-13-31"}, "Enter a valid date."),
    ):
        refused = staff.post("/desk/players/", asked)
        assert (refused.status_code, words in text_of(refused)) == (400, True), asked
    assert journalled("find_player")[4:] == [(one.actor, "person:none")]


def test_personal_data_is_shown_to_who_asks_and_the_look_is_journalled() -> None:
    one, player = make_user(Role.ORGANIZER), a_recorded_player()
    staff = visitor(one)
    quiet = text_of(staff.get(here(player)))
    assert [words for words in (NAME, "MP7654321", "3310590A001PB1", "31 May 1990") if words in quiet] == []
    assert journalled("view_identity") == []
    shown = text_of(staff.post(here(player), {"act": "look"}))
    assert [words for words in (NAME, "MP7654321", "3310590A001PB1", "31 May 1990") if words not in shown] == []
    assert journalled("view_identity") == [(one.actor, person_of(player).subject)]


def test_the_page_of_a_player_tells_standing_money_and_play() -> None:
    staff, player = visitor(make_user(Role.ORGANIZER)), make_player(700_000)
    ticket = bet_from_account(make_pool(), player, "1;X;2", 100).bet.ticket
    ask_back(player, 400_000, named_bank(player))
    page = staff.get(here(player))
    text = text_of(page)
    assert "Can bet." in text
    for words in ("BYN 2,999.00", ticket, "BYN 1.00", "BYN 4,000.00", "The player has set none."):
        assert words in text, words
    exclude_oneself(person=person_of(player), months=6, actor=player.actor)
    text = text_of(staff.get(here(player)))
    assert ("Cannot bet: Play is excluded until" in text, "Not sent on to the register yet" in text) == (True, True)
    assert staff.get("/desk/players/999999/").status_code == 404
    assert text_of(staff.post(here(player), {"act": "odd"})) == text_of(staff.get(here(player)))


def test_e1_an_identity_is_recorded_from_paper_and_verified_by_the_document_in_hand() -> None:
    keep_register_fresh()
    one, player = make_user(Role.ORGANIZER), make_player(may_bet=False)
    staff, where = visitor(one), here(player)
    assert "not recorded" in text_of(staff.get(where))
    paper = {"act": "record", **SHOWN, "full_name": NAME, "document": "MP7654321"}
    wrong = staff.post(where, paper | {"birth_date": "1990-05-30"})
    assert (wrong.status_code, "tells another date of birth" in text_of(wrong)) == (400, True)
    assert not Identity.objects.exists()
    assert staff.post(where, paper).status_code == 302
    assert Identity.objects.get().recorded_by == one.actor
    assert "Cannot bet: Bets are taken only from who has shown a document" in text_of(staff.get(where))
    seen = {"act": "verify", "method": "in-person", **SHOWN}
    other = staff.post(where, seen | {"identity_number": "DESK000001"})
    assert (other.status_code, "The player has recorded another document." in text_of(other)) == (400, True)
    assert staff.post(where, seen | {"method": ""}).status_code == 400
    assert not Verification.objects.exists()
    assert staff.post(where, seen).status_code == 302
    assert Verification.objects.get().verified_by == one
    text = text_of(staff.get(where))
    assert ("Can bet." in text, "Verify by the document" in text) == (True, False)
    late = staff.post(where, seen)
    assert (late.status_code, "verified already" in text_of(late)) == (400, True)


def test_an_account_is_blocked_and_opened_again_by_two() -> None:
    (one, other), player = make_organizers(), make_player()
    first, second, where = visitor(one), visitor(other), here(player)
    assert first.post(where, {"act": "propose", "what": "block", "reason": " "}).status_code == 400
    assert not AccountProposal.objects.exists()
    assert first.post(where, {"act": "propose", "what": "block", "reason": "Alike"}).status_code == 302
    listed = text_of(second.get("/desk/players/"))
    assert ("Wait for another person" in listed, "Alike" in listed) == (True, True)
    approve = {"act": "approve", "what": "block"}
    assert "Another person must approve it." in text_of(first.get(where))
    alone = first.post(where, approve)
    assert (alone.status_code, account_of(player).state) == (400, AccountState.ACTIVE)
    assert 'name="act" value="approve"' in second.get(where).content.decode()
    changed = second.post(where, approve | {"what": "unblock"})
    assert (changed.status_code, "Nobody has proposed this." in text_of(changed)) == (400, True)
    assert second.post(where, approve).status_code == 302
    assert account_of(player).state == AccountState.BLOCKED
    assert "Cannot bet: The account is blocked." in text_of(first.get(where))
    assert "Wait for another person" not in text_of(second.get("/desk/players/"))
    assert second.post(where, {"act": "propose", "what": "unblock", "reason": "Two sisters"}).status_code == 302
    assert first.post(where, {"act": "approve", "what": "unblock"}).status_code == 302
    assert account_of(player).state == AccountState.ACTIVE


def test_e5_a_registration_is_ended_with_a_reason_and_its_money_waits_for_a_named_account() -> None:
    one, player = make_user(Role.ORGANIZER), make_player(500)
    staff, where = visitor(one), here(player)
    assert "open bets run on" in text_of(staff.get(where))
    for missing in ({"reason": "He asked"}, {"sure": "on"}):
        assert staff.post(where, {"act": "end", **missing}).status_code == 400
    assert account_of(player).state == AccountState.ACTIVE
    assert staff.post(where, {"act": "end", "reason": "He asked", "sure": "on"}).status_code == 302
    ending = Ending.objects.get()
    assert (ending.asked_by, ending.reason, account_of(player).state) == (one, "He asked", AccountState.ENDING)
    note_waiting(account_of(player), "not_verified", actor="test")
    page = text_of(staff.get(where))
    assert ("The identity is not verified" in page, "End the registration" in page) == (True, False)
    named = {"act": "bank", "bank_account": "BY13NBRB3600900000002Z00AB00", "document": "Letter 4"}
    assert staff.post(where, named | {"document": " "}).status_code == 400
    assert staff.post(where, named).status_code == 302
    ending.refresh_from_db()
    assert ending.bank_account_by == one


def test_a_list_asks_no_more_for_more_players() -> None:
    staff = visitor(make_user(Role.ORGANIZER))
    staff.get("/desk/players/")  # the log-in's first page notes more than the others
    asked: list[int] = []
    for _ in range(2):
        a_recorded_player(f"MANY{len(asked):06}")
        make_player()
        with CaptureQueriesContext(connection) as queries:
            staff.get("/desk/players/")
        asked.append(len(queries))
    assert asked[0] == asked[1] <= 12, asked


def test_accounts_that_are_alike_are_shown_together_and_on_each_others_page() -> None:
    staff = visitor(make_user(Role.ORGANIZER))
    assert "No two accounts are alike." in text_of(staff.get("/desk/duplicates/"))
    one, other, alone = a_recorded_player(), a_recorded_player("ALIKE00001"), make_player()
    page = staff.get("/desk/duplicates/").content.decode()
    assert (here(one) in page, here(other) in page, here(alone) in page) == (True, True, False)
    assert f'href="{here(other)}"' in staff.get(here(one)).content.decode()
    assert "Accounts that are alike" not in text_of(staff.get(here(alone)))
