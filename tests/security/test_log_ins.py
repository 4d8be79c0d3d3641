"""Coming in and going out: nobody learns who is registered, what is changed ends what was open, staff prove twice."""

import logging
from io import StringIO
from typing import Any
from unittest.mock import patch

import pytest
from allauth.mfa.totp.internal.auth import TOTP
from django.contrib.auth.hashers import MD5PasswordHasher
from django.contrib.auth.password_validation import validate_password
from django.core import mail
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.test import Client, override_settings

from accounts.models import ApiToken, Role
from accounts.services.api_tokens import create_token
from tests.desks import make_terminal
from tests.functional.browsing import text_of, visitor
from tests.functional.calling import Caller, told
from tests.functional.test_logging_in import PASSWORD, log_in
from tests.making import make_organizers, make_player, make_pool, make_rules, make_till, make_user
from tests.refusals import every_row
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db
NEW = "another horse battery"


def hashes_of(act: Any) -> tuple[int, Any]:
    """How often a password was hashed meanwhile: that is what takes the time of a log-in."""
    encode = MD5PasswordHasher.encode
    with patch.object(MD5PasswordHasher, "encode", autospec=True, side_effect=encode) as counted:
        answer = act()
    return counted.call_count, answer


def test_a_wrong_password_and_an_unknown_name_get_the_same_words_in_the_same_time() -> None:
    player = make_player()
    blocked = make_player()
    blocked.is_active = False
    blocked.save()
    answers = {
        name: hashes_of(lambda name=name: visitor().post("/account/login/", {"login": name, "password": "wrong"}))
        for name in (player.username, "nobody-here", blocked.username)
    }
    texts = {text_of(answer).replace(name, "NAME") for name, (_count, answer) in answers.items()}
    assert len(texts) == 1
    assert {answer.status_code for _count, answer in answers.values()} == {200}
    assert len({count for count, _answer in answers.values()}) == 1


def test_who_forgot_the_password_is_told_the_same_whether_known_or_not() -> None:
    player = make_player()
    answers = [
        visitor().post("/account/password/reset/", {"email": address}, follow=True)
        for address in (player.email, "nobody-here@example.com")
    ]
    assert text_of(answers[0]) == text_of(answers[1])
    assert answers[0].redirect_chain == answers[1].redirect_chain
    # A letter goes out in both cases, so that neither takes longer; who is unknown is told so in private.
    assert sorted(message.to[0] for message in mail.outbox) == sorted([player.email, "nobody-here@example.com"])
    for message in mail.outbox:
        assert PASSWORD not in message.body


@override_settings(ACCOUNT_EMAIL_VERIFICATION="mandatory")
def test_an_address_that_is_registered_is_not_told_at_the_sign_up() -> None:
    make_rules(make_organizers()[0])
    known = make_player()
    form = {"password1": PASSWORD, "password2": PASSWORD, "of_age": "on", "consent": "on"}
    answers = [
        visitor().post("/account/signup/", {**form, "username": name, "email": email}, follow=True)
        for name, email in (("newcomer", "newcomer@example.com"), ("somebody", known.email))
    ]
    assert answers[0].redirect_chain == answers[1].redirect_chain
    assert text_of(answers[0]).replace("newcomer@example.com", "") == text_of(answers[1]).replace(known.email, "")


def test_sign_ups_from_one_network_are_counted() -> None:
    make_rules(make_organizers()[0])
    statuses = [visitor().post("/account/signup/", {"username": f"bot{n}"}).status_code for n in range(21)]
    assert (set(statuses[:20]), statuses[20]) == ({200}, 429)


def test_a_changed_password_ends_every_other_log_in_and_every_token() -> None:
    player, here, there = make_player(), visitor(), visitor()
    log_in(here, player)
    log_in(there, player)
    program = Caller(player)
    assert program.get("me").status_code == 200
    form = {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW}
    assert here.post("/account/password/change/", {**form, "oldpassword": "wrong"}).status_code == 200
    assert there.get("/my/").status_code == 200
    assert here.post("/account/password/change/", form).status_code == 302
    assert here.get("/my/").status_code == 200
    assert there.get("/my/").status_code == 302
    assert told(program.get("me")) == (401, "not_logged_in")
    assert JournalRecord.objects.filter(act="revoke_token", actor=player.actor).count() == 1
    # A password found by the letter ends them too.
    there = visitor()
    assert log_in(there, player, NEW).status_code == 302
    visitor().post("/account/password/reset/", {"email": player.email})
    link = next(word for word in mail.outbox[-1].body.split() if "/password/reset/key/" in word)
    finder = visitor()
    page = finder.get("/" + link.split("/", 3)[3], follow=True)
    finder.post(page.redirect_chain[-1][0], {"password1": PASSWORD, "password2": PASSWORD})
    assert there.get("/my/").status_code == 302
    assert log_in(visitor(), player).status_code == 302


def test_who_is_switched_off_is_out_at_once() -> None:
    player, browser = make_player(), visitor()
    log_in(browser, player)
    program = Caller(player)
    player.is_active = False
    player.save()
    assert browser.get("/my/").status_code == 302
    assert told(program.get("me")) == (401, "not_logged_in")
    assert log_in(visitor(), player)["Location"] != "/"


def test_a_new_log_in_gets_a_session_of_its_own_and_a_log_out_ends_it_for_good() -> None:
    player, browser = make_player(), visitor()
    browser.get("/account/login/")
    browser.cookies["sessionid"] = "fixed-by-somebody-else-0123456789"
    log_in(browser, player)
    session = browser.cookies["sessionid"].value
    assert session != "fixed-by-somebody-else-0123456789"
    assert len(session) >= 32
    answer = browser.post("/account/logout/")
    assert answer["Clear-Site-Data"] == '"cache"'
    thief = visitor()
    thief.cookies["sessionid"] = session
    assert thief.get("/my/").status_code == 302


def test_a_page_of_ones_own_is_kept_by_no_cache_and_a_public_one_may_be() -> None:
    browser = visitor(make_player())
    assert browser.get("/my/")["Cache-Control"] == "no-store"
    assert browser.get("/")["Cache-Control"] == "no-store"
    assert "no-store" not in visitor().get("/").headers.get("Cache-Control", "")
    pool = make_pool()
    coupon = browser.post(f"/pools/{pool.code}/coupon/", {"selections": "1;X;2", "stake": "1.00"})
    assert coupon["Cache-Control"] == "private, no-cache"  # it comes back to who goes back, and to nobody else


@override_settings(STAFF_SECOND_FACTOR=True)
def test_staff_open_nothing_before_they_have_set_a_second_factor() -> None:
    for role in (Role.ORGANIZER, Role.CASHIER, Role.COMMISSION, Role.REGULATOR):
        person = make_till().cashier if role == Role.CASHIER else make_user(role)
        assert person is not None
        browser = visitor(person)
        own = {"organizer": "/desk/", "cashier": "/till/", "commission": "/commission/", "regulator": "/reports/"}[role]
        for path in (own, "/", "/pools/"):
            answer = browser.get(path)
            assert (answer.status_code, answer["Location"]) == (302, "/account/2fa/"), (role, path)
        assert browser.get("/api/v1/reports").status_code == 403
        assert browser.get("/account/2fa/").status_code == 200
        TOTP.activate(person, "JBSWY3DPEHPK3PXP")
        assert browser.get(own).status_code == 200, role
    player = visitor(make_player())
    assert player.get("/my/").status_code == 200
    assert Caller(make_terminal(make_till())).get("till/shift").status_code != 302


def test_the_staff_end_log_ins_of_one_or_of_all_on_the_record() -> None:
    (staff, _other), player, third = make_organizers(), make_player(), make_player()
    mine, theirs = visitor(), visitor()
    log_in(mine, player)
    log_in(theirs, third)
    create_token(user=player, name="program")
    before = every_row()
    for whose, by in ((player.username, player.username), ("nobody", staff.username), (player.username, "nobody")):
        with pytest.raises(CommandError):
            call_command("end_log_ins", whose, by=by, reason="why")
    assert every_row() == before
    said = StringIO()
    call_command("end_log_ins", player.username, by=staff.username, reason="A telephone was stolen.", stdout=said)
    assert said.getvalue() == "Ended 1 log-ins.\n"
    assert (mine.get("/my/").status_code, theirs.get("/my/").status_code) == (302, 200)
    assert not ApiToken.objects.filter(user=player, revoked_at__isnull=True).exists()
    call_command("end_log_ins", everybody=True, by=staff.username, reason="A leak.", stdout=StringIO())
    assert theirs.get("/my/").status_code == 302
    records = JournalRecord.objects.filter(act="end_log_ins").order_by("pk").values_list("actor", "subject", "reason")
    assert list(records) == [
        (staff.actor, player.actor, "A telephone was stolen."),
        (staff.actor, "everybody", "A leak."),
    ]


def test_log_ins_are_logged_without_names_passwords_and_codes(caplog: pytest.LogCaptureFixture) -> None:
    player, browser = make_player(), visitor()
    caplog.set_level(logging.INFO, logger="totalizator.security")
    logging.getLogger("totalizator.security").addHandler(caplog.handler)
    try:
        log_in(browser, player, "a wrong password")
        log_in(browser, player)
        browser.get("/desk/?number=3310590A001PB5")
        browser.get("/desk/%0Aforged%20line")
        browser.post("/account/logout/")
    finally:
        logging.getLogger("totalizator.security").removeHandler(caplog.handler)
    lines = [record.getMessage() for record in caplog.records if record.name == "totalizator.security"]
    assert [line.partition(":")[0] for line in lines if not line.startswith("refused")] == [
        "turned away",
        "turned away",
        "logged in",
        "logged out",
    ] or [line.partition(":")[0] for line in lines if not line.startswith("refused")] == [
        "turned away",
        "logged in",
        "logged out",
    ]
    assert f"refused GET /desk/: 403, {player.actor}, network:127.0.0.1" in lines
    for line in lines:
        assert "\n" not in line
        for secret in (player.username, player.email, PASSWORD, "a wrong password", "3310590A001PB5"):
            assert secret not in line


def test_a_word_of_the_site_is_no_password_and_a_long_one_of_any_letters_is() -> None:
    for weak in (
        "спортлото1",
        "Totalizator!1",
        "минск-беларусь",
        "тотализатор2026",
        "qwertyuiop",
        "1234567890",
        "korotk",
    ):
        with pytest.raises(ValidationError):
            validate_password(weak)
    for strong in ("correct horse battery", "конь ест кактус молча", "ё" * 20 + "№ 5 🙂", "x7" * 64):
        validate_password(strong)


def test_no_account_is_there_by_default() -> None:
    from accounts.models import User

    assert not User.objects.exists()
    assert not User.objects.filter(is_superuser=True).exists()


def test_a_code_of_the_second_factor_is_good_once() -> None:
    from tests.functional.test_logging_in import code_of

    player, secret = make_player(), "JBSWY3DPEHPK3PXP"
    TOTP.activate(player, secret)
    code = code_of(secret)
    for expected in (302, 200):
        browser: Client = visitor()
        log_in(browser, player)
        assert browser.post("/account/2fa/authenticate/", {"code": code}).status_code == expected
