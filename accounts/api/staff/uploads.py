"""Files that staff send: one to a form, read whole, and no longer than any that the trade knows."""

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request

from totalizator.core.api.bodies import Body
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.filed_files import MOST_BYTES


@extend_schema_field({"type": "string", "format": "binary"})
class File(serializers.FileField):
    """A file of a form."""


class FileBody(Body):
    """A form with one file."""

    file = File(max_length=200, help_text="10 MiB at most.")

    def validate_file(self, file: "UploadedFile[Any]") -> "UploadedFile[Any]":
        """Refuse what is too long."""
        if (file.size or 0) > MOST_BYTES:
            raise serializers.ValidationError(_("A file of at most 10 MB is wanted."))
        return file


def read_form(request: Request, form: type[Body]) -> dict[str, Any]:
    """Return what a form says; :raises ValidationError: naming every field at fault, and what is given twice."""
    given: Any = request.data  # of a form: a dictionary that keeps what is given twice
    twice = {name: [_("Give this once.")] for name in given if len(given.getlist(name)) != 1}
    if twice:
        raise serializers.ValidationError(twice)
    body = form(data=given)
    body.is_valid(raise_exception=True)
    return dict(body.validated_data)


def content_of(file: "UploadedFile[Any]") -> bytes:
    """Return the bytes of a file."""
    content: bytes = file.read()
    return content


@contextmanager
def table_of(file: "UploadedFile[Any]") -> Iterator[str]:
    """Give the text of a table, with plain line ends, to what reads it.

    :raises DomainError: BAD_VALUE for what is no text, or no table.
    """
    unreadable = DomainError(Refusal.BAD_VALUE, _("This file is no table in UTF-8."), field="file")
    try:
        text = file.read().decode()
    except UnicodeDecodeError as fault:
        raise unreadable from fault
    if "\0" in text:
        raise unreadable
    try:
        yield text.replace("\r\n", "\n").replace("\r", "\n")
    except csv.Error as fault:
        raise unreadable from fault
