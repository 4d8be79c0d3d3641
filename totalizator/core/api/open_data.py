"""Open data: public reads that say under which licence and by which version of their schema they are (X14)."""

import csv
from collections.abc import Iterable, Sequence
from hashlib import sha256
from io import StringIO
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.decorators import method_decorator
from rest_framework import serializers

from totalizator.core.api.reading import PublicRead
from totalizator.core.replica import may_be_old

SCHEMA = "totalizator-open-data/1"
LICENCE = "https://creativecommons.org/licenses/by/4.0/"
_RUNS = ("=", "+", "-", "@", "\t", "\r")


class OpenDocument(serializers.Serializer[None]):
    """What every answer of the open data begins with."""

    schema = serializers.CharField(help_text=f"`{SCHEMA}`: members are only added within a version.")
    licence = serializers.URLField(help_text="Creative Commons Attribution 4.0.")


class OpenRead(PublicRead):
    """A public read of the open data."""

    @method_decorator(may_be_old)
    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answer, and name licence and schema in the headers too: a table has no other place for them."""
        response = super().dispatch(request, *args, **kwargs)
        response["Link"] = f'<{LICENCE}>; rel="license"'
        response["Totalizator-Schema"] = SCHEMA
        return response

    def table(self, name: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> HttpResponse:
        """Answer with a whole table under its heading: RFC 4180, UTF-8; what is not known is empty."""
        written = StringIO()
        table = csv.writer(written)
        table.writerow(columns)
        table.writerows([_cell(cell) for cell in row] for row in rows)
        content = written.getvalue().encode()
        self.etag = sha256(content).hexdigest()[:32]
        response = HttpResponse(content, content_type="text/csv; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
        return response


def opened(document: dict[str, Any]) -> dict[str, Any]:
    """Put licence and schema before a document."""
    return {"schema": SCHEMA, "licence": LICENCE, **document}


def _cell(value: object) -> object:
    """Keep a spreadsheet from taking a text for a formula; a negative amount stays a number."""
    if isinstance(value, str) and value.startswith(_RUNS) and not value.lstrip("-").replace(".", "", 1).isdigit():
        return f"'{value}"
    return "" if value is None else value
