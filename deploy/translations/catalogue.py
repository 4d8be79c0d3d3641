"""The catalogue of one language: brought up to date, and examined."""

from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po, write_po

from deploy.translations.source import ROOT

LANGUAGES = ("ru", "be")  # English is what the source speaks


def path_of(language: str) -> Path:
    """Return the file of a language's catalogue."""
    return ROOT / "locale" / language / "LC_MESSAGES" / "django.po"


def read(language: str) -> Catalog:
    """Read a language's catalogue; an empty one when there is none yet."""
    path = path_of(language)
    if not path.exists():
        return Catalog(locale=language, project="totalizator", charset="utf-8", fuzzy=False)
    with path.open("rb") as source:
        return read_po(source, locale=language)


def update(language: str, source: Catalog) -> None:
    """Add the source's new texts untranslated, drop those that it no longer has, keep the rest."""
    catalogue = read(language)
    catalogue.update(source, no_fuzzy_matching=True, update_creation_date=False)
    path = path_of(language)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as target:
        write_po(target, catalogue, width=110, sort_output=True, ignore_obsolete=True, include_lineno=False)


def faults(language: str, source: Catalog) -> Iterator[str]:
    """Name each text that is untranslated, uncertain, wrong in its placeholders, or no longer in the source."""
    catalogue = read(language)
    for wanted in texts(source):
        found = catalogue.get(wanted.id, wanted.context)
        if found is None or not all(found.string if isinstance(found.string, tuple) else [found.string]):
            yield f"{language}: not translated: {wanted.id!r}"
        elif found.fuzzy:
            yield f"{language}: uncertain: {wanted.id!r}"
    for found in texts(catalogue):
        if source.get(found.id, found.context) is None:
            yield f"{language}: no longer in the source: {found.id!r}"
        for error in found.check(catalogue):
            yield f"{language}: {error}: {found.id!r}"


def texts(catalogue: Catalog) -> list[Message]:
    """Return a catalogue's messages without the header."""
    return [message for message in catalogue if message.id]
