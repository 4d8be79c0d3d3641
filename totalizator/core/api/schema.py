"""The schema of the API (OpenAPI 3.1), and a page that anybody can read, made of nothing but the schema."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation
from drf_spectacular.generators import SchemaGenerator
from rest_framework.request import Request
from rest_framework.response import Response

from totalizator.core.api.described import described
from totalizator.core.api.reading import PublicRead

METHODS = ("get", "post", "put", "delete")


class SchemaDocument(PublicRead):
    """`GET schema/`: this description."""

    @described(
        "schema",
        "This description, OpenAPI 3.1",
        tag="API",
        answers={200: {"type": "object"}},
        public=True,
        cached=True,
    )
    def get(self, request: Request) -> Response:  # noqa: ARG002
        """Send the schema."""
        return Response(schema())


@lru_cache(maxsize=1)
def schema() -> Mapping[str, Any]:
    """Return the schema; its words are English, whoever asks for it first."""
    with translation.override("en"):
        generator: Any = SchemaGenerator  # which has no types
        made: Mapping[str, Any] = generator().get_schema(request=None, public=True)
    return made


@dataclass(frozen=True, slots=True)
class Member:
    """A parameter, or a member of a body or an answer, as the page shows it."""

    name: str
    kind: str
    needed: bool
    meaning: str


@dataclass(frozen=True, slots=True)
class Shown:
    """An answer: its status, what it means, and its members."""

    status: str
    meaning: str
    members: tuple[Member, ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation as the page shows it."""

    name: str
    method: str
    path: str
    summary: str
    about: str
    ways_in: tuple[str, ...]
    parameters: tuple[Member, ...]
    body: tuple[Member, ...]
    answers: tuple[Shown, ...]


def documentation(request: HttpRequest) -> HttpResponse:
    """Show every operation by its subject, without a script and without anything from another site."""
    document = schema()
    subjects: dict[str, list[Operation]] = {}
    for tag, operation in _operations(document):
        subjects.setdefault(tag, []).append(operation)
    context = {"subjects": sorted(subjects.items()), "info": document["info"], "version": document["openapi"]}
    return render(request, "api.html", context)


def _operations(document: Mapping[str, Any]) -> Iterator[tuple[str, Operation]]:
    for path, methods in document["paths"].items():
        for method in METHODS:
            if method in methods:
                told = methods[method]
                yield told["tags"][0], _operation(document, path, method, told)


def _operation(document: Mapping[str, Any], path: str, method: str, told: Mapping[str, Any]) -> Operation:
    parameters = tuple(
        Member(f"{each['name']} ({each['in']})", _kind(each["schema"]), bool(each.get("required")), _about(each))
        for each in told.get("parameters", ())
    )
    return Operation(
        name=told["operationId"],
        method=method.upper(),
        path=path,
        summary=told.get("summary", ""),
        about=told.get("description", ""),
        ways_in=tuple(name for way in told.get("security", ()) for name in way),
        parameters=parameters,
        body=_members(document, told.get("requestBody", {})),
        answers=tuple(
            Shown(status, answer.get("description", ""), _members(document, answer) if status < "300" else ())
            for status, answer in told["responses"].items()
        ),
    )


def _members(document: Mapping[str, Any], holder: Mapping[str, Any]) -> tuple[Member, ...]:
    """Return the members of the object that a body or an answer is."""
    contents: Mapping[str, Any] = holder.get("content", {})
    content: Mapping[str, Any] = next((each.get("schema", {}) for each in contents.values()), {})
    found = document["components"]["schemas"].get(content.get("$ref", "").rpartition("/")[2], content)
    return tuple(
        Member(name, _kind(each), name in found.get("required", ()), _about(each))
        for name, each in found.get("properties", {}).items()
    )


def _kind(told: Mapping[str, Any]) -> str:
    """Say in a word or two what a value is."""
    if "$ref" in told:
        return str(told["$ref"]).rpartition("/")[2]
    if "allOf" in told:
        return _kind(told["allOf"][0])
    if told.get("type") == "array":
        return f"[{_kind(told.get('items', {}))}]"
    kinds = told.get("type", "")
    kind = kinds if isinstance(kinds, str) else " | ".join(kinds)
    return str(told.get("format", kind))


def _about(told: Mapping[str, Any]) -> str:
    return str(told.get("description", ""))
