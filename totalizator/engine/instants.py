"""Times as text of one width, so that they compare as text."""

import re
from datetime import UTC, date, datetime

from totalizator.engine.errors import EngineError, shown

INSTANT = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(\.[0-9]{6})?Z")


def read_instant(value: object, where: str) -> str:
    """Read `YYYY-MM-DDTHH:MM:SS[.ffffff]Z` and give it with six decimals, which sorts as time does.

    :raises EngineError: BAD_VALUE for another form or a time that is on no calendar.
    """
    expected = f"a time like 2026-12-01T06:00:00Z, not {shown(value)}"
    match = INSTANT.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise EngineError("BAD_VALUE", where, expected)
    seconds, decimals = match.groups()
    if not is_on_calendar(seconds):
        raise EngineError("BAD_VALUE", where, expected)
    return f"{seconds}{decimals or '.000000'}Z"


def is_on_calendar(text: str) -> bool:
    """Tell whether `YYYY-MM-DDTHH:MM`, with or without `:SS`, is a time that clocks show; all have its form."""
    try:
        date.fromisoformat(text[:10])
    except ValueError:
        return False
    return text[11:13] <= "23" and text[14:16] <= "59" and text[17:19] <= "59"


def instant_text(instant: datetime | str) -> str:
    """Write an aware datetime (or a time already written) with six decimals in UTC."""
    if isinstance(instant, str):
        return read_instant(instant, "time")
    return instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ").rjust(27, "0")
