"""Reading many rows: all of them, in their order, and a connection that is good for more afterwards."""

from contextlib import closing, suppress

import psycopg
import pytest
from django.db import connection, transaction

from totalizator.core import copying
from totalizator.core.copying import copy_blocks, copy_out

pytestmark = pytest.mark.django_db

NUMBERS = "COPY (SELECT n FROM generate_series(1, %s) AS n ORDER BY n) TO STDOUT"


def answers() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        return bool(cursor.fetchone() == (1,))


@pytest.mark.parametrize("count", [0, 1, 6, 7, 8, 50_000])
def test_rows_come_once_and_in_order(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copying, "ROWS_TOGETHER", 7 if count < 100 else copying.ROWS_TOGETHER)
    rows = [b"%d\n" % number for number in range(1, count + 1)]
    assert list(copy_out(NUMBERS, [count])) == rows
    blocks = list(copy_blocks(NUMBERS, [count]))
    assert b"".join(blocks) == b"".join(rows)
    assert len(blocks) == -(-count // copying.ROWS_TOGETHER)
    assert answers()


def test_who_reads_no_further_leaves_a_good_connection() -> None:
    endless = "COPY (SELECT generate_series(1, 100000000)) TO STDOUT"
    with suppress(LookupError), transaction.atomic(), closing(copy_out(endless, [])) as rows:
        assert next(rows) == b"1\n"
        raise LookupError
    assert answers()


def test_a_fault_half_way_is_the_databases_own() -> None:
    statement = "COPY (SELECT 1 / (n - 30000) FROM generate_series(1, 40000) AS n) TO STDOUT"
    with pytest.raises(psycopg.errors.DivisionByZero), transaction.atomic():
        for _row in copy_out(statement, []):
            pass
    assert answers()
