"""Local date-times of people: typed ones become instants, instants are shown with their zone named (C31, C54, C55)."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from django.db.models import TextChoices
from django.utils.formats import date_format
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from totalizator.core.errors import DomainError, Refusal

LEGAL_ZONE = "Europe/Minsk"

# Years that people can mean. Terms and deadlines are added to instants, zones shift them: the ends of the calendar are
# far from here.
YEARS = range(2000, 2200)

# The zones that a form offers: the legal one first, then those where events and betting points are.
ZONES = (
    LEGAL_ZONE,
    "Europe/Kaliningrad",
    "Europe/Moscow",
    "Europe/Samara",
    "Asia/Yekaterinburg",
    "Asia/Omsk",
    "Asia/Krasnoyarsk",
    "Asia/Irkutsk",
    "Asia/Vladivostok",
    "Asia/Tashkent",
    "Asia/Tbilisi",
    "Europe/Istanbul",
    "Europe/Kyiv",
    "Europe/Berlin",
    "Europe/London",
    "Europe/Lisbon",
    "UTC",
)

_TO_THE_SECOND = ["%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%d.%m.%Y %H:%M:%S"]
_TO_THE_MINUTE = ["%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%d.%m.%Y %H:%M"]


class Pass(TextChoices):
    """Which of the two, when a local time occurs twice because clocks are put back."""

    FIRST = "first", _("the first time")
    SECOND = "second", _("the second time")


def to_instant(text: str, zone: str, *, which: str = "", field: str, with_seconds: bool = False) -> datetime:
    """Read a local date-time such as `2026-06-01T21:00` in `zone` as the instant in UTC.

    `which` is a `Pass`, needed only for a time that occurs twice.

    :raises DomainError: BAD_VALUE naming `field`, for an unreadable text, an unknown zone, a time without the
        seconds that are asked for, a time that does not exist, and one that occurs twice while `which` says nothing
        (then with the detail `occurs_twice`).
    """
    local = _naive(text, field, with_seconds)
    if zone not in ZONES:
        raise DomainError(Refusal.BAD_VALUE, _("Choose one of the time zones of the list."), field=field)
    earlier, later = (local.replace(tzinfo=ZoneInfo(zone), fold=fold) for fold in (0, 1))
    shown = {"time": local.strftime("%d.%m.%Y %H:%M"), "zone": zone}
    if earlier.astimezone(UTC).astimezone(ZoneInfo(zone)).replace(tzinfo=None) != local:
        raise DomainError(
            Refusal.BAD_VALUE,
            _("%(time)s does not exist in %(zone)s: clocks are put forward over it.") % shown,
            field=field,
        )
    if earlier.utcoffset() == later.utcoffset():
        return earlier.astimezone(UTC)
    if which not in Pass.values:
        raise DomainError(
            Refusal.BAD_VALUE,
            _("%(time)s occurs twice in %(zone)s: say whether the first or the second time is meant.") % shown,
            field=field,
            occurs_twice=True,
        )
    return (earlier if which == Pass.FIRST else later).astimezone(UTC)


def local_text(instant: datetime, zone: str = LEGAL_ZONE, *, with_seconds: bool = False) -> str:
    """Write an instant as people read it, in `zone`, without naming it."""
    local = instant.astimezone(ZoneInfo(zone))
    if get_language() == "en":
        return date_format(local, f"j M Y, {'H:i:s' if with_seconds else 'H:i'}", use_l10n=False)
    # Digits alone: Django's own way takes ten times as long, and a list of a hundred rows has two hundred instants.
    return local.strftime("%d.%m.%Y %H:%M:%S" if with_seconds else "%d.%m.%Y %H:%M")


def zone_name(zone: str) -> str:
    """Name a zone for people: `Minsk time`, others by their place."""
    return str(_("Minsk time")) if zone == LEGAL_ZONE else zone


def _naive(text: str, field: str, with_seconds: bool) -> datetime:
    """Read what a date-time input sends, or a person types."""
    for form in _TO_THE_SECOND if with_seconds else _TO_THE_SECOND + _TO_THE_MINUTE:
        try:
            local = datetime.strptime(text.strip(), form)  # noqa: DTZ007  the zone is attached by the caller
        except ValueError:
            continue
        if local.year in YEARS:
            return local
    expected = (
        _("Give a date and time to the second, such as 05.12.2026 15:00:05.")
        if with_seconds
        else _("Give a date and time, such as 05.12.2026 15:00.")
    )
    raise DomainError(Refusal.BAD_VALUE, expected, field=field)
