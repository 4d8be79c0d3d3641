"""What staff name in an address or a body, found; and the bodies that only say why."""

from typing import Any, TypeVar

from django.db.models import Model, QuerySet
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from accounts.models import BettingPoint, Role, Till, User
from totalizator.core.api.bodies import Body, Text
from totalizator.core.errors import DomainError, Refusal

Row = TypeVar("Row", bound=Model)
MOST = 2**31 - 1
LARGEST = 2**63 - 1


class NothingBody(Body):
    """Nothing more than the address says: `{}`."""


class StaffReasonBody(Body):
    """Why."""

    reason = Text(max_length=200)


class SwitchBody(StaffReasonBody):
    """On or off, and why."""

    on = serializers.BooleanField()


class Switched(serializers.Serializer[None]):
    """Where it stands now."""

    on = serializers.BooleanField()


class Booked(serializers.Serializer[None]):
    """Whether it was booked now; false for a document that was booked before."""

    booked = serializers.BooleanField()


def found(rows: QuerySet[Row], *, field: str = "", **which: Any) -> Row:
    """Return the one row; :raises DomainError: NOT_FOUND, naming the `field` of the body at fault."""
    row = rows.filter(**which).first()
    if row is None:
        raise DomainError(Refusal.NOT_FOUND, _("There is nothing with this number or name."), field=field or None)
    return row


def point_at(code: str) -> BettingPoint:
    """Return a point by its code; :raises DomainError: NOT_FOUND."""
    return found(BettingPoint.objects.select_related("agent"), code=code)


def till_at(code: str, number: int) -> Till:
    """Return a till by its point's code and its number there; :raises DomainError: NOT_FOUND."""
    tills = Till.objects.select_related("point", "ledger_account", "cashier")
    return found(tills, point__code=code, number=number)


def cashier_named(username: str) -> User:
    """Return a cashier; :raises DomainError: NOT_FOUND."""
    return found(User.objects.filter(role=Role.CASHIER), username=username, field="cashier")


def name_of(user: User | None) -> str | None:
    """Return the log-in name of whoever did something, or None where nobody has."""
    return user.username if user is not None else None
