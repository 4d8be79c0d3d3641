"""A Belarusian reader sees Belarusian in what other people's packages say, too: allauth, the REST framework, Django."""

import re
from collections.abc import Iterator
from datetime import date
from importlib.util import find_spec
from pathlib import Path

import django
import pytest
from babel.messages.pofile import read_po
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.utils import formats, translation
from rest_framework import serializers

from deploy.translations import catalogue
from deploy.translations.source import ROOT, source_catalogue, texts

Text = tuple[str | tuple[str, ...], str | None]
LANGUAGES = pytest.mark.parametrize("language", catalogue.LANGUAGES)
# What answers an API call; the rest of the framework is its own pages, which the site does not show.
ANSWERING = (
    "authentication",
    "exceptions",
    "fields",
    "pagination",
    "relations",
    "serializers",
    "validators",
    "versioning",
)
ALLAUTH = ("account", "core", "mfa", "usersessions")
NOT_SHOWN = ("admin.py", "apps.py", "models.py")  # words of an administration that the site does not have
# Templates of ways that the settings leave off: log-in by a code or a passkey's sign-up, telephones, trusted browsers.
LEFT_OFF = re.compile(
    r"confirm_\w+_code|base_confirm_code|request_\w*code|login_code|password_reset_code|phone"
    r"|signup_by_passkey|signup_form|email_change\.html|trust\.html|verified_email_required|layouts/"
)


def installed(package: str) -> Path:
    """The folder of an installed package."""
    found = find_spec(package)
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent


def words_of_the_framework() -> Iterator[Text]:
    for name in ANSWERING:
        yield from texts(installed("rest_framework") / f"{name}.py")


def words_of_allauth() -> Iterator[Text]:
    folder = installed("allauth")
    for part in ALLAUTH:
        for path in (folder / part).rglob("*.py"):
            if path.name not in NOT_SHOWN:
                yield from texts(path)
        for path in (folder / "templates" / part).rglob("*.*"):
            name = path.relative_to(folder / "templates").as_posix()
            if not LEFT_OFF.search(name) and not (ROOT / "templates" / name).exists():
                yield from texts(path)


def missing(language: str, wanted: set[Text]) -> list[Text]:
    """Those texts that a catalogue of ours does not translate."""
    ours, lacking = catalogue.read(language), []
    for words, context in wanted:
        found = ours.get(words, context)
        strings = () if found is None else found.string if isinstance(found.string, tuple) else (found.string,)
        if not strings or not all(strings):
            lacking.append((words, context))
    return lacking


@LANGUAGES
def test_every_answer_of_the_framework_is_translated(language: str) -> None:
    wanted = set(words_of_the_framework())
    assert ("This field is required.", None) in wanted
    assert len(wanted) > 80
    assert missing(language, wanted) == []


@LANGUAGES
def test_every_word_of_allauth_is_translated(language: str) -> None:
    wanted = set(words_of_allauth())
    assert {("Recovery Codes", None), ("Login", "field label"), ("Email Changed", None)} <= wanted
    assert len(wanted) > 150
    assert missing(language, wanted) == []


def test_a_word_that_nobody_translated_is_found_missing() -> None:
    assert missing("be", {("This field is required.", None), ("Nobody wrote this.", None)}) == [
        ("Nobody wrote this.", None)
    ]


def test_nothing_is_borrowed_that_is_said_nowhere() -> None:
    borrowed = {
        (message.id, message.context)
        for message in source_catalogue()
        if message.id and all("/borrowed_" in place for place, _ in message.locations)
    }
    assert borrowed <= set(words_of_allauth()) | set(words_of_the_framework())


@pytest.mark.parametrize("part", ["conf", "contrib/auth", "contrib/humanize"])
def test_django_itself_is_whole_in_belarusian(part: str) -> None:
    folder = Path(django.__file__).parent / part / "locale"
    english, belarusian = (
        read_po((folder / language / "LC_MESSAGES/django.po").open("rb"), locale=language) for language in ("en", "be")
    )
    assert len(english) > 20
    for message in catalogue.texts(english):
        found = belarusian.get(message.id, message.context)
        assert found is not None, message.id
        assert not found.fuzzy, message.id
        assert all(found.string if isinstance(found.string, tuple) else [found.string]), message.id


def test_a_refused_password_is_refused_in_belarusian() -> None:
    with translation.override("be"), pytest.raises(ValidationError) as refusal:
        validate_password("password")
    assert len(refusal.value.messages) == 2
    for message in refusal.value.messages:
        assert re.search("[іў]", message), message
        assert not re.search("[ищъ]", message), message


def test_a_month_is_named_in_belarusian() -> None:
    with translation.override("be"):
        assert formats.date_format(date(2026, 5, 31), "j E Y") == "31 траўня 2026"


class Order(serializers.Serializer):  # type: ignore[type-arg]
    """Fields that refuse in many ways."""

    stake = serializers.IntegerField(min_value=50)
    name = serializers.CharField(max_length=3)
    day = serializers.DateField()
    lines = serializers.ListField(child=serializers.IntegerField(), allow_empty=False)


def test_the_framework_refuses_in_belarusian() -> None:
    with translation.override("be"):
        order = Order(data={"stake": 1, "name": "abcd", "day": "x", "lines": []})
        assert not order.is_valid()
        assert {name: str(found[0]) for name, found in order.errors.items()} == {
            "stake": "Значэнне павінна быць не меншае за 50.",
            "name": "Знакаў павінна быць не больш за 3.",
            "day": "Дата запісана няправільна; чакаецца: YYYY-MM-DD.",
            "lines": "Спіс не павінен быць пустым.",
        }
        assert not Order(data={}).is_valid()
