"""Lists a page at a time, whose other pages keep what was asked for."""

from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest


def page_of(request: HttpRequest, rows: "QuerySet[Any, Any]", most: int) -> "Page[Any]":
    """Return the page that the address asks for, the first where it asks for none."""
    return Paginator(rows, most).get_page(request.GET.get("page"))


def kept(request: HttpRequest) -> str:
    """Return what the address asks for besides the page, to stand before `page=`."""
    asked = urlencode([(name, value) for name, value in request.GET.items() if name != "page"])
    return f"{asked}&" if asked else ""
