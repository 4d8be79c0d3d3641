"""Public reads: anybody's, cached by their ETag, a page at a time."""

from collections.abc import Callable, Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any, TypeVar

from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from django.http import FileResponse, HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.http import http_date
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.pagination import CursorPagination
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from totalizator.core.api.bodies import Body, Text
from totalizator.core.errors import DomainError, Refusal

Row = TypeVar("Row", bound=Model)
MOST_A_PAGE, USUAL_PAGE = 200, 50
FRESH_SECONDS = 5


class PublicRead(APIView):
    """A GET that answers everybody alike, so that caches may keep it; 304 to who has it already.

    A view sets `self.changed_at` where it knows when what it shows came into being, and `self.etag` where the answer is
    a file whose bytes need not be read to know them.
    """

    authentication_classes = ()
    permission_classes = (AllowAny,)
    changed_at: datetime | None = None
    etag = ""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answer, name the answer by its bytes, and leave the bytes out when they are known."""
        response = super().dispatch(request, *args, **kwargs)
        if response.status_code != 200:
            return response
        if isinstance(response, Response):
            response.render()
            self.etag = sha256(response.content).hexdigest()[:32]
        response["ETag"] = f'"{self.etag}"'
        response["Cache-Control"] = f"public, max-age={FRESH_SECONDS}"
        changed = int(self.changed_at.timestamp()) if self.changed_at is not None else None
        if changed is not None:
            response["Last-Modified"] = http_date(changed)
        unchanged = get_conditional_response(request, etag=response["ETag"], last_modified=changed)
        if unchanged is None or unchanged.status_code != 304:  # no precondition fails on what nobody changes
            return response
        if isinstance(response, FileResponse) and response.file_to_stream is not None:
            response.file_to_stream.close()
        for name in ("ETag", "Cache-Control"):
            unchanged[name] = response[name]
        return unchanged


class PageQuery(Body):
    """Which page, and how large."""

    cursor = Text(required=False, max_length=500, help_text="As `next` of the page before has it.")
    page_size = serializers.IntegerField(
        required=False, min_value=1, max_value=MOST_A_PAGE, help_text=f"{USUAL_PAGE} unless told."
    )


class Pages(CursorPagination):
    """Pages by position, not by number: what is added meanwhile shifts none of them. They are read forwards."""

    def __init__(self, ordering: tuple[str, ...], page_size: int) -> None:
        self.ordering = ordering
        self.page_size = page_size


def page_of(
    request: Request,
    rows: QuerySet[Row],
    name: str,
    write: Callable[[list[Row]], list[dict[str, Any]]],
    *,
    query: Mapping[str, Any],
    ordering: tuple[str, ...],
) -> Response:
    """Answer with one page of `rows` under `name`, as `write` has them, and the link to the page after it.

    `query` is the request's, read by a `PageQuery`.

    :raises DomainError: BAD_VALUE for a cursor that is none.
    """
    pages = Pages(ordering, query.get("page_size", USUAL_PAGE))
    try:
        found = list(pages.paginate_queryset(rows, request) or ())
    except (NotFound, ValidationError, ValueError) as fault:
        raise DomainError(Refusal.BAD_VALUE, _("This is no cursor of this list."), field="cursor") from fault
    return Response({name: write(found), "next": pages.get_next_link()})
