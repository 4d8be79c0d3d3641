"""Arrays for PostgreSQL as text, for statements that take rows by the column: `unnest(%(stakes)s::bigint[])`.

psycopg's own way asks each element for its type, which costs a bet more than its rules do, and gives one statement
several types: one of small numbers and one of large ones, each of which the server then keeps prepared.
"""

from collections.abc import Iterable


def numbers(values: Iterable[int | None]) -> str:
    """Return whole numbers as an array."""
    return "{" + ",".join(["NULL" if value is None else str(int(value)) for value in values]) + "}"


def texts(values: Iterable[str]) -> str:
    """Return texts as an array, whatever stands in them."""
    quoted = ['"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"' for value in values]
    return "{" + ",".join(quoted) + "}"


def byte_strings(values: Iterable[bytes | memoryview]) -> str:
    """Return bytes as an array of `bytea`."""
    return "{" + ",".join(['"\\\\x' + value.hex() + '"' for value in values]) + "}"
