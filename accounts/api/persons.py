"""Who stands before a desk and has shown a document: their limits bind there too (X15), and large sums need them."""

from typing import Any

from rest_framework import serializers

from accounts.models import Person
from accounts.services.persons import person_at_desk
from totalizator.core.api.bodies import Body, Text


class PersonBody(Body):
    """What the document says; nothing but a token is kept of it."""

    identity_number = Text(max_length=40)
    birth_date = serializers.DateField(input_formats=["iso-8601"])


def person_shown(told: dict[str, Any] | None) -> Person | None:
    """Return the person of a `PersonBody` that was read, or None where nobody showed a document.

    :raises DomainError: BAD_VALUE, UNDER_AGE.
    """
    return person_at_desk(**told) if told is not None else None
