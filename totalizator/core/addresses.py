"""What may stand in an address in place of a code, a ticket's number, a version or a key's id."""

from functools import cache

from django.urls import register_converter
from django.urls.converters import StringConverter


class LabelConverter(StringConverter):
    """Letters, digits and `-._:` only: anything else names nothing, and never reaches the database."""

    regex = r"[0-9A-Za-z._:-]{1,80}"


@cache
def register_label() -> None:
    """Let address tables say `<label:code>`."""
    register_converter(LabelConverter, "label")
