"""The examination of catalogues finds every text of the source, and everything that is wrong with its translation."""

from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import write_po

from deploy.translations import catalogue
from deploy.translations.source import source_catalogue, texts

TEMPLATE = """
{% load i18n %}{% comment %}{% translate "not this" %}{% endcomment %}
  <p title="{% translate 'Stake' %}">{% translate "Draw" context "of cards" %}{{ _("Loose") }}</p>
{% blocktranslate count lines=n trimmed %}
    One "line" {# a note #}
    of {{ pool }}
{% plural %}{{ lines }} lines{% endblocktranslate %} it's
"""
SOURCE = """
from django.utils.translation import gettext_lazy as _, ngettext, pgettext
A = _("Place the bet")
B = ngettext("%(n)s bet", "%(n)s bets", 2)
C = pgettext("of money", "Change")
D = "not this"
"""


def test_texts_of_a_template(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(TEMPLATE, encoding="utf-8")
    assert list(texts(path)) == [
        ("Stake", None),
        ("Draw", "of cards"),
        ("Loose", None),
        (('One "line" of %(pool)s', "%(lines)s lines"), None),
    ]


def test_texts_of_a_module(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(SOURCE, encoding="utf-8")
    assert list(texts(path)) == [
        ("Place the bet", None),
        (("%(n)s bet", "%(n)s bets"), None),
        ("Change", "of money"),
    ]


def test_the_project_has_texts_in_modules_and_templates() -> None:
    places = {location for message in source_catalogue() for location, _ in message.locations}
    assert {"totalizator/core/errors.py", "totalizator/settings.py"} & places
    assert any(place.startswith("templates/") for place in places)


def test_an_up_to_date_catalogue_has_no_faults(files: Path) -> None:
    source = made({"Stake": "", "%(n)s of %(all)s": ""})
    write(files, made({"Stake": "Ставка", "%(n)s of %(all)s": "%(n)s из %(all)s"}))
    assert list(catalogue.faults("ru", source)) == []


@pytest.mark.parametrize(
    ("translations", "fault"),
    [
        ({}, "ru: not translated: 'The %(a)s'"),
        ({"The %(a)s": ""}, "ru: not translated: 'The %(a)s'"),
        ({"The %(a)s": "%(b)s"}, "ru: unknown named placeholder 'b': 'The %(a)s'"),
        ({"The %(a)s": "%(a)s", "Old": "Старое"}, "ru: no longer in the source: 'Old'"),
    ],
)
def test_each_fault_is_named(files: Path, translations: dict[str, str], fault: str) -> None:
    write(files, made(translations))
    assert list(catalogue.faults("ru", made({"The %(a)s": ""}))) == [fault]


def test_update_keeps_translations_adds_new_texts_and_drops_old_ones(files: Path) -> None:
    write(files, made({"Stake": "Ставка", "Old": "Старое"}))
    catalogue.update("ru", made({"Stake": "", "New": ""}))
    found = {message.id: message.string for message in catalogue.texts(catalogue.read("ru"))}
    assert found == {"Stake": "Ставка", "New": ""}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the catalogues be read from and written to a folder of the test's own."""
    monkeypatch.setattr(catalogue, "path_of", lambda language: tmp_path / f"{language}.po")
    return tmp_path


def made(translations: dict[str, str]) -> Catalog:
    """Make a Russian catalogue."""
    found = Catalog(locale="ru", charset="utf-8", fuzzy=False)
    for text, translation in translations.items():
        found.add(text, translation)
    return found


def write(folder: Path, content: Catalog) -> None:
    """Write the Russian catalogue."""
    with (folder / "ru.po").open("wb") as target:
        write_po(target, content)
