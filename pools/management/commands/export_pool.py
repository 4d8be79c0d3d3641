"""`manage.py export_pool CODE DIR [--protocol VERSION]`: write a pool's public bundle."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from pools.locks import find_pool
from pools.models import Computed, Pool, PoolState
from pools.queries.corrections import computed_by
from pools.snapshots.bundle import write_bundle
from totalizator.core.errors import DomainError
from totalizator.engine.errors import EngineError


class Command(BaseCommand):
    """Write the files that are public of a pool by now; older files of a bundle in the folder are replaced."""

    help = "Write a pool's public bundle into a folder: everything that is needed to settle it again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the pool's code, the folder, and of a corrected pool which of its settlements."""
        parser.add_argument("code", help="the pool's code")
        parser.add_argument("directory", type=Path, help="the folder; it is made if it is not there")
        parser.add_argument(
            "--protocol",
            type=int,
            metavar="VERSION",
            help="of a corrected pool: the version of the protocol whose settlement is wanted, not the one in force",
        )

    def handle(self, *args: Any, code: str, directory: Path, protocol: int | None, **options: Any) -> None:
        """Export one pool."""
        try:
            pool = find_pool(code)
            if pool.state == PoolState.DRAFT:
                raise CommandError(f"Pool {code} is a draft: nothing of it is public.")
            names = write_bundle(pool, directory, _settled_by(pool, protocol))
        except (DomainError, EngineError, OSError) as fault:
            raise CommandError(str(fault)) from fault
        self.stdout.write(f"{code}: {', '.join(names)}")


def _settled_by(pool: Pool, version: int | None) -> Computed | None:
    computed = computed_by(pool, version) if version is not None else None
    if version is not None and computed is None:
        raise CommandError(f"Pool {pool.code} is not settled by version {version} of its protocol.")
    return computed
