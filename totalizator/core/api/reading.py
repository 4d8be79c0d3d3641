"""Public reads: anybody's, cached by their ETag, a page at a time."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any, TypeVar

from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.http import http_date
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.negotiation import BaseContentNegotiation
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


class OneFormat(BaseContentNegotiation):
    """The API speaks JSON, whatever a client says it prefers."""

    def select_parser(self, request: Request, parsers: Sequence[Any]) -> Any:
        """Return the parser of the body's media type."""
        given = (request.content_type or "").partition(";")[0].strip().lower()
        return next((parser for parser in parsers if parser.media_type == given), None)

    def select_renderer(self, request: Request, renderers: Sequence[Any], format_suffix: Any = None) -> Any:  # noqa: ARG002
        """Return the one renderer."""
        return renderers[0], renderers[0].media_type


class PublicRead(APIView):
    """A GET that answers everybody alike, so that caches may keep it; 304 to who has it already.

    A view sets `self.changed_at` where it knows when what it shows came into being.
    """

    authentication_classes = ()
    permission_classes = (AllowAny,)
    changed_at: datetime | None = None

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answer, name the answer by its bytes, and leave the bytes out when they are known."""
        response = super().dispatch(request, *args, **kwargs)
        if not isinstance(response, Response) or response.status_code != 200:
            return response
        response.render()
        response["ETag"] = f'"{sha256(response.content).hexdigest()[:32]}"'
        response["Cache-Control"] = f"public, max-age={FRESH_SECONDS}"
        changed = int(self.changed_at.timestamp()) if self.changed_at is not None else None
        if changed is not None:
            response["Last-Modified"] = http_date(changed)
        return get_conditional_response(request, etag=response["ETag"], last_modified=changed, response=response)


class PageQuery(Body):
    """Which page, and how large."""

    cursor = Text(required=False, max_length=500, help_text="From `next` or `previous` of another page.")
    page_size = serializers.IntegerField(
        required=False, min_value=1, max_value=MOST_A_PAGE, help_text=f"{USUAL_PAGE} unless told."
    )


class Pages(CursorPagination):
    """Pages by position, not by number: what is added meanwhile shifts none of them."""

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
    """Answer with one page of `rows` under `name`, as `write` has them, and the links to the pages beside it.

    `query` is the request's, read by a `PageQuery`.

    :raises DomainError: BAD_VALUE for a cursor that is none.
    """
    pages = Pages(ordering, query.get("page_size", USUAL_PAGE))
    try:
        found = list(pages.paginate_queryset(rows, request) or ())
    except (NotFound, ValidationError, ValueError) as fault:
        raise DomainError(Refusal.BAD_VALUE, _("This is no cursor of this list."), field="cursor") from fault
    return Response({name: write(found), "next": pages.get_next_link(), "previous": pages.get_previous_link()})
