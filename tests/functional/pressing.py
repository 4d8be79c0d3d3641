"""Forms and buttons of the staff's pages: what is refused, with not a row changed; who is shown a button."""

from collections.abc import Mapping
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.functional.browsing import text_of
from tests.refusals import every_row


def refused_at(client: Client, path: str, form: Mapping[str, Any], field: str | None) -> str:
    """Send a form that must be refused at `field` (None: above the form); return what is told there."""
    before = every_row()
    answer = client.post(path, form)
    assert answer.status_code == 400, (path, form)
    assert every_row() == before
    errors = answer.context["form"].errors
    name = "__all__" if field is None else field
    assert list(errors) == [name], errors
    told = str(errors[name][0])
    assert told in text_of(answer).replace("&#x27;", "'").replace("&quot;", '"')
    return told


def pressed_in_vain(client: Client, path: str) -> str:
    """Press a button that must be refused; return the words of the page that comes."""
    before = every_row()
    words = text_of(client.post(path, follow=True))
    assert every_row() == before
    return words


def has(client: Client, page: str, address: str) -> bool:
    """Tell whether a page leads to an address, by a link or a button."""
    answer = client.get(page)
    assert answer.status_code == 200, page
    return f'"{address}"' in answer.content.decode()


def a_file(content: bytes, name: str = "sent.csv") -> SimpleUploadedFile:
    """A file as a browser sends it."""
    return SimpleUploadedFile(name, content)
