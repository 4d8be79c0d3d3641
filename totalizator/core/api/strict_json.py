"""The body of a request as JSON that every reader reads alike."""

import json
from typing import Any, NoReturn

from django.utils.translation import gettext_lazy as _
from rest_framework.exceptions import APIException, ParseError
from rest_framework.parsers import BaseParser

MOST_BYTES = 1 << 20


class BodyTooLarge(APIException):
    """The body has more bytes than any act needs."""

    status_code = 413
    default_detail = _("The body is larger than 1 MiB.")
    default_code = "body_too_large"


class JsonParser(BaseParser):
    """Read strict JSON: UTF-8, no names twice, no NaN, no half characters, no depths that only an attacker writes."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:  # noqa: ARG002
        """Return what the body says; :raises ParseError: when it is no JSON, :raises BodyTooLarge:."""
        written = stream.read(MOST_BYTES + 1)
        if len(written) > MOST_BYTES:
            raise BodyTooLarge
        try:
            text = written.decode()
            read = json.loads(text, object_pairs_hook=_once_each, parse_constant=_no_number)
            if "\\u" in text:
                json.dumps(read, ensure_ascii=False).encode()  # half a character could not be written in an answer
        except (ValueError, RecursionError) as fault:
            raise ParseError(_("The body is no JSON.")) from fault
        return read


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) != len(pairs):
        raise ValueError("a name twice")
    return read


def _no_number(constant: str) -> NoReturn:
    raise ValueError(constant)
