"""Answering what the staff's part of the API declares: one view for each address, described for the schema."""

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.callers import once, person_asking
from accounts.api.staff.acts import Act, Declared, Download, GivenFile, Listing, Told, Written
from accounts.api.staff.uploads import read_form
from accounts.permissions import AreStaff
from totalizator.core.api.bodies import idempotency_key, read_body, read_query
from totalizator.core.api.described import described
from totalizator.core.api.reading import page_of
from totalizator.core.errors import Refusal

BYTES = {"type": "string", "format": "binary"}


def addresses(*declared: Declared) -> list[URLPattern]:
    """Make the addresses of what is declared, all under `staff/`; what has one path is one view."""
    return list(_addresses(declared))


def _addresses(declared: tuple[Declared, ...]) -> Iterator[URLPattern]:
    for where, together in groupby(sorted(declared, key=lambda one: one.path), key=lambda one: one.path):
        name, members = "", dict[str, Any]()
        members |= {"permission_classes": (AreStaff,), "__doc__": f"`staff/{where}`."}
        for one in together:
            match one:
                case Act():
                    members["post"] = _post(one)
                    if one.is_upload:
                        members["parser_classes"] = (MultiPartParser,)
                case Listing():
                    members["get"] = _page(one)
                case Download():
                    members["get"] = _file(one)
            name = one.name
        yield path(f"staff/{where}", _view(members), name=name)


def _view(members: dict[str, Any]) -> Callable[..., HttpResponseBase]:
    view: type[APIView] = type("StaffView", (APIView,), members)
    return view.as_view()


def _post(act: Act) -> Callable[..., HttpResponseBase]:
    is_file = isinstance(act.answer, str)
    answers: dict[Any, Any] = {(act.status, act.answer): BYTES} if is_file else {act.status: act.answer}

    @described(
        act.name,
        act.summary,
        tag=act.tag,
        answers=answers,
        body=act.body,
        keyed=act.shown is not None,
        refused=act.refused,
        about=act.about,
    )
    def post(view: APIView, request: Request, **named: Any) -> HttpResponseBase:  # noqa: ARG001
        if act.shown is not None:
            idempotency_key(request)
        told: Told = read_form(request, act.body) if act.is_upload else read_body(request, act.body)
        staff = person_asking(request)
        if act.shown is None:
            return _answer(act.do(staff, told, **named), act.status)
        parts = [*sorted(named.items()), *sorted(told.items())]
        once(request, lambda: act.do(staff, told, **named), act.name, *parts)
        return Response(act.shown(staff, told, **named), status=act.status)

    return post


def _page(listing: Listing) -> Callable[..., Response]:
    rows = {listing.rows_name: listing.row(many=True), "next": serializers.URLField(allow_null=True)}
    page = type(f"{listing.row.__name__}Page", (serializers.Serializer,), {"__doc__": "A page.", **rows})

    @described(
        listing.name,
        listing.summary,
        tag=listing.tag,
        answers={200: page},
        query=listing.query,
        refused=(Refusal.NOT_FOUND,) if "<" in listing.path else (),
        about=listing.about,
    )
    def get(view: APIView, request: Request, **named: Any) -> Response:  # noqa: ARG001
        query = read_query(request, listing.query)
        if listing.noted is not None:
            listing.noted(person_asking(request), query, **named)
        found = listing.rows(query, **named)

        def write(page: list[Any]) -> list[Written]:
            return [listing.write(row) for row in page]

        return page_of(request, found, listing.rows_name, write, query=query, ordering=listing.ordering)

    return get


def _file(download: Download) -> Callable[..., HttpResponseBase]:
    @described(
        download.name,
        download.summary,
        tag=download.tag,
        answers={(200, kind): BYTES for kind in download.media_types},
        query=download.query,
        refused=download.refused,
    )
    def get(view: APIView, request: Request, **named: Any) -> HttpResponseBase:  # noqa: ARG001
        told: Told = read_query(request, download.query) if download.query is not None else {}
        given = download.read(person_asking(request), told, **named)
        return _sent(given, given.media_type or download.media_types[0], 200)

    return get


def _answer(done: Any, status: int) -> HttpResponseBase:
    if isinstance(done, GivenFile):
        return _sent(done, done.media_type, status)
    return Response(done, status=status)


def _sent(given: GivenFile, media_type: str, status: int) -> HttpResponse:
    """Send a file, to be kept and not to be looked at in the browser."""
    answer = HttpResponse(given.content, content_type=media_type, status=status)
    answer["Content-Disposition"] = f'attachment; filename="{given.name}"'
    answer["X-Content-Type-Options"] = "nosniff"
    return answer
