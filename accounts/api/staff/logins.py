"""Log-ins of staff: closed at once by one person, opened again by another (R1)."""

from django.db.models import QuerySet
from rest_framework import serializers

from accounts.api.staff.acts import Act, Listing, Told, Written
from accounts.api.staff.naming import found
from accounts.models import LoginClosing, User
from accounts.services.closing_logins import close_login, open_login
from totalizator.core.api.bodies import Body, Text
from totalizator.core.api.documents import Moment, instant
from totalizator.core.errors import Refusal

TAG = "Staff: the system"


class LoginBody(Body):
    """Whose log-in, and why."""

    username = Text(max_length=150)
    reason = Text(max_length=200)


class ClosedLogin(serializers.Serializer[None]):
    """A log-in that was closed, and whether it is open again."""

    username = serializers.CharField()
    reason = serializers.CharField()
    closed_by = serializers.CharField()
    closed_at = Moment()
    opened = serializers.BooleanField()


def _closings() -> QuerySet[LoginClosing]:
    return LoginClosing.objects.select_related("person", "closed_by", "opening")


def _close(staff: User, told: Told) -> Written:
    return _written(close_login(person=_named(told), reason=told["reason"], closed_by=staff))


def _open(staff: User, told: Told) -> Written:
    opening = open_login(person=_named(told), reason=told["reason"], opened_by=staff)
    return _written(found(_closings(), pk=opening.closing_id))


def _named(told: Told) -> User:
    return found(User.objects.all(), username=told["username"], field="username")


def _written(closing: LoginClosing) -> Written:
    return {
        "username": closing.person.username,
        "reason": closing.reason,
        "closed_by": closing.closed_by.username,
        "closed_at": instant(closing.closed_at),
        "opened": hasattr(closing, "opening"),
    }


DECLARED = (
    Listing(
        path="closed-logins",
        name="staff_closed_logins",
        summary="Log-ins that are closed, the latest first",
        tag=TAG,
        rows_name="logins",
        row=ClosedLogin,
        rows=lambda _query: _closings().filter(opening__isnull=True),
        write=_written,
    ),
    Act(
        path="closed-logins",
        name="staff_login_close",
        summary="Close the log-in of one of the staff at once",
        tag=TAG,
        body=LoginBody,
        answer=ClosedLogin,
        do=_close,
        refused=(Refusal.NOT_FOUND, Refusal.SAME_PERSON, Refusal.WRONG_STATE),
        about="Not one's own, and not so many that fewer than two of the organizer's staff are left.",
    ),
    Act(
        path="closed-logins/opening",
        name="staff_login_open",
        summary="Open a closed log-in again, by another person than who closed it",
        tag=TAG,
        body=LoginBody,
        answer=ClosedLogin,
        do=_open,
        refused=(Refusal.NOT_FOUND, Refusal.SAME_PERSON, Refusal.WRONG_STATE),
        status=200,
    ),
)
