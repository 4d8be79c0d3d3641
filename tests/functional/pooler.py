"""PgBouncer as a process of a test's own, before the database that the test works in."""

import configparser
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection

from deploy.local.prerequisites import free_port
from tests.functional.broker_servers import ROOT, program, running

POOL = 4
"""Connections to the server: fewer than there are clients."""


@contextmanager
def pgbouncer() -> Iterator[str]:
    """Run it as deploy/pgbouncer says, but small, and yield the database's address behind it."""
    now, port = connection.settings_dict, free_port()
    ini = configparser.ConfigParser(interpolation=None, inline_comment_prefixes=None)
    ini.read(ROOT / "deploy" / "pgbouncer" / "pgbouncer.ini", encoding="utf-8")
    told = ini["databases"].pop("totalizator")
    there = told.replace("host=127.0.0.1", f"host={now['HOST']}").replace("port=5432", f"port={now['PORT']}")
    ini["databases"][now["NAME"]] = there.replace("dbname=totalizator", f"dbname={now['NAME']}")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        users = folder / "users"
        users.write_text(f'"{now["USER"]}" "{now["PASSWORD"]}"\n', encoding="utf-8")
        ini["pgbouncer"].update(
            listen_port=str(port), auth_file=str(users), unix_socket_dir="", default_pool_size=str(POOL),
            reserve_pool_size="0",
        )  # fmt: skip
        with (folder / "pgbouncer.ini").open("w", encoding="utf-8") as file:
            ini.write(file)
        command = [program("pgbouncer"), str(folder / "pgbouncer.ini")]
        if os.geteuid() == 0:  # it refuses to be root
            folder.chmod(0o755)
            command[1:1] = ["-u", "nobody"]
        with running(command, folder, {}, port):
            yield f"postgresql://{now['USER']}:{now['PASSWORD']}@127.0.0.1:{port}/{now['NAME']}"
