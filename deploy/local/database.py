"""The database of the checkout: its two roles, and the addresses under which the project finds it."""

import os
import secrets
import shlex
import subprocess
from collections.abc import Mapping
from typing import Protocol
from urllib.parse import urlsplit

from deploy.local.checkout import Checkout
from deploy.local.placement import OLDEST, Placement, place
from deploy.local.postgres import Cluster
from deploy.local.refusal import Refusal

OWNER, APPLICATION, AUDITOR = "totalizator", "totalizator_app", "totalizator_auditor"
DATABASE = "totalizator"
_URLS = ("DATABASE_URL", "DATABASE_OWNER_URL", "DATABASE_AUDITOR_URL")

# The owner migrates and makes the tests' databases, the application only works in them, the auditor only reads. The
# owner is a member of both roles, so that tests can step down into them, and can clear what the application made.
ROLES = """
SELECT format('CREATE ROLE %I LOGIN', name) FROM (VALUES (:'owner'), (:'application'), (:'auditor')) AS wanted (name)
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) \\gexec
ALTER ROLE :"owner" CREATEDB PASSWORD :'owner_password';
ALTER ROLE :"application" NOCREATEDB PASSWORD :'application_password';
ALTER ROLE :"auditor" NOCREATEDB PASSWORD :'auditor_password';
ALTER ROLE :"auditor" SET default_transaction_read_only = on;
GRANT :"application" TO :"owner";
GRANT :"auditor" TO :"owner";
SELECT format('CREATE DATABASE %I OWNER %I', :'database', :'owner')
WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'database') \\gexec
REVOKE ALL ON DATABASE :"database" FROM PUBLIC;
GRANT CONNECT ON DATABASE :"database" TO :"application";
GRANT CONNECT ON DATABASE :"database" TO :"auditor";
"""

ASK_VERSION = """
import os, psycopg
with psycopg.connect(os.environ["ASKED_URL"], connect_timeout=10) as connection:
    print(connection.info.server_version)
"""


def ensure_database(checkout: Checkout) -> None:
    """Have a database running and its addresses in `.local/env`; DATABASE_URL, when exported, is used instead."""
    kept = read_env(checkout)
    wanted = {
        "TOTALIZATOR_ENV": "local",
        "SECRET_KEY": kept.get("SECRET_KEY", secrets.token_urlsafe(48)),
        "TICKET_KEY": kept.get("TICKET_KEY", secrets.token_hex(32)),
        "OPERATOR_KEY": kept.get("OPERATOR_KEY", secrets.token_hex(32)),
    }
    if "DATABASE_URL" in os.environ:
        _check_exported(checkout)
        wanted = {**kept, **wanted}
    else:
        wanted |= _ensure_own(checkout, kept)
    if wanted != kept:
        _write_env(checkout, wanted)


def addresses(checkout: Checkout) -> tuple[str, str]:
    """Return the addresses of the application's role and of the owner's (the same when only one is exported)."""
    kept = read_env(checkout)
    if "DATABASE_URL" in os.environ:
        own = os.environ["DATABASE_URL"]
        return own, os.environ.get("DATABASE_OWNER_URL", own)
    return kept["DATABASE_URL"], kept["DATABASE_OWNER_URL"]


def read_env(checkout: Checkout) -> dict[str, str]:
    """Read the KEY=VALUE lines of `.local/env`, quoted as for a shell; nothing when there is no such file yet."""
    if not checkout.env_file.exists():
        return {}
    lines = checkout.env_file.read_text(encoding="utf-8").splitlines()
    pairs = (line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))
    return {name: _unquoted(value) for name, value in pairs}


def _unquoted(value: str) -> str:
    """Return what a shell would read of a value that was quoted for it; others stand as they are."""
    return "".join(shlex.split(value)) if value.startswith("'") else value


def _check_exported(checkout: Checkout) -> None:
    """Ask the exported databases for their version. :raises Refusal: when one does not answer, or is too old."""
    for name in ("DATABASE_URL", "DATABASE_OWNER_URL"):
        url = os.environ.get(name)
        if url is None:
            continue
        environment = {**os.environ, "ASKED_URL": url}
        done = subprocess.run(
            [str(checkout.python), "-c", ASK_VERSION], env=environment, text=True, capture_output=True, check=False
        )
        if done.returncode != 0:
            raise Refusal(f"The database of {name} does not answer: {done.stderr.strip().splitlines()[-1]}")
        if int(done.stdout) < OLDEST * 10_000:
            raise Refusal(f"The database of {name} is older than PostgreSQL {OLDEST}.")


def _ensure_own(checkout: Checkout, kept: Mapping[str, str]) -> dict[str, str]:
    cluster = Cluster(checkout, place(checkout))
    cluster.ensure_running()
    passwords = {name: _password(kept.get(name)) for name in _URLS}
    at = f"127.0.0.1:{cluster.port}/{DATABASE}"
    urls = {
        "DATABASE_URL": f"postgresql://{APPLICATION}:{passwords['DATABASE_URL']}@{at}",
        "DATABASE_OWNER_URL": f"postgresql://{OWNER}:{passwords['DATABASE_OWNER_URL']}@{at}",
        "DATABASE_AUDITOR_URL": f"postgresql://{AUDITOR}:{passwords['DATABASE_AUDITOR_URL']}@{at}",
        "PG_BIN": str(cluster.placement.programs),
    }
    if any(kept.get(name) != value for name, value in urls.items()):
        ensure_roles(cluster, passwords)
    return urls


def _password(url: str | None) -> str:
    return (urlsplit(url).password if url else None) or secrets.token_hex(16)


class Server(Protocol):
    """A running server on 127.0.0.1, and its superuser's password."""

    @property
    def placement(self) -> Placement:
        """Where PostgreSQL's programs are."""

    @property
    def port(self) -> int:
        """The port that it listens on."""

    @property
    def password(self) -> str:
        """The superuser's password."""


def ensure_roles(cluster: Server, passwords: Mapping[str, str]) -> None:
    """Make the roles and the database, or give existing roles their passwords. :raises Refusal: with psql's words."""
    values = {
        "owner": OWNER, "application": APPLICATION, "auditor": AUDITOR, "database": DATABASE,
        "owner_password": passwords["DATABASE_OWNER_URL"], "application_password": passwords["DATABASE_URL"],
        "auditor_password": passwords["DATABASE_AUDITOR_URL"],
    }  # fmt: skip
    settings = "".join(f"\\set {name} '{value}'\n" for name, value in values.items())
    done = subprocess.run(
        [str(cluster.placement.programs / "psql"), "-X", "-q", "--set", "ON_ERROR_STOP=1"],
        input=settings + ROLES, text=True, capture_output=True, check=False, cwd="/",
        env={
            "PGHOST": "127.0.0.1", "PGPORT": str(cluster.port), "PGUSER": "postgres", "PGDATABASE": "postgres",
            "PGPASSWORD": cluster.password, "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        },
    )  # fmt: skip
    if done.returncode != 0:
        raise Refusal(f"PostgreSQL's roles could not be made: {done.stderr.strip()}")


def _write_env(checkout: Checkout, values: Mapping[str, str]) -> None:
    draft = checkout.local / "env.new"
    draft.unlink(missing_ok=True)
    draft.touch(mode=0o600)
    lines = [f"{name}={shlex.quote(value)}\n" for name, value in values.items()]
    draft.write_text(
        "# Written by the local stack; read by the settings, and by a shell that sources it.\n" + "".join(lines),
        encoding="utf-8",
    )
    draft.replace(checkout.env_file)
