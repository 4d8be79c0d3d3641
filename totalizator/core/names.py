"""Names that come in several languages, as the terms of a pool carry them (¶34)."""

from collections.abc import Mapping

from django.utils.translation import get_language


def localized(names: Mapping[str, str], default: str = "") -> str:
    """Return the name in the language that is active, else in Russian, else in any, else `default`."""
    for language in (get_language() or "", "ru", *names):
        if names.get(language):
            return names[language]
    return default
