"""Tests go by day: near midnight what is sold now and what closes in two hours would be on two legal days."""

from datetime import datetime, time
from zoneinfo import ZoneInfo

from django.db import connection

MINSK = ZoneInfo("Europe/Minsk")
BY_DAY = range(6, 18)  # hours

_NOW = """
CREATE OR REPLACE FUNCTION totalizator_now() RETURNS timestamptz LANGUAGE sql AS $$
    SELECT clock_timestamp() + interval '{seconds} seconds'
           + COALESCE((SELECT "offset" FROM core_clockoffset), interval '0')
$$
"""


def go_by_day() -> None:
    """Have the clock of the test's database, at whatever hour this is, begin by day, at noon of the same date."""
    now = datetime.now(MINSK)
    noon = datetime.combine(now.date(), time(12), MINSK)
    seconds = 0 if now.hour in BY_DAY else int((noon - now).total_seconds())
    with connection.cursor() as cursor:
        cursor.execute(_NOW.format(seconds=seconds))


def go_by_true_time() -> None:
    """Have the clock tell the true time, beside a program that knows no other, until the transaction is undone."""
    with connection.cursor() as cursor:
        cursor.execute(_NOW.format(seconds=0))
