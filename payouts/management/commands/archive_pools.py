"""`manage.py archive_pools`: put old pools into archives and drop their bets and winnings; run as the owner."""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from payouts.queries.archiving import archived_pools_with_rows, owes_back, pools_to_archive
from payouts.services.archiving import DROPPED, NotProved, archive_pool, drop_archived_rows
from pools.models import Pool
from totalizator.core import clock
from totalizator.core.errors import DomainError

ACTOR = "command:archive_pools"


class Command(BaseCommand):
    help = "Archive every pool whose time has come: verify its bundle, file the archive, drop its bets and winnings."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--pool", help="only this one")
        parser.add_argument("--most", type=int, default=100, help="no more than so many pools in this run")
        parser.add_argument("--dry-run", action="store_true", help="only tell which pools would go")

    def handle(self, *args: Any, pool: str | None, most: int, dry_run: bool, **options: Any) -> None:
        self._refuse_all_but_owner()
        broken = 0
        for half in archived_pools_with_rows():
            broken += not (dry_run or self._drop(half))
        due = pools_to_archive(clock.now())
        chosen = due if pool is None else due.filter(code=pool)
        for each in [due_pool for due_pool in chosen[:most] if not owes_back(due_pool)]:
            if dry_run:
                self.stdout.write(f"{each.code}: to be archived")
            else:
                broken += not self._archive(each)
        if broken:
            sys.exit(1)

    def _archive(self, pool: Pool) -> bool:
        try:
            archive = archive_pool(code=pool.code, actor=ACTOR)
        except (DomainError, NotProved, OSError) as fault:
            self.stderr.write(f"{pool.code}: {fault}")
            return False
        self.stdout.write(f"{pool.code}: {archive.bets} bets, {archive.size} bytes, {archive.digest}")
        return self._drop(archive.pool)

    def _drop(self, pool: Pool) -> bool:
        try:
            dropped = drop_archived_rows(pool, actor=ACTOR)
        except NotProved as fault:
            self.stderr.write(f"{pool.code}: {fault}")
            return False
        self.stdout.write(f"{pool.code}: {dropped} rows dropped")
        return True

    def _refuse_all_but_owner(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT bool_and(has_table_privilege(t, 'DELETE')) FROM unnest(%s::text[]) t", [list(DROPPED)]
            )
            (may,) = cursor.fetchone()
        if not may:
            raise CommandError("This role may not delete bets: run it with the address of the tables' owner.")
