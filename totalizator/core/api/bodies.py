"""What the API reads from a request: strict bodies and queries, amounts, instants with a zone, the act's key."""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from functools import cache
from typing import Any

from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.settings import api_settings

from totalizator.core.errors import DomainError, Refusal
from totalizator.core.idempotency import MAX_KEY_LENGTH
from totalizator.core.money import parse_byn

AMOUNT = r"^[0-9]{1,13}(\.[0-9]{1,2})?$"
INSTANT = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(:\d\d(\.\d{1,6})?)?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
FIRST_DAY, LAST_DAY = date(1900, 1, 1), date(2199, 12, 31)
KEY = {"type": "string", "minLength": 1, "maxLength": MAX_KEY_LENGTH}


class Body(serializers.Serializer[None]):
    """A body in which every member is known: a misspelt one is refused, not passed over."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """Read the members; :raises ValidationError: naming those that are not known."""
        if isinstance(data, Mapping):
            unknown = {str(name): [_("There is no such field.")] for name in data if name not in self.fields}
            if unknown:
                raise serializers.ValidationError(unknown)
        read: dict[str, Any] = super().to_internal_value(data)
        return read


def read_body(request: Request, form: type[Body]) -> dict[str, Any]:
    """Return what the body says, by `form`; :raises ValidationError: naming every field at fault."""
    return _read(form, request.data)


def read_query(request: Request, form: type[Body]) -> dict[str, Any]:
    """Return what the query says, by `form`; a parameter that is given twice is refused."""
    given = {name: request.query_params.getlist(name) for name in request.query_params}
    twice = {name: [_("Give this once.")] for name, values in given.items() if len(values) != 1}
    if twice:
        raise serializers.ValidationError(twice)
    return _read(form, {name: values[0] for name, values in given.items()})


def idempotency_key(request: Request) -> str:
    """Return the header `Idempotency-Key`.

    :raises DomainError: BAD_VALUE when there is none: without it a repeated request would be a second act (C36).
    """
    key: str = request.headers.get("Idempotency-Key", "").strip()
    if not key:
        raise DomainError(
            Refusal.BAD_VALUE, _("Send the header Idempotency-Key, new for each act."), field="Idempotency-Key"
        )
    return key


class Text(serializers.CharField):
    """Text, and nothing that could be taken for it: DRF reads a number as its digits."""

    def to_internal_value(self, data: Any) -> str:
        """Return the text as it was sent."""
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


@extend_schema_field({"type": "string", "pattern": AMOUNT, "examples": ["12.50"], "description": "BYN"})
class Amount(serializers.Field[int, Any, str, Any]):
    """An amount in BYN as text, `"12.50"`; a JSON number is refused, since most readers make a float of it (C44)."""

    def to_internal_value(self, data: Any) -> int:
        """Return kopecks."""
        if not isinstance(data, str) or re.fullmatch(AMOUNT, data) is None or data.endswith("\n"):
            raise serializers.ValidationError(_('Send the amount as text with a point, such as "12.50".'))
        return parse_byn(data)


@extend_schema_field({"type": "string", "format": "date-time"})
class Instant(serializers.Field[datetime, Any, str, Any]):
    """An instant in ISO 8601 with its zone: a time without one is another instant for every reader."""

    def to_internal_value(self, data: Any) -> datetime:
        """Return the instant, in UTC."""
        if isinstance(data, str) and INSTANT.fullmatch(data):
            try:
                return datetime.fromisoformat(data.upper()).astimezone(UTC)
            except (ValueError, OverflowError):
                pass
        raise serializers.ValidationError(_("Give an instant with its zone, such as 2026-12-05T15:00:00+03:00."))


class Day(serializers.DateField):
    """A legal day: one that some paper of ours can have, not the end of the calendar."""

    def __init__(self, **told: Any) -> None:
        super().__init__(input_formats=["iso-8601"], **told)

    def to_internal_value(self, value: Any) -> date:
        """Return the day."""
        day: date = super().to_internal_value(value)
        if not FIRST_DAY <= day <= LAST_DAY:
            raise serializers.ValidationError(_("Give a day of the years 1900 to 2199."))
        return day


def _read(form: type[Body], given: Any) -> dict[str, Any]:
    if given is None:
        raise serializers.ValidationError({api_settings.NON_FIELD_ERRORS_KEY: [_("Send an object with the fields.")]})
    read: dict[str, Any] = dict(_reader(form).run_validation(given))
    return read


@cache
def _reader(form: type[Body]) -> Body:
    """Return the one reader of such bodies: to make one is to copy all its fields, and it keeps nothing it reads."""
    return form()
