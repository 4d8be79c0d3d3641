"""A player's pages of play, person and log-in: limits, exclusion, identity, security, the end (P1, P2, E1-E5)."""

from datetime import timedelta

import pytest
from allauth.usersessions.models import UserSession

from accounts.models import (
    AccountState,
    BettingPoint,
    Ending,
    Exclusion,
    ExclusionKind,
    Identity,
    LimitRaise,
    PlayLimit,
    VerificationMethod,
)
from accounts.services.identity import verify_identity
from accounts.services.persons import person_of
from payouts.services.endings import carry_out_endings
from tests.desks import make_point
from tests.functional.browsing import hidden, text_of, visitor
from tests.functional.proving import PASSWORD, proven
from tests.making import account_of, bet_from_account, make_organizers, make_player, make_pool
from tests.paying import money_of
from tests.topping_up import named_bank
from totalizator.core import clock
from totalizator.engine.deadlines import end_of_legal_day, legal_day, months_later

pytestmark = pytest.mark.django_db
DAY = {"kind": "stake", "period": "day"}


def test_p1_a_limit_holds_at_once_and_a_higher_one_after_a_day_and_a_second_yes() -> None:
    player = make_player(10_000)
    client, person = visitor(player), person_of(player)
    bet_from_account(make_pool(), player, "1;X;2", 100)
    assert text_of(client.get("/my/limits/")).count("not set") == 9
    done = client.post("/my/limits/", {**DAY, "amount": "5"}, follow=True)
    assert "The limit holds from now on, in every channel." in text_of(done)
    assert "24 hours BYN 5.00 BYN 1.00 BYN 4.00 holds" in text_of(done)
    higher = client.post("/my/limits/", {**DAY, "amount": "8"}, follow=True)
    assert "A higher limit has to wait" in text_of(higher)
    assert "To become BYN 8.00. Can be confirmed from" in text_of(higher)
    assert "/my/limits/confirm/" not in higher.content.decode()
    assert "This can be confirmed from" in text_of(client.post("/my/limits/confirm/", DAY, follow=True))
    assert PlayLimit.objects.get(person=person).amount == 500
    assert "The limit stays as it is." in text_of(client.post("/my/limits/keep/", DAY, follow=True))
    assert (LimitRaise.objects.count(), PlayLimit.objects.get(person=person).amount) == (0, 500)
    client.post("/my/limits/remove/", DAY)
    client.get("/my/limits/confirm/", DAY)  # reading confirms nothing
    assert LimitRaise.objects.get().amount is None
    clock.move_clock(timedelta(hours=24))
    client = visitor(player)
    assert "/my/limits/confirm/" in client.get("/my/limits/").content.decode()
    for said in ("It is changed; it holds from now on.", "No raise of this limit is waiting."):
        assert said in text_of(client.post("/my/limits/confirm/", DAY, follow=True))
    assert not PlayLimit.objects.exists()
    for wrong, field in (({**DAY, "amount": "x"}, "amount"), ({**DAY, "period": "year", "amount": "1"}, "period")):
        page = client.post("/my/limits/", wrong)
        assert (page.status_code, list(page.context["form"].errors)) == (400, [field])
    assert client.post("/my/limits/wish/", DAY).status_code == 404
    assert client.get("/my/limits/?kind=loss&period=week").context["form"]["kind"].value() == "loss"
    assert not PlayLimit.objects.exists()


def test_p2_a_pause_is_read_back_and_begun_once() -> None:
    player = make_player(10_000)
    client = visitor(player)
    page = client.get("/my/exclusion/")
    assert "You have never asked for it." in text_of(page)
    assert client.post("/my/exclusion/", {"term": "days-5000"}).status_code == 400
    answer = client.post("/my/exclusion/", {"term": "days-7"})
    assert answer["Location"] == "/my/exclusion/final/?term=days-7"
    last = client.get(answer["Location"])
    assert ("BYN 100.00" in text_of(last), "The national register" in text_of(last)) == (True, False)
    assert not Exclusion.objects.exists()
    form = {name: hidden(last, name) for name in ("term", "token")}
    for _ in range(2):
        assert "You are kept from play until" in text_of(client.post("/my/exclusion/final/", form, follow=True))
    (pause,) = Exclusion.objects.all()
    assert (pause.kind, pause.ends_at - pause.begins_at) == (ExclusionKind.COOLING_OFF, timedelta(days=7))
    assert "cooling-off" in text_of(client.get("/my/exclusion/")).lower()
    long = client.get("/my/exclusion/final/?term=months-6")
    assert "Its keeper is told within 24 hours." in text_of(long)
    client.post("/my/exclusion/final/", {name: hidden(long, name) for name in ("term", "token")})
    second = Exclusion.objects.latest("pk")
    assert second.ends_at == end_of_legal_day(months_later(legal_day(second.begins_at), 6))
    for nothing in ("", "?term=x"):
        assert client.get(f"/my/exclusion/final/{nothing}")["Location"] == "/my/exclusion/"
    assert client.post("/my/exclusion/final/", {"term": "days-1"})["Location"] == "/my/exclusion/"
    assert Exclusion.objects.count() == 2


def test_e1_identity_is_recorded_corrected_and_closed_once_it_is_seen() -> None:
    player, (staff, _other) = make_player(may_bet=False), make_organizers()
    point = make_point("P-77")
    BettingPoint.objects.filter(pk=point.pk).update(address="Минск, пр. Победителей, 4")
    client = visitor(player)
    page = client.get("/my/identity/")
    assert "Nothing is recorded yet." in text_of(page)
    assert "Минск, пр. Победителей, 4" in text_of(page)
    told = {
        "full_name": "Anna  Kupala",
        "birth_date": "1990-05-31",
        "identity_number": "TEST000777",
        "document": "MP1234567",
        "bank_account": "by13 nbrb 3600 9000 0000 2Z00 AB00",
    }
    year = clock.today().year
    for field, value in (("birth_date", f"{year - 20}-01-02"), ("birth_date", "soon"), ("document", "")):
        refused = client.post("/my/identity/", {**told, field: value})
        assert refused.status_code == 400
    assert not Identity.objects.exists()
    done = client.post("/my/identity/", told, follow=True)
    assert "Now let a cashier or the organizer see your document." in text_of(done)
    assert "Anna Kupala" in text_of(done)
    assert ("TEST000777" in done.content.decode(), "•••• 777" in text_of(done)) == (False, True)
    assert client.post("/my/identity/", {**told, "full_name": "Hanna Kupala"}).status_code == 302
    other = visitor(make_player(may_bet=False)).post("/my/identity/", told)
    assert "one person, one account" in str(other.context["form"].errors["identity_number"])
    verify_identity(player=player, method=VerificationMethod.IN_PERSON, verified_by=staff)
    seen = client.get("/my/identity/")
    assert "Your document was seen In person" in text_of(seen)
    assert 'name="full_name"' not in seen.content.decode()
    assert client.post("/my/identity/", told).status_code == 400
    assert Identity.objects.get().full_name == "Hanna Kupala"


def test_e3_a_player_sees_where_the_log_in_is_in_use_and_ends_all_others() -> None:
    player = make_player()
    here, elsewhere = visitor(), visitor()
    for client, agent in ((here, "Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0 Safari/537"), (elsewhere, "curl/8")):
        form = {"login": player.username, "password": PASSWORD}
        client.post("/account/login/", form, headers={"User-Agent": agent})
    page = here.get("/my/security/")
    assert (len(page.context["sessions"]), text_of(page).count("this one")) == (2, 1)
    assert "Whoever knows your password can log in as you." in text_of(page)
    assert ("Chrome, Linux" in text_of(page), "curl/8" in text_of(page)) == (True, True)
    here.get("/my/security/others/")
    assert UserSession.objects.count() == 2
    assert "You are logged out everywhere but here." in text_of(here.post("/my/security/others/", follow=True))
    assert (elsewhere.get("/my/").status_code, here.get("/my/").status_code) == (302, 200)
    assert "You are logged in nowhere else." in text_of(here.get("/my/security/"))


def test_e5_a_registration_ends_after_a_proof_and_the_own_name_once() -> None:
    player = make_player(10_000)
    named_bank(player)
    bet_from_account(make_pool(), player, "1;X;2", 100)
    client = visitor(player)
    page = text_of(client.get("/my/end/"))
    assert "BYN 99.00 goes to your bank account •••• AB00." in page
    assert "Bets in play 1." in page
    last = client.get("/my/end/final/")
    assert (last.context["step_up"], '<button class="danger' in last.content.decode()) == (
        "/account/reauthenticate/?next=%2Fmy%2Fend%2Ffinal%2F",
        False,
    )
    early = client.post("/my/end/final/", {"username": player.username})
    assert (early.status_code, "Show who you are once more first." in text_of(early)) == (400, True)
    assert client.post(last.context["step_up"], {"password": PASSWORD})["Location"] == "/my/end/final/"
    wrong = client.post("/my/end/final/", {"username": "somebody"})
    assert "This is not your name." in str(wrong.context["form"].errors["username"])
    assert (Ending.objects.count(), account_of(player).state) == (0, AccountState.ACTIVE)
    for _ in range(2):
        done = client.post("/my/end/final/", {"username": player.username}, follow=True)
        assert (done.status_code, "How far it is ending" in text_of(done)) == (200, True)
    assert (Ending.objects.count(), account_of(player).state) == (1, AccountState.ENDING)
    carry_out_endings()
    shown = text_of(client.get("/my/end/"))
    assert "On the game account BYN 0.00 On its way to you BYN 99.00" in shown
    assert "Bets or disputes of yours are still open" in shown
    assert money_of(player) == 0


def test_e5_who_ends_without_a_bank_account_is_told_what_keeps_the_money_and_only_reads() -> None:
    player = make_player(10_000)
    client = proven(player)
    assert "stays here until there is a bank account of yours" in text_of(client.get("/my/end/"))
    client.post("/my/end/final/", {"username": player.username})
    carry_out_endings()
    assert "name a bank account on paper" in text_of(client.get("/my/end/"))
    for path in ("/my/limits/", "/my/exclusion/", "/my/identity/", "/my/withdrawals/"):
        page = client.get(path)
        assert (page.status_code, '<button class="large"' in page.content.decode()) == (200, False), path
        assert client.post(path, {**DAY, "amount": "1", "term": "days-1"}).status_code == 403
    assert (PlayLimit.objects.count(), Exclusion.objects.count(), money_of(player)) == (0, 0, 10_000)
    assert client.post("/my/security/others/").status_code == 302
    assert client.post("/my/data/").status_code == 200
