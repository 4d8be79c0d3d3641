"""Every page of allauth that has an address here, read in Belarusian: no sentence is left in Russian or English."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from allauth.mfa.webauthn.internal.auth import WebAuthn
from cryptography.hazmat.primitives.asymmetric import ec
from django.core import mail
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from fido2.cose import ES256
from fido2.utils import websafe_encode
from fido2.webauthn import Aaguid, AttestationObject, AttestedCredentialData, AuthenticatorData, CollectedClientData

from accounts.models import User
from deploy.translations import catalogue
from tests.functional.browsing import visitor
from tests.making import make_player

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"
# What each kind of visitor sees, by the name of the address.
FOR_NOBODY = {
    "account_login": "/account/login/",
    "account_signup": "/account/signup/",
    "account_inactive": "/account/inactive/",
    "account_email_verification_sent": "/account/confirm-email/",
    "account_confirm_email": "/account/confirm-email/no-such-key/",
    "account_reset_password": "/account/password/reset/",
    "account_reset_password_done": "/account/password/reset/done/",
    "account_reset_password_from_key": "/account/password/reset/key/1-no-such-key/",
    "account_reset_password_from_key_done": "/account/password/reset/key/done/",
}
FOR_A_PLAYER = {
    "account_logout": "/account/logout/",
    "account_reauthenticate": "/account/reauthenticate/",
    "account_email": "/account/email/",
    "account_change_password": "/account/password/change/",
    "mfa_index": "/account/2fa/",
    "mfa_activate_totp": "/account/2fa/totp/activate/",
    "mfa_list_webauthn": "/account/2fa/webauthn/",
    "mfa_add_webauthn": "/account/2fa/webauthn/add/",
    "usersessions_list": "/account/sessions/",
}
FOR_A_PROTECTED_PLAYER = {
    "mfa_index": "/account/2fa/",
    "account_reauthenticate": "/account/reauthenticate/",
    "mfa_reauthenticate": "/account/2fa/reauthenticate/",
    "mfa_deactivate_totp": "/account/2fa/totp/deactivate/",
    "mfa_view_recovery_codes": "/account/2fa/recovery-codes/",
    "mfa_generate_recovery_codes": "/account/2fa/recovery-codes/generate/",
    "mfa_list_webauthn": "/account/2fa/webauthn/",
    "mfa_add_webauthn": "/account/2fa/webauthn/add/",
    "mfa_reauthenticate_webauthn": "/account/2fa/webauthn/reauthenticate/",
    "mfa_edit_webauthn": "/account/2fa/webauthn/keys/{key}/edit/",
    "mfa_remove_webauthn": "/account/2fa/webauthn/keys/{key}/remove/",
}
HALFWAY = {"mfa_authenticate"}  # between the password and the code
# No page of their own: what scripts ask for, a file of bare codes, and ways that are switched off and lead elsewhere.
NO_PAGES = {
    "mfa_login_webauthn",
    "mfa_download_recovery_codes",
    "account_set_password",
    "account_confirm_login_code",
    "account_request_reauthentication_code",
    "account_confirm_reauthentication_code",
}
NAMES = re.compile(r"\b(JavaScript|QR|PIN|IP|https?\S*|testserver|en|player\d+\S*|[A-Z2-7]{32})\b|\S+@\S+")
RUSSIAN_LETTERS = re.compile(r"[ИиЩщЪъ]")  # Belarusian has none of them


def pieces(answer: Any) -> list[str]:
    """What a page says, from tag to tag, without the choice of languages, which each names itself."""
    page = answer.content.decode()
    assert 'lang="be"' in page
    page = re.sub(
        r'<form class="languages.*?</form>|<style.*?</style>|<script.*?</script>|<!--.*?-->', "", page, flags=re.DOTALL
    )
    said = [*re.split(r"<[^>]+>", page), *re.findall(r'(?:title|placeholder|aria-label)="([^"]*)"', page)]
    return [" ".join(piece.split()) for piece in said if piece.strip()]


def foreign(said: list[str]) -> list[str]:
    """The pieces that are Russian or English: by letters, or word for word a text of the Russian catalogue."""
    belarusian, russian = catalogue.read("be"), set()
    for message in catalogue.texts(catalogue.read("ru")):
        ours = belarusian.get(message.id, message.context)
        if isinstance(message.string, str) and ours is not None and ours.string != message.string:
            russian.add(message.string)
    spoken = {message.string for message in catalogue.texts(belarusian)}
    return [
        piece
        for piece in said
        if RUSSIAN_LETTERS.search(piece)
        or re.search(r"[A-Za-z]{3,}", NAMES.sub("", piece))
        or (piece in russian and piece not in spoken)
    ]


def shows(answer: Any, *, minimum: int = 5) -> None:
    assert answer.status_code == 200
    said = pieces(answer)
    assert len(said) > minimum
    assert foreign(said) == []


def logged_in(player: User) -> Client:
    """A browser of a player who has just given the password."""
    client = visitor(language="be")
    client.post("/account/login/", {"login": player.username, "password": PASSWORD})
    return client


def passkey(player: User, name: str, *, passwordless: bool) -> int:
    """Give a player a key, as a browser would."""
    public = ec.generate_private_key(ec.SECP256R1()).public_key()
    key = ES256.from_cryptography_key(public)  # type: ignore[no-untyped-call]
    attested = AttestedCredentialData.create(Aaguid.NONE, name.encode(), key)
    flags = AuthenticatorData.FLAG.UP | AuthenticatorData.FLAG.AT
    made = AuthenticatorData.create(b"\x00" * 32, flags, 0, attested)
    client = CollectedClientData.create(type="webauthn.create", challenge=b"0" * 32, origin="https://testserver")
    identity = websafe_encode(name.encode())
    credential = {
        "id": identity,
        "rawId": identity,
        "type": "public-key",
        "response": {
            "clientDataJSON": websafe_encode(client),
            "attestationObject": websafe_encode(AttestationObject.create("none", made, {})),
        },
        "clientExtensionResults": {"credProps": {"rk": passwordless}},
    }
    return int(WebAuthn.add(player, name, credential).instance.pk)


def protected() -> tuple[Client, int]:
    """A player with every second factor, logged in, and one of the player's keys."""
    player = make_player()
    client = logged_in(player)
    client.post("/account/reauthenticate/", {"password": PASSWORD})
    TOTP.activate(player, "JBSWY3DPEHPK3PXP")
    RecoveryCodes.activate(player)
    passkey(player, "Тэлефон", passwordless=True)
    return client, passkey(player, "Ключ", passwordless=False)


@pytest.mark.parametrize("address", FOR_NOBODY.values(), ids=FOR_NOBODY)
def test_what_anybody_sees(address: str) -> None:
    shows(visitor(language="be").get(address))


@pytest.mark.parametrize("address", FOR_A_PLAYER.values(), ids=FOR_A_PLAYER)
def test_what_a_player_sees(address: str) -> None:
    client = logged_in(make_player())
    client.post("/account/reauthenticate/", {"password": PASSWORD})
    shows(client.get(address))


@pytest.mark.parametrize("address", FOR_A_PROTECTED_PLAYER.values(), ids=FOR_A_PROTECTED_PLAYER)
def test_what_a_player_with_second_factors_sees(address: str) -> None:
    client, key = protected()
    shows(client.get(address.format(key=key)))


@pytest.mark.parametrize(
    ("address", "form"),
    [
        ("/account/login/", {}),
        ("/account/login/", {"login": "player", "password": "wrong"}),
        ("/account/signup/", {}),
        ("/account/signup/", {"username": "x", "email": "x", "password1": "1234", "password2": "12"}),
        ("/account/password/reset/", {"email": "x"}),
    ],
)
def test_what_anybody_is_refused_with(address: str, form: dict[str, str]) -> None:
    answer = visitor(language="be").post(address, form)
    assert "errorlist" in answer.content.decode()
    shows(answer)


@pytest.mark.parametrize(
    ("address", "form"),
    [
        ("/account/reauthenticate/", {"password": "wrong"}),
        ("/account/email/", {"action_add": "", "email": "x"}),
        ("/account/password/change/", {"oldpassword": "x", "password1": "password", "password2": "other"}),
        ("/account/2fa/totp/activate/", {"code": "000000"}),
        ("/account/2fa/webauthn/add/", {}),
    ],
)
def test_what_a_player_is_refused_with(address: str, form: dict[str, str]) -> None:
    client = logged_in(make_player())
    client.post("/account/reauthenticate/", {"password": PASSWORD})
    answer = client.post(address, form)
    assert "errorlist" in answer.content.decode()
    shows(answer)


def test_what_is_seen_between_the_password_and_the_code() -> None:
    player = make_player()
    TOTP.activate(player, "JBSWY3DPEHPK3PXP")
    client = logged_in(player)
    shows(client.get("/account/2fa/authenticate/"))
    shows(client.post("/account/2fa/authenticate/", {"code": "000000"}))


def test_what_a_good_link_to_a_new_password_shows_and_its_letter_says() -> None:
    player, client = make_player(), visitor(language="be")
    client.post("/account/password/reset/", {"email": player.email})
    (letter,) = mail.outbox
    found = re.search(r"http://testserver(/\S+)", str(letter.body))
    assert found
    words = [str(letter.subject), *str(letter.body).replace(found.group(0), "").splitlines()]
    assert foreign(words) == []
    assert [text for text in words if "testserver" in text] == []  # who writes is named, not where it runs
    assert words[0].startswith("Таталізатар: ")
    assert words[1] == "Таталізатар"
    shows(client.get(found.group(1), follow=True))


@pytest.mark.django_db(transaction=True)  # the notice goes out after the commit
def test_what_changes_are_told_with() -> None:
    client, _ = protected()
    mail.outbox.clear()
    shows(client.post("/account/2fa/recovery-codes/generate/", {}, follow=True, headers={"User-Agent": "?"}))
    (letter,) = mail.outbox
    assert foreign([str(letter.subject), *str(letter.body).splitlines()]) == []


def test_a_key_tells_its_day_as_it_is_written_here() -> None:
    client, _ = protected()
    assert re.search(r"Дададзены \d\d\.\d\d\.\d{4}\.", client.get("/account/2fa/webauthn/").content.decode())


def test_a_foreign_sentence_is_noticed() -> None:
    assert foreign(["Увайсці", "Войти", "Not used.", "Удалить", "QR-код", "player7, гулец"]) == [
        "Войти",
        "Not used.",
        "Удалить",
    ]


def test_no_address_of_allauth_is_left_out() -> None:
    seen = {*FOR_NOBODY, *FOR_A_PLAYER, *FOR_A_PROTECTED_PLAYER, *HALFWAY}
    assert set(names(get_resolver(), "")) == seen | NO_PAGES
    assert not seen & NO_PAGES


def names(resolver: URLResolver, before: str) -> Iterator[str]:
    """The names of all addresses under /account/."""
    for found in resolver.url_patterns:
        address = before + str(found.pattern)
        if isinstance(found, URLPattern):
            if address.startswith("account/"):
                yield str(found.name)
        else:
            yield from names(found, address)
