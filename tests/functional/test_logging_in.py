"""Log-in security: lock-out, second factors, sessions, notices, the consent of signing up (E3, ¶9.9)."""

from datetime import timedelta
from typing import Any

import pytest
from allauth.account.internal.flows.login import record_authentication
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value, yield_hotp_counters_from_time
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import AnonymousUser
from django.core import mail
from django.test import Client, RequestFactory, override_settings

from accounts.models import Consent, RegisterImport, Trait, TraitKind, User
from accounts.services.exclusion import exclude_oneself
from accounts.services.persons import person_of
from accounts.views.step_up import requires_step_up
from pools.models import RulesText
from pools.services.rules import publish_rules
from tests.functional.browsing import text_of, visitor
from tests.making import make_organizers, make_player, make_pool, make_rules
from totalizator.core import clock
from totalizator.core.encrypted import decrypt

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"


def log_in(client: Client, player: User, password: str = PASSWORD) -> Any:
    return client.post("/account/login/", {"login": player.username, "password": password})


def code_of(secret: str) -> str:
    counters = list(yield_hotp_counters_from_time())
    return str(format_hotp_value(hotp_value(secret, counters[-2])))


def test_the_sixth_wrong_password_locks_even_the_right_one_out() -> None:
    player, other, client = make_player(), make_player(), visitor()
    for _ in range(5):
        assert log_in(client, player, "wrong").status_code == 200
    assert "Too many failed login attempts" in text_of(log_in(client, player))
    assert "Too many failed login attempts" in text_of(log_in(visitor(), player))  # from wherever
    assert client.get("/my/").status_code == 302
    assert log_in(visitor(), other).status_code == 302


def test_a_header_that_the_client_writes_changes_no_count() -> None:
    player = make_player()
    for number in range(5):
        client = Client(headers={"Accept-Language": "en", "X-Forwarded-For": f"192.0.2.{number}"})
        log_in(client, player, "wrong")
    client = Client(headers={"Accept-Language": "en", "X-Forwarded-For": "192.0.2.99"})
    assert "Too many failed login attempts" in text_of(log_in(client, player))


def test_another_name_of_the_site_is_no_other_count() -> None:
    player = make_player()
    for port in range(5):
        host = {"Accept-Language": "en", "Host": f"testserver:{8_000 + port}"}
        assert log_in(Client(headers=host), player, "wrong").status_code == 200
    assert "Too many failed login attempts" in text_of(log_in(visitor(), player))


def by_socket(told: str) -> Client:
    """A browser whose requests come by a Unix socket, with what the proxy in front of it tells."""
    return Client(headers={"Accept-Language": "en"}, REMOTE_ADDR="", HTTP_X_FORWARDED_FOR=told)


def test_behind_a_unix_socket_one_logs_in_from_the_address_that_its_proxy_saw() -> None:
    player, other = make_player(), make_player()
    with override_settings(TRUSTED_PROXIES=["unix"]):
        assert log_in(by_socket("198.51.100.9, 192.0.2.7"), player).status_code == 302
        assert UserSession.objects.get(user=player).ip == "192.0.2.7"
        # The twenty-first wrong log-in in a minute from one address is not looked at, whatever the client writes.
        for number in range(20):
            guess = {"login": f"nobody-{number}", "password": "wrong"}
            by_socket(f"198.51.100.{number}, 192.0.2.99").post("/account/login/", guess)
        assert "Too many failed login attempts" in text_of(log_in(by_socket("192.0.2.99"), other))
        assert log_in(by_socket("192.0.2.7"), other).status_code == 302


def test_where_no_address_is_known_one_logs_in_all_the_same() -> None:
    player = make_player()
    assert log_in(Client(REMOTE_ADDR=""), player).status_code == 302
    assert UserSession.objects.get(user=player).ip == "0.0.0.0"  # noqa: S104


def test_a_one_time_password_is_asked_for_and_its_secret_is_encrypted() -> None:
    player, client = make_player(), visitor()
    secret = "JBSWY3DPEHPK3PXP"
    TOTP.activate(player, secret)
    stored = Authenticator.objects.get(user=player).data["secret"]
    assert secret not in stored
    assert decrypt(stored) == secret
    assert log_in(client, player)["Location"].startswith("/account/2fa/authenticate/")
    assert client.get("/my/").status_code == 302
    assert client.post("/account/2fa/authenticate/", {"code": "000000"}).status_code == 200
    assert client.post("/account/2fa/authenticate/", {"code": code_of(secret)}).status_code == 302
    assert player.username in text_of(client.get("/my/"))


@pytest.mark.django_db(transaction=True)  # the notice goes out after the commit
def test_a_player_sets_a_second_factor_on_our_pages() -> None:
    player, client = make_player(), visitor()
    log_in(client, player)
    client.post("/account/reauthenticate/", {"password": PASSWORD})
    page = client.get("/account/2fa/totp/activate/")
    secret = page.context["form"].secret
    mail.outbox.clear()
    assert client.post("/account/2fa/totp/activate/", {"code": code_of(secret)}).status_code == 302
    assert Authenticator.objects.filter(user=player, type="totp").count() == 1
    assert [message.to for message in mail.outbox] == [[player.email]]


@pytest.mark.parametrize(
    "address",
    [
        "/account/2fa/",
        "/account/2fa/totp/activate/",
        "/account/2fa/webauthn/",
        "/account/2fa/webauthn/add/",
        "/account/sessions/",
        "/account/password/change/",
    ],
)
def test_the_pages_of_security_are_ours(address: str) -> None:
    client, player = visitor(), make_player()
    log_in(client, player)
    client.post("/account/reauthenticate/", {"password": PASSWORD})
    page = client.get(address)
    assert page.status_code == 200
    assert "/static/css/tokens.css" in page.content.decode()


def test_passkeys_are_offered_at_the_log_in() -> None:
    answer = visitor().get("/account/2fa/webauthn/login/", headers={"X-Requested-With": "XMLHttpRequest"})
    assert answer.status_code == 200
    assert answer.json()["request_options"]["publicKey"]["challenge"]
    assert "webauthn" in visitor().get("/account/login/").content.decode()


def test_sessions_are_listed_and_all_others_can_be_ended() -> None:
    player, here, there = make_player(), visitor(), visitor()
    log_in(here, player)
    log_in(there, player)
    here.get("/my/")
    there.get("/my/")
    assert UserSession.objects.filter(user=player).count() == 2
    here.post("/account/sessions/")
    assert here.get("/my/").status_code == 200
    assert there.get("/my/").status_code == 302


def test_a_new_device_is_told_and_a_known_one_is_not() -> None:
    player, first, second = make_player(), visitor(), visitor()
    log_in(first, player)
    assert mail.outbox == []
    log_in(second, player)
    assert [message.to for message in mail.outbox] == [[player.email]]
    assert Trait.objects.filter(person=person_of(player), kind=TraitKind.DEVICE).count() == 2
    first.post("/account/logout/")
    log_in(first, player)
    assert len(mail.outbox) == 1


def test_a_changed_password_is_told_and_its_instant_kept() -> None:
    player, client, before = make_player(), visitor(), clock.now()
    assert player.password_changed_at is None
    log_in(client, player)
    form = {"oldpassword": PASSWORD, "password1": "another horse battery", "password2": "another horse battery"}
    assert client.post("/account/password/change/", form).status_code == 302
    player.refresh_from_db()
    assert player.password_changed_at is not None
    assert before < player.password_changed_at < clock.now()
    assert [message.to for message in mail.outbox] == [[player.email]]


def test_who_is_excluded_logs_in_and_is_told() -> None:
    player, client = make_player(), visitor()
    exclude_oneself(person=person_of(player), months=6, actor=player.actor)
    log_in(client, player)
    assert "Play is excluded until" in text_of(client.get("/my/"))


def test_signing_up_keeps_which_rules_were_accepted() -> None:
    version = make_rules(make_organizers()[0])
    form = {"username": "gambler", "email": "gambler@example.com", "password1": PASSWORD, "password2": PASSWORD}
    assert visitor().post("/account/signup/", {**form, "of_age": "on"}).status_code == 200
    assert not User.objects.filter(username="gambler").exists()
    assert visitor().post("/account/signup/", {**form, "of_age": "on", "consent": "on"}).status_code == 302
    consent = Consent.objects.get()
    assert (consent.rules_version, consent.person.player.username) == (version, "gambler")  # type: ignore[union-attr]
    assert consent.accepted_at > RulesText.objects.get().valid_from
    assert not RegisterImport.objects.exists()


def proving(player: User, *methods: str, ago: timedelta = timedelta(0)) -> Any:
    """A request by who proved who they are by these methods, so long ago."""
    request = RequestFactory().get("/")
    client = Client()
    client.force_login(player)
    request.user, request.session = player, client.session
    for method in methods:
        record_authentication(request, player, method=method, reauthenticated=True)
    records = request.session.get("account_authentication_methods", [])
    for record in records:
        record["at"] -= ago.total_seconds()
    return request


def test_step_up_asks_for_a_fresh_proof_with_the_second_factor_where_one_is_set() -> None:
    player = make_player()
    anonymous = RequestFactory().get("/")
    anonymous.user = AnonymousUser()
    assert requires_step_up(anonymous)
    assert requires_step_up(proving(player))
    assert not requires_step_up(proving(player, "password"))
    assert requires_step_up(proving(player, "password", ago=timedelta(minutes=5, seconds=1)))
    TOTP.activate(player, "JBSWY3DPEHPK3PXP")
    assert requires_step_up(proving(player, "password"))
    assert not requires_step_up(proving(player, "password", "mfa"))
    assert requires_step_up(proving(player, "mfa", ago=timedelta(minutes=6)))


def test_new_rules_are_shown_and_accepted_on_the_site_before_the_next_bet() -> None:
    player, (staff, _second) = make_player(1_000), make_organizers()
    version = publish_rules(text="Other rules.", valid_from=clock.now(), published_by=staff).version
    pool, client = make_pool(rules_version=version), visitor(player)
    bet = {"selections": "1;1;1", "stake": "1.00", "token": "a-token-of-twenty-four-ch"}
    refusal = client.post(f"/pools/{pool.code}/pay/", bet)
    assert refusal.status_code == 409
    assert f"/rules/{version}/" in refusal.content.decode()
    assert "I have read the rules" in text_of(client.get(f"/rules/{version}/"))
    assert client.post(f"/my/consent/{version}/").status_code == 302
    assert "You have accepted these rules." in text_of(client.get(f"/rules/{version}/"))
    assert client.post(f"/pools/{pool.code}/pay/", bet).status_code == 201
    assert client.post("/my/consent/sha256:none/").status_code == 404
