"""A database that the benchmark makes, fills and drops; the site's own is never touched."""

import os
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

PREFIX = "totalizator_bench_"


class NoDatabase(Exception):
    """There is no server, or no right to make a database on it."""


class BenchDatabase:
    """`with BenchDatabase(owner's address)`: inside, Django is set up on a new, migrated database."""

    def __init__(self, owner_url: str) -> None:
        if not owner_url:
            raise NoDatabase("DATABASE_URL is not set: run `make bench`, or export the address of a database's owner.")
        self.name = f"{PREFIX}{os.getpid()}"
        self._owner_url = owner_url
        self.url = urlsplit(owner_url)._replace(path=f"/{self.name}").geturl()

    def __enter__(self) -> Self:
        self._drop_abandoned()
        self._on_server(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(self.name)))
        try:
            self._set_up_django()
        except BaseException:
            self._drop(self.name)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        from django.db import connections

        connections.close_all()
        self._drop(self.name)

    def server_environment(self) -> dict[str, str]:
        """Return what PostgreSQL's programs need to find the database; a password does not belong on a command line."""
        parts = psycopg.conninfo.conninfo_to_dict(self.url)
        names = {"host": "PGHOST", "port": "PGPORT", "user": "PGUSER", "password": "PGPASSWORD", "dbname": "PGDATABASE"}
        return {variable: str(parts[name]) for name, variable in names.items() if parts.get(name)}

    def _set_up_django(self) -> None:
        os.environ.update(
            DATABASE_URL=self.url,
            TOTALIZATOR_ENV="bench",
            SECRET_KEY="only for the benchmark",  # noqa: S106 - guards made-up bets for a minute
            DJANGO_SETTINGS_MODULE="totalizator.settings",
        )
        import logging

        import django
        from django.core.management import call_command

        django.setup()
        logging.disable(logging.WARNING)  # log-ins, and refusals of pages to who may not see them, are no news here
        call_command("migrate", verbosity=0)
        call_command("load_legal_calendar")

    def _drop_abandoned(self) -> None:
        """Drop what killed benchmarks left behind: ours by name, with nobody connected."""
        with self._server() as server:
            rows = server.execute(
                "SELECT datname FROM pg_database WHERE starts_with(datname, %s)"
                " AND NOT EXISTS (SELECT FROM pg_stat_activity a WHERE a.datname = pg_database.datname)",
                [PREFIX],
            ).fetchall()
        for (name,) in rows:
            self._drop(name)

    def _drop(self, name: str) -> None:
        self._on_server(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))

    def _on_server(self, statement: sql.Composed) -> None:
        with self._server() as server:
            try:
                server.execute(statement)
            except psycopg.errors.InsufficientPrivilege as fault:
                raise NoDatabase("This role may not make databases: export the owner's address.") from fault

    def _server(self) -> psycopg.Connection[tuple[str, ...]]:
        try:
            return psycopg.connect(self._owner_url, autocommit=True)
        except psycopg.OperationalError as fault:
            raise NoDatabase(f"The database server does not answer: {fault}") from fault
