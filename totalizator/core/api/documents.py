"""What the API writes: amounts as text, instants in UTC, and how the schema describes both."""

from datetime import UTC, datetime

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers


def instant(moment: datetime) -> str:
    """Write an instant as the public files do."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def instant_or_none(moment: datetime | None) -> str | None:
    """Write an instant, or None for what has not happened."""
    return instant(moment) if moment is not None else None


@extend_schema_field({"type": "string", "pattern": r"^-?[0-9]+\.[0-9]{2}$", "examples": ["12.50"]})
class Byn(serializers.CharField):
    """An amount in an answer, in BYN."""


@extend_schema_field({"type": "string", "format": "date-time"})
class Moment(serializers.CharField):
    """An instant in an answer, in UTC to the microsecond."""


@extend_schema_field({"type": "object", "additionalProperties": {"type": "string"}})
class Names(serializers.DictField):
    """A name in each language: `ru`, `be`, `en`."""


@extend_schema_field({"type": "object", "additionalProperties": True})
class PublicFile(serializers.DictField):
    """One of the public files of a pool, member by member as it was digested."""
