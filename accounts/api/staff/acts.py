"""How the staff's part of the API is declared: an act, a list or a file is an address, what it takes, what it calls.

Who asks is always one of the organizer's staff. A call gets who that is, what the body or query says, and what the
address names, and returns what is answered. `accounts.api.staff.answering` makes the addresses of it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers

from totalizator.core.api.bodies import Body
from totalizator.core.api.reading import PageQuery
from totalizator.core.errors import Refusal

Told = Mapping[str, Any]
Written = dict[str, Any]


@dataclass(frozen=True, slots=True)
class GivenFile:
    """A file that is handed out, and what it is called."""

    name: str
    content: bytes
    media_type: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """A POST. With `shown`, which reads what was done, it needs an Idempotency-Key and is done once for each.

    `answer` is a serializer, or the media type of the file that `do` returns.
    """

    path: str
    name: str
    summary: str
    tag: str
    body: type[Body]
    answer: type[serializers.Serializer[None]] | str
    do: Callable[..., Any]
    shown: Callable[..., Written] | None = None
    refused: tuple[Refusal, ...] = ()
    status: int = 201
    is_upload: bool = False
    about: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A GET of rows, a page at a time, under the name `rows_name`.

    `noted` is done before anything is read, where who looks must be known.
    """

    path: str
    name: str
    summary: str
    tag: str
    rows_name: str
    row: type[serializers.Serializer[None]]
    rows: Callable[..., QuerySet[Any]]
    write: Callable[[Any], Written]
    query: type[PageQuery] = PageQuery
    ordering: tuple[str, ...] = ("-pk",)
    noted: Callable[..., None] | None = None
    about: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """A GET of a file of some media types."""

    path: str
    name: str
    summary: str
    tag: str
    media_types: tuple[str, ...]
    read: Callable[..., GivenFile]
    query: type[Body] | None = None
    refused: tuple[Refusal, ...] = (Refusal.NOT_FOUND,)


Declared = Act | Listing | Download
