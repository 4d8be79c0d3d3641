"""Rows of the journal as the lines that seals cover: the same row gives the same bytes, always (S1)."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from django.db import connection

from totalizator.core.fields import IdRanges
from totalizator.engine.canonical import json_file
from totalizator.engine.instants import instant_text

CHUNK = 2000
_COLUMNS = "r.id, r.at, r.actor, r.act, r.subject, r.reason, r.before::text, r.after::text"
ROWS_OF_RANGES = f"""
SELECT {_COLUMNS} FROM unnest(%s::int8multirange) AS part
JOIN core_journalrecord r ON r.id >= lower(part) AND r.id < upper(part)
ORDER BY r.id
"""
ROWS_TO_SEAL = f"""
SELECT * FROM (
    (SELECT {_COLUMNS} FROM core_journalrecord r
     WHERE r.id > %(last)s AND r.id <= (SELECT last_value FROM core_journalrecord_id_seq)
     ORDER BY r.id LIMIT %(most)s)
    UNION ALL
    SELECT {_COLUMNS} FROM unnest(%(missing)s::int8multirange) AS part
    JOIN core_journalrecord r ON r.id >= lower(part) AND r.id < upper(part)
) AS unsealed
ORDER BY id LIMIT %(most)s
"""


def row_line(row: Sequence[Any]) -> tuple[int, bytes]:
    """Return the id and the line of a row; a number with a fraction, which nothing here writes, becomes a text."""
    number, at, actor, act, subject, reason, before, after = row
    document = {
        "id": number,
        "at": instant_text(at),
        "actor": actor,
        "act": act,
        "subject": subject,
        "reason": reason,
        "before": None if before is None else json.loads(before, parse_float=str),
        "after": None if after is None else json.loads(after, parse_float=str),
    }
    return number, json_file(document)


def lines_of(ids: IdRanges) -> Iterator[tuple[int, bytes]]:
    """Yield id and line of every row in the ranges, by id."""
    with connection.cursor() as cursor:
        cursor.execute(ROWS_OF_RANGES, [ids])
        while rows := cursor.fetchmany(CHUNK):
            yield from map(row_line, rows)
