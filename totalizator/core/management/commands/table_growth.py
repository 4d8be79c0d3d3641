"""`manage.py table_growth`: how large the tables are that grow with bets, and whether something is to be done."""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import connection

GROWING = (
    "pools_bet",
    "pools_winning",
    "payouts_payable",
    "payouts_payment",
    "accounts_transfer",
    "accounts_entry",
    "core_journalrecord",
    "core_replayedanswer",
)
MOST_ROWS = 500_000_000
MOST_GIGABYTES = 250
_SIZES = """
SELECT relname::text, GREATEST(reltuples, 0)::bigint, pg_total_relation_size(oid)
FROM pg_class WHERE oid = ANY(%s::text[]::regclass[]) ORDER BY 3 DESC, 1
"""


class Command(BaseCommand):
    help = "List the tables that grow with bets; exit code 1 when one is over its bound (docs/scaling.md)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--rows", type=int, default=MOST_ROWS, help="the bound on rows (500,000,000)")
        parser.add_argument("--gigabytes", type=int, default=MOST_GIGABYTES, help="the bound with indexes (250)")

    def handle(self, *args: Any, rows: int, gigabytes: int, **options: Any) -> None:
        with connection.cursor() as cursor:
            cursor.execute(_SIZES, [list(GROWING)])
            sizes = cursor.fetchall()
        over = False
        for table, count, size in sizes:
            larger = count > rows or size > gigabytes * 2**30
            over = over or larger
            told = f"{table}: about {count:,} rows, {size // 2**20:,} MB"
            self.stdout.write(f"{told}: over the bound" if larger else told)
        if over:
            sys.exit(1)
