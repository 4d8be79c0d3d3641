"""Personal data at rest: encrypted, rotated, looked up by digest."""

from datetime import date
from io import StringIO

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP
from cryptography.fernet import Fernet
from django.core.exceptions import FieldError, ImproperlyConfigured
from django.core.management import call_command
from django.db import connection
from pytest_django import Settings

from accounts.models import Identity, Person
from accounts.services.identity_numbers import number_digest
from tests.making import admit, make_player
from totalizator.core.encrypted import decrypt, encrypt, keyed_digest

pytestmark = pytest.mark.django_db
NUMBER = "3310590A001PB5"


def stored(column: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {column} FROM accounts_identity")
        (token,) = cursor.fetchone()
    return str(token)


def test_the_database_sees_no_name_and_no_number() -> None:
    player = make_player(may_bet=False)
    admit(player, identity_number=NUMBER, birth_date=date(1990, 5, 31))
    with connection.cursor() as cursor:
        cursor.execute("SELECT t::text FROM accounts_identity t UNION ALL SELECT t::text FROM accounts_person t")
        everything = "".join(row for (row,) in cursor.fetchall())
    for secret in (NUMBER, NUMBER.lower(), f"Name {player.pk}", "1990", NUMBER.encode().hex()):
        assert secret not in everything
    assert Identity.objects.get().identity_number == NUMBER
    assert bytes(Person.objects.get(player=player).number_digest or b"") == number_digest(NUMBER)


def test_the_same_text_gives_another_token_each_time() -> None:
    assert encrypt("Ян") != encrypt("Ян")
    assert decrypt(encrypt("Ян")) == "Ян"


def test_an_encrypted_column_cannot_be_searched() -> None:
    with pytest.raises(FieldError, match="by its digest"):
        Identity.objects.filter(full_name="Name").exists()
    assert Identity.objects.filter(full_name__isnull=True).count() == 0


def test_a_digest_is_of_its_purpose_and_key(settings: Settings) -> None:
    digest = keyed_digest("a", "b")
    assert len(digest) == 32
    assert digest == keyed_digest("a", "b")
    assert digest not in (keyed_digest("b", "a"), keyed_digest("ab", ""))
    settings.PERSONAL_DIGEST_KEY = "another"
    assert keyed_digest("a", "b") != digest


def test_rotation_writes_everything_under_the_new_key(settings: Settings) -> None:
    old, new = Fernet.generate_key().decode(), Fernet.generate_key().decode()
    settings.PERSONAL_DATA_KEYS = [old]
    player = make_player()
    TOTP.activate(player, "JBSWY3DPEHPK3PXP")
    before = stored("full_name")
    settings.PERSONAL_DATA_KEYS = [new, old]
    output = StringIO()
    call_command("rotate_personal_data_keys", stdout=output)
    assert "accounts.Identity.full_name: 1" in output.getvalue()
    assert "second factors: 1" in output.getvalue()
    assert stored("full_name") != before
    settings.PERSONAL_DATA_KEYS = [new]
    assert Identity.objects.get().full_name == f"Name {player.pk}"
    assert decrypt(Authenticator.objects.get().data["secret"]) == "JBSWY3DPEHPK3PXP"
    settings.PERSONAL_DATA_KEYS = [old]
    with pytest.raises(ImproperlyConfigured, match="PERSONAL_DATA_KEYS"):
        Identity.objects.get()


def test_a_key_that_is_none_is_named(settings: Settings) -> None:
    settings.PERSONAL_DATA_KEYS = ["short"]
    with pytest.raises(ImproperlyConfigured, match="32 bytes"):
        encrypt("x")
