"""Lists a page at a time, whose other pages keep what was asked for."""

from typing import TYPE_CHECKING, TypeVar

from django.core.paginator import Page, Paginator
from django.http import HttpRequest

if TYPE_CHECKING:
    from django.core.paginator import _SupportsPagination

Row = TypeVar("Row")


def page_of(request: HttpRequest, rows: "_SupportsPagination[Row]", most: int) -> "Page[Row]":
    """Return the page that the address asks for, the first where it asks for none."""
    return Paginator(rows, most).get_page(request.GET.get("page"))


def kept(request: HttpRequest) -> str:
    """Return what the address asks for besides the page, to stand before `page=`."""
    asked = request.GET.copy()
    asked.pop("page", None)
    return f"{asked.urlencode()}&" if asked else ""
