"""The command that tells how large the growing tables are (docs/scaling.md)."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection

from tests.making import make_pool
from tests.settling import sell
from totalizator.core.management.commands.table_growth import GROWING

pytestmark = pytest.mark.django_db


def test_it_lists_every_growing_table_and_fails_over_the_bound() -> None:
    sell(make_pool("sportloto-variant"), ("1", 100), ("1", 100))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE pools_bet")
    told = StringIO()
    call_command("table_growth", stdout=told)
    lines = told.getvalue().splitlines()
    assert {line.partition(":")[0] for line in lines} == set(GROWING)
    assert next(line for line in lines if line.startswith("pools_bet")).startswith("pools_bet: about 2 rows")
    with pytest.raises(SystemExit):
        call_command("table_growth", rows=1, stdout=told)
    assert "pools_bet: about 2 rows" in told.getvalue()
    assert told.getvalue().count("over the bound") == 1
