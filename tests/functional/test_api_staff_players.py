"""Staff's acts on players over the API: insiders, registrations, trials, self-exclusions; and the desk's question."""

from datetime import timedelta
from typing import Any

import pytest
from allauth.account.internal.flows.login import record_authentication
from django.test import Client, RequestFactory

from accounts.models import (
    AccountState,
    DeskCheck,
    Ending,
    ForwardedExclusion,
    Identity,
    Insider,
    InsiderKind,
    NumberedDocument,
    NumberedKind,
    Role,
    RoleProposal,
    TrialAccount,
    User,
)
from accounts.services.exclusion import exclude_oneself
from accounts.services.persons import person_of
from accounts.services.topups import top_up_in_cash
from tests.desks import make_terminal
from tests.functional.calling import JSON, Caller, told
from tests.making import account_of, keep_register_fresh, make_organizers, make_player, make_till, make_user
from tests.paying import money_of
from tests.topping_up import ask_back, named_bank
from totalizator.core import clock
from totalizator.core.api.documents import instant

pytestmark = pytest.mark.django_db
DOCUMENT = {"identity_number": "DESK000009", "birth_date": "1990-05-31"}


def test_e6_an_insider_is_listed_once_and_taken_off_once() -> None:
    staff, till = make_organizers()[0], make_till()
    caller = Caller(staff)
    assert till.cashier is not None
    body = {"identity_number": "desk 000009", "kind": "relative", "username": till.cashier.username}
    listed = caller.post("staff/insiders", body)
    insider = Insider.objects.get()
    written = {
        "number": insider.pk,
        "kind": "relative",
        "username": till.cashier.username,
        "listed_by": staff.username,
        "listed_at": instant(insider.listed_at),
        "ended_at": None,
    }
    assert (listed.status_code, listed.json()) == (201, written)
    assert insider.kind == InsiderKind.RELATIVE
    assert told(caller.post("staff/insiders", body)) == (409, "wrong_state")
    assert told(caller.post("staff/insiders", body | {"username": "nobody"})) == (404, "not_found")
    assert caller.get("staff/insiders").json() == {"insiders": [written], "next": None}
    assert Caller(till.cashier).post("desk-checks", DOCUMENT).json() == {"result": "barred"}
    where = f"staff/insiders/{insider.pk}/end"
    assert told(caller.post(where, {"reason": " "})) == (400, "bad_value")
    ended = caller.post(where, {"reason": "Moved away"})
    insider.refresh_from_db()
    assert insider.ended_at is not None
    assert (ended.status_code, ended.json()) == (200, written | {"ended_at": instant(insider.ended_at)})
    assert told(caller.post(where, {"reason": "Moved away"})) == (409, "wrong_state")


def test_c9_a_desk_is_told_one_word_and_nothing_is_kept_of_the_person() -> None:
    till, (staff, _other) = make_till(), make_organizers()
    keep_register_fresh()
    asked = [Caller(till.cashier), Caller(make_terminal(till)), Caller(staff)]
    assert [caller.post("desk-checks", DOCUMENT).json() for caller in asked] == [{"result": "welcome"}] * 3
    young = DOCUMENT | {"birth_date": (clock.today() - timedelta(days=365 * 10)).isoformat()}
    assert asked[0].post("desk-checks", young).json() == {"result": "under_age"}
    kept = DeskCheck.objects.order_by("pk").values_list("result", "checked_by")
    assert list(kept) == [
        ("welcome", till.cashier_id),
        ("welcome", till.cashier_id),
        ("welcome", staff.pk),
        ("under_age", till.cashier_id),
    ]
    assert told(Caller(make_player()).post("desk-checks", DOCUMENT)) == (403, "not_allowed")
    assert told(asked[0].post("desk-checks", {"identity_number": "X"})) == (400, "bad_value")
    assert DeskCheck.objects.count() == 4


def test_an_identity_is_recorded_from_paper_until_it_is_verified() -> None:
    caller, player = Caller(make_organizers()[0]), make_player(may_bet=False)
    paper = {
        "username": player.username,
        "full_name": "Name Paper",
        "birth_date": "1990-05-31",
        "identity_number": "TESTPAPER1",
        "document": "MP1",
    }
    answer = caller.post("staff/identities", paper)
    identity = Identity.objects.get(person=person_of(player))
    assert (answer.status_code, answer.json()) == (
        201,
        {"recorded_at": instant(identity.recorded_at), "verified": False},
    )
    assert identity.full_name == "Name Paper"
    known = make_player()
    assert told(caller.post("staff/identities", paper | {"username": known.username})) == (409, "wrong_state")
    assert told(caller.post("staff/identities", paper | {"username": "nobody"})) == (404, "not_found")


def test_e5_staff_end_a_registration_and_note_the_account_of_the_paper() -> None:
    (one, _other), player = make_organizers(), make_player(500)
    caller, name = Caller(one), {"username": player.username}
    paper = name | {"bank_account": "BY13NBRB3600900000002Z00AB00", "document": "Letter 4"}
    assert told(caller.post("staff/endings/bank-accounts", paper)) == (409, "wrong_state")
    answer = caller.post("staff/endings", name | {"reason": "He asked on paper"})
    ending = Ending.objects.get()
    written = {
        **name,
        "state": "ending",
        "begun_at": instant(ending.begun_at),
        "due_at": instant(ending.due_at),
        "waits_for": "",
        "ended_at": None,
    }
    assert (answer.status_code, answer.json()) == (201, written)
    assert told(caller.post("staff/endings", name | {"reason": "Again"})) == (409, "wrong_state")
    given = caller.post("staff/endings/bank-accounts", paper)
    assert (given.status_code, given.json()) == (201, written)
    ending.refresh_from_db()
    assert (ending.bank_account_by, money_of(player)) == (one, 500)
    assert caller.get("staff/endings").json() == {"endings": [written], "next": None}


def test_e5_a_player_ends_the_own_registration_in_a_browser_after_showing_who_it_is() -> None:
    player = make_player()
    body = {"username": player.username}
    assert told(Caller(player).post("me/ending", body)) == (403, "step_up_needed")
    client = Client()
    client.force_login(player)
    assert told(client.post("/api/v1/me/ending", body, content_type=JSON)) == (403, "step_up_needed")
    prove(client, player)
    other = client.post("/api/v1/me/ending", {"username": "other"}, content_type=JSON)
    assert (told(other), other.json()["field"]) == ((400, "bad_value"), "username")
    assert account_of(player).state == AccountState.ACTIVE
    answer = client.post("/api/v1/me/ending", body, content_type=JSON)
    ending = Ending.objects.get()
    assert (answer.status_code, answer.json()["state"]) == (201, "ending")
    assert (ending.asked_by, ending.reason, answer.json()["begun_at"]) == (player, "", instant(ending.begun_at))
    assert told(client.post("/api/v1/me/ending", body, content_type=JSON)) == (403, "not_allowed")
    assert told(Caller(make_organizers()[0]).post("me/ending", body)) == (403, "not_allowed")


def prove(client: Client, player: User) -> None:
    """Let the player of this browser have just typed the password once more."""
    request: Any = RequestFactory().get("/")
    request.user, request.session = player, client.session
    record_authentication(request, player, method="password", reauthenticated=True)
    request.session.save()


def test_e6_two_people_mark_a_trial_account() -> None:
    (one, other), player = make_organizers(), make_player(may_bet=False)
    name = {"username": player.username}
    assert told(Caller(other).post("staff/trials/approval", name)) == (404, "not_found")
    proposed = Caller(one).post("staff/trials", name | {"reason": "To show it to the ministry"})
    written = {
        **name,
        "reason": "To show it to the ministry",
        "proposed_by": one.username,
        "approved_by": None,
        "approved_at": None,
    }
    assert (proposed.status_code, proposed.json()) == (201, written)
    assert told(Caller(one).post("staff/trials/approval", name)) == (403, "same_person")
    assert TrialAccount.objects.get().approved_by is None
    approved = Caller(other).post("staff/trials/approval", name)
    trial = TrialAccount.objects.get()
    assert trial.approved_at is not None
    written |= {"approved_by": other.username, "approved_at": instant(trial.approved_at)}
    assert (approved.status_code, approved.json()) == (200, written)
    assert Caller(one).get("staff/trials").json() == {"trials": [written], "next": None}


def test_p2_an_application_is_sent_on_once() -> None:
    (one, other), player = make_organizers(), make_player()
    exclusion = exclude_oneself(person=person_of(player), months=6, actor=player.actor)
    caller = Caller(one)
    (waiting,) = caller.get("staff/exclusions").json()["exclusions"]
    assert waiting == {
        "number": exclusion.pk,
        "begins_at": instant(exclusion.begins_at),
        "ends_at": instant(exclusion.ends_at),
        "due_at": instant(exclusion.begins_at + timedelta(hours=24)),
    }
    answer = caller.post(f"staff/exclusions/{exclusion.pk}/forwarding", {"reference": "Letter 8"})
    forwarded = ForwardedExclusion.objects.get()
    written = {
        "number": exclusion.pk,
        "reference": "Letter 8",
        "forwarded_by": one.username,
        "forwarded_at": instant(forwarded.forwarded_at),
    }
    assert (answer.status_code, answer.json()) == (201, written)
    again = Caller(other).post(f"staff/exclusions/{exclusion.pk}/forwarding", {"reference": "Letter 9"})
    assert again.json() == written
    assert caller.get("staff/exclusions").json()["exclusions"] == []


def test_r1_two_people_give_another_role() -> None:
    (one, other), player = make_organizers(), make_player(may_bet=False)
    body = {"username": player.username, "role": "cashier", "reason": "Hired"}
    proposed = Caller(one).post("staff/roles", body)
    proposal = RoleProposal.objects.get(person=player)
    written = {
        **body,
        "number": proposal.pk,
        "proposed_by": one.username,
        "proposed_at": instant(proposal.proposed_at),
        "decided": False,
    }
    assert (proposed.status_code, proposed.json()) == (201, written)
    assert told(Caller(one).post("staff/roles", body | {"username": one.username})) == (403, "same_person")
    assert written in Caller(other).get("staff/roles").json()["proposals"]
    where = f"staff/roles/{proposal.pk}/approval"
    assert told(Caller(one).post(where, {})) == (403, "same_person")
    player.refresh_from_db()
    assert player.role == Role.PLAYER
    approved = Caller(other).post(where, {})
    assert (approved.status_code, approved.json()) == (200, written | {"decided": True})
    player.refresh_from_db()
    assert player.role == Role.CASHIER
    assert told(Caller(other).post(where, {})) == (409, "wrong_state")


def test_slips_are_for_their_owner_the_till_and_the_staff() -> None:
    (staff, _other), till, player = make_organizers(), make_till(), make_player()
    assert till.cashier is not None
    top_up = top_up_in_cash(account=account_of(player), amount=500, cashier=till.cashier, idempotency_key="cash")
    where = f"top-ups/slip?way=cash&reference={top_up.reference}"
    for caller in (Caller(till.cashier), Caller(player), Caller(staff)):
        slip = caller.get(where)
        assert (slip.status_code, slip["Content-Type"], slip.content[:5]) == (200, "application/pdf", b"%PDF-")
    for caller in (Caller(make_till().cashier), Caller(make_player())):
        assert told(caller.get(where)) == (404, "not_found")
    assert told(Caller(make_user(Role.COMMISSION)).get(where)) == (403, "not_allowed")
    assert NumberedDocument.objects.filter(kind=NumberedKind.TOP_UP).count() == 1
    withdrawal = ask_back(player, 500, named_bank(player))
    for caller in (Caller(player), Caller(staff)):
        slip = caller.get(f"withdrawals/{withdrawal.pk}/slip")
        assert (slip.status_code, slip.content[:5]) == (200, b"%PDF-")
    assert told(Caller(make_player()).get(f"withdrawals/{withdrawal.pk}/slip")) == (404, "not_found")
    assert told(Caller(till.cashier).get(f"withdrawals/{withdrawal.pk}/slip")) == (403, "not_allowed")
    assert NumberedDocument.objects.filter(kind=NumberedKind.WITHDRAWAL).count() == 1
