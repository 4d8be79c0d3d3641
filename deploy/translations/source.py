"""Every text of the source that a person may read."""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import django
from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from django.conf import settings
from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("accounts", "payouts", "pools", "templates", "totalizator")
PLAIN, PLURAL, IN_CONTEXT, PLURAL_IN_CONTEXT = None, (1, 2), ((1, "c"), 2), ((1, "c"), 2, 3)
KEYWORDS = {
    "_": PLAIN,
    **{f"gettext{kind}": PLAIN for kind in ("", "_lazy", "_noop")},
    **{f"ngettext{kind}": PLURAL for kind in ("", "_lazy")},
    **{f"pgettext{kind}": IN_CONTEXT for kind in ("", "_lazy")},
    **{f"npgettext{kind}": PLURAL_IN_CONTEXT for kind in ("", "_lazy")},
}


def source_catalogue() -> Catalog:
    """Collect the texts of all Python files and templates."""
    if not settings.configured:
        settings.configure(USE_I18N=False)
        django.setup()
    found = Catalog(project="totalizator", charset="utf-8")
    for path in sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.*")):
        for message, context in texts(path):
            found.add(message, locations=[(path.relative_to(ROOT).as_posix(), 0)], context=context)
    return found


def texts(path: Path) -> Iterator[tuple[str | tuple[str, ...], str | None]]:
    """Yield each text of a Python file or a template, its plural beside it, and its context."""
    if path.suffix == ".py":
        source = path.read_text(encoding="utf-8")
    elif path.suffix in (".html", ".txt"):
        source = python_like(path)
    else:
        return
    for _, message, _, context in extract("python", BytesIO(source.encode()), keywords=KEYWORDS):
        yield message, context


def python_like(path: Path) -> str:
    """Turn a template into Python's words with its texts in calls of gettext, as Django does for xgettext."""
    words = templatize(path.read_text(encoding="utf-8"), origin=path.name)
    return "\n".join(line.strip() for line in words.splitlines())
