"""A visitor of the site: one person's browser, or nobody's."""

import re
from typing import Any

from django.test import Client
from django.utils import translation

from accounts.models import User


def visitor(person: User | None = None, language: str = "en") -> Client:
    """A browser with `person` logged in, reading `language`."""
    client = Client(headers={"accept-language": language})
    if person is not None:
        client.force_login(person)
    client.cookies.load({"django_language": language})
    return client


def text_of(answer: Any) -> str:
    """The words of a page, without markup, in one line."""
    words = re.sub(r"<[^>]+>", " ", answer.content.decode())
    return " ".join(words.replace("\u00a0", " ").replace("&nbsp;", " ").split())


def hidden(answer: Any, name: str) -> str:
    """The value of a hidden input of a page's form."""
    found = re.search(rf'name="{name}" value="([^"]*)"', answer.content.decode())
    assert found, name
    return found.group(1)


def english() -> Any:
    """Read texts in English inside the block."""
    return translation.override("en")
