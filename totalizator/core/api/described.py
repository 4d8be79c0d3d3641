"""How each operation is told to the schema: its answers, and every code that it may refuse with (RFC 9457)."""

from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import Direction, OpenApiParameter, OpenApiResponse, extend_schema

from totalizator.core.api.bodies import KEY, Body
from totalizator.core.errors import HTTP_STATUS, Refusal
from totalizator.core.problem import MEDIA_TYPE

View = TypeVar("View", bound=Callable[..., Any])
Answer = Any
"""A serializer class, a raw schema, or an `OpenApiResponse`."""

# What the protocol refuses, with its status; what the trade refuses is `Refusal`.
PROTOCOL: Mapping[str, int] = {
    "parse_error": 400,
    "not_logged_in": 401,
    "method_not_allowed": 405,
    "body_too_large": 413,
    "unsupported_media_type": 415,
}
_ALWAYS = (Refusal.THROTTLED, Refusal.BUSY)
_OF_WHO_ASKS = ("not_logged_in", Refusal.REQUEST_NOT_SIGNED, Refusal.NOT_ALLOWED, Refusal.SWITCHED_OFF)
_OF_A_BODY = (Refusal.BAD_VALUE, "parse_error", "body_too_large", "unsupported_media_type")

PROBLEM: Mapping[str, Any] = {
    "type": "object",
    "description": "A refusal; nothing was done. Rely on `code` alone: the words are in the reader's language.",
    "required": ["type", "title", "status", "code", "detail"],
    "properties": {
        "type": {"type": "string", "description": "Where the code is explained."},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "code": {"type": "string"},
        "detail": {"type": "string", "description": "What was refused, and what was expected."},
        "field": {"type": "string", "description": "The first field at fault."},
        "errors": {
            "type": "object",
            "description": "Every field at fault.",
            "additionalProperties": {"type": "array", "items": {"type": "string"}},
        },
    },
    "additionalProperties": True,
}


def described(
    name: str,
    summary: str,
    *,
    tag: str,
    answers: Mapping[Any, Answer],
    refused: Collection[str] = (),
    body: type[Body] | Mapping[str, Any] | None = None,
    query: type[Body] | None = None,
    public: bool = False,
    keyed: bool = False,
    cached: bool = False,
    about: str = "",
) -> Callable[[View], View]:
    """Describe a view's method. `body` is read by that serializer, or is a schema where the view reads it itself.

    `public`: nobody is asked who they are; `keyed`: it needs an Idempotency-Key; `cached`: it has an ETag, and answers
    304 to who names it.
    """
    codes = [*_ALWAYS, *refused]
    codes += [] if public else _OF_WHO_ASKS
    codes += _OF_A_BODY if body is not None else []
    codes += [Refusal.BAD_VALUE] if query is not None or keyed else []
    codes += [Refusal.KEY_REUSED] if keyed else []
    parameters: list[Any] = [_RETRY_AFTER]
    parameters += [query] if query is not None else []
    parameters += [_KEY] if keyed else []
    parameters += _CONDITIONAL if cached else []
    told = dict(answers) | ({304: OpenApiResponse(None, "Unchanged since.")} if cached else {})
    return extend_schema(
        operation_id=name,
        summary=summary,
        description=about,
        tags=[tag],
        parameters=parameters,
        request={"application/json": dict(body)} if isinstance(body, Mapping) else body,
        responses=told | refusals(codes),
        auth=[] if public else None,
    )


def add_problem(result: dict[str, Any], **_context: Any) -> dict[str, Any]:
    """Add the schema of a problem to the components; the generator calls it last."""
    result["components"]["schemas"]["Problem"] = PROBLEM
    return result


def refusals(codes: Collection[str]) -> dict[tuple[int, str], OpenApiResponse]:
    """Return the responses that these codes make, status by status."""
    by_status: dict[int, list[str]] = {}
    for code in dict.fromkeys(str(code) for code in codes):
        by_status.setdefault(status_of(code), []).append(code)
    return {(status, MEDIA_TYPE): _refusal(listed) for status, listed in sorted(by_status.items())}


def status_of(code: str) -> int:
    """Return the HTTP status that a code is answered with."""
    return PROTOCOL[code] if code in PROTOCOL else HTTP_STATUS.get(Refusal(code), 400)


def problem_of(codes: Collection[str]) -> dict[str, Any]:
    """Return the schema of a problem with one of these codes."""
    return {
        "allOf": [{"$ref": "#/components/schemas/Problem"}],
        "properties": {"code": {"enum": sorted(str(code) for code in codes)}},
    }


def _refusal(codes: list[str]) -> OpenApiResponse:
    return OpenApiResponse(problem_of(codes), ", ".join(f"`{code}`" for code in codes))


class ClosedBodies(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """Tell the schema that a body's unknown members are refused."""

    target_class = Body
    match_subclasses = True

    def map_serializer(self, auto_schema: AutoSchema, direction: Direction) -> dict[str, Any]:
        """Map as usual, and close the object."""
        bare: Any = auto_schema
        mapped: dict[str, Any] = bare._map_serializer(self.target, direction, bypass_extensions=True)
        return mapped | {"additionalProperties": False}


_KEY = OpenApiParameter(
    "Idempotency-Key",
    KEY,
    OpenApiParameter.HEADER,
    required=True,
    description="New for each act. The same key again gets the first answer, and nothing is done twice.",
)
_RETRY_AFTER = OpenApiParameter(
    "Retry-After",
    {"type": "integer", "minimum": 0},
    OpenApiParameter.HEADER,
    description="Whole seconds to wait.",
    response=[429, 503],
)
_CONDITIONAL = [
    OpenApiParameter("If-None-Match", str, OpenApiParameter.HEADER, description="The ETag of what is known."),
    OpenApiParameter("ETag", str, OpenApiParameter.HEADER, response=[200, 304]),
    OpenApiParameter("Last-Modified", str, OpenApiParameter.HEADER, response=[200]),
]
