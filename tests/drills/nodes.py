"""Database machines under Patroni, with an etcd between them: all on this machine, on the production's own file."""

import json
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from deploy.local.database import APPLICATION, DATABASE, OWNER, Server, ensure_roles
from deploy.local.placement import Placement
from deploy.local.prerequisites import free_port
from deploy.local.refusal import Refusal
from tests.drills.ground import ROOT, Ground, Process, kill_server

PRODUCTION_FILE = ROOT / "deploy" / "database" / "patroni.yml"
QUICK = {"ttl": 20, "loop_wait": 1, "retry_timeout": 3}
SMALL = {
    "max_connections": 60, "max_slot_wal_keep_size": "1GB", "max_wal_senders": 6, "max_replication_slots": 6,
}  # fmt: skip
PATIENCE = 90
ETCD_PACKAGE = "etcd-server"
REFERENCE = (
    "django_migrations", "django_content_type", "auth_permission", "core_legalnumber", "core_nonworkingday",
    "pgmq.meta",
)  # fmt: skip


@dataclass
class Node:
    """One machine: Patroni and its server."""

    name: str
    ground: Ground
    port: int = field(default_factory=free_port)
    rest: int = field(default_factory=free_port)
    patroni: Process | None = None

    @property
    def folder(self) -> Path:
        """The server's files (PGDATA)."""
        return self.ground.folder / self.name

    @property
    def placement(self) -> Placement:
        """Where PostgreSQL's programs are."""
        return self.ground.placement

    @property
    def password(self) -> str:
        """The superuser's password."""
        return self.ground.password

    def start(self) -> None:
        """Start Patroni, which starts the server when its turn has come."""
        command = [sys.executable, "-m", "patroni", str(self.ground.folder / f"{self.name}.yml")]
        self.patroni = self.ground.spawn(f"patroni-{self.name}", command, placed=True)

    def crash_server(self) -> None:
        """`kill -9` PostgreSQL with all its processes; Patroni is left to see it."""
        kill_server(self.folder)

    def crash_machine(self) -> None:
        """`kill -9` Patroni and PostgreSQL: nobody is left to tell."""
        if self.patroni is not None:
            self.patroni.kill()
            self.patroni.wait()
        kill_server(self.folder)

    def leave(self) -> None:
        """End Patroni in good order: it stops the server if there is one, and gives its place away."""
        if self.patroni is not None:
            self.patroni.send_signal(signal.SIGTERM)
            self.patroni.wait(timeout=PATIENCE)

    def asks(self, statement: str, database: str = DATABASE) -> str:
        """Run SQL on this very server as superuser, standby or not; return what psql prints."""
        command = self.placement.command("psql", "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-c", statement)
        environment = {
            "PGHOST": "127.0.0.1", "PGPORT": str(self.port), "PGUSER": "postgres", "PGDATABASE": database,
            "PGPASSWORD": self.password,
        }  # fmt: skip
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()

    def takes_writes(self) -> bool:
        """Tell whether this server is no standby."""
        try:
            return self.asks("SELECT pg_is_in_recovery()", database="postgres") == "f"
        except subprocess.CalledProcessError:
            return False

    def told(self, path: str, body: Mapping[str, Any] | None = None, method: str = "GET") -> Any:
        """Ask Patroni's REST API, or tell it something; None when nobody answers."""
        content = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.rest}/{path}", data=content, method=method)
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310 - our own address
                text = answer.read().decode()
        except OSError:
            return None
        return json.loads(text) if text.startswith("{") else text


@dataclass
class Nodes:
    """The machines of one database."""

    ground: Ground
    all: list[Node]
    etcd: int

    def url(self, role: str = APPLICATION) -> str:
        """Return an address that names all of them."""
        servers = ",".join(f"127.0.0.1:{node.port}" for node in self.all)
        return f"postgresql://{role}:{self.ground.password}@{servers}/{DATABASE}"

    def members(self) -> list[dict[str, Any]]:
        """Return what Patroni says of each: name, role, state, timeline, lag."""
        for node in self.all:
            if told := node.told("cluster"):
                found: list[dict[str, Any]] = told["members"]
                return found
        return []

    def leader(self) -> Node | None:
        """Return the machine whose server takes writes."""
        names = [one["name"] for one in self.members() if one["role"] == "leader" and one["state"] == "running"]
        found = next((node for node in self.all if node.name in names), None)
        return found if found is not None and found.takes_writes() else None

    def present_leader(self) -> Node:
        """Return the machine that takes writes now, or as soon as there is one."""
        self.wait(self.leader, "somebody leads")
        found = self.leader()
        if found is None:
            return self.present_leader()
        return found

    def is_whole(self) -> bool:
        """Tell whether there is one leader that all others follow on its timeline, and whose commits wait for them."""
        members = self.members()
        followers = [one for one in members if one["role"] != "leader" and one["state"] == "streaming"]
        return (
            len(followers) == len(self.all) - 1
            and any(one["role"] == "leader" for one in members)
            and len({one.get("timeline") for one in members}) == 1
            and all(one["role"] != "replica" for one in members)
        )

    def wait(self, condition: Callable[[], object], what: str, seconds: float = PATIENCE) -> None:
        """Wait for it. :raises Refusal: with the last words of every log when it does not come in time."""
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                words = "\n".join(
                    f"{log.name}: {log.read_text(errors='replace')[-1_500:]}"
                    for log in self.ground.folder.glob("*.log")
                )
                raise Refusal(f"{what}: not within {seconds} s; {self.members()}\n{words}")
            time.sleep(0.1)

    def change(self, **settings: Any) -> None:
        """Change the settings of the whole, as `patronictl edit-config` does."""
        for node in self.all:
            if node.told("config", settings, "PATCH"):
                return
        raise Refusal("No Patroni takes a change of settings.")


def lay_out(ground: Ground, count: int, settings: Mapping[str, Any] = QUICK) -> Nodes:
    """Choose the addresses of so many machines and write their files; nothing runs yet."""
    nodes = Nodes(ground, [Node(f"db{number}", ground) for number in range(1, count + 1)], free_port())
    for node in nodes.all:
        _write_file(node, nodes.etcd, settings)
    return nodes


def start_nodes(nodes: Nodes) -> None:
    """Start etcd and all machines; return when one leads and has the roles and the database.

    :raises Refusal: when there is no etcd, or they do not come up.
    """
    if not shutil.which("etcd"):
        raise Refusal(f"There is no etcd: install the package {ETCD_PACKAGE}.")
    client, peer = (f"http://127.0.0.1:{port}" for port in (nodes.etcd, free_port()))
    nodes.ground.spawn(
        "etcd",
        [
            "etcd", "--name", "etcd", "--data-dir", str(nodes.ground.folder / "etcd"), "--unsafe-no-fsync",
            "--listen-client-urls", client, "--advertise-client-urls", client, "--listen-peer-urls", peer,
            "--initial-advertise-peer-urls", peer, "--initial-cluster", f"etcd={peer}",
        ],
    )  # fmt: skip
    for node in nodes.all:
        node.start()
    nodes.wait(nodes.is_whole, "one machine leads and all others follow")
    leader = nodes.present_leader()
    passwords = dict.fromkeys(("DATABASE_URL", "DATABASE_OWNER_URL", "DATABASE_AUDITOR_URL"), leader.password)
    ensure_roles(leader, passwords)


def fill(server: Server, source: str) -> None:
    """Copy a migrated database into a server, as its owner's: its tables, and of their rows what every database has.

    :raises Refusal: with the words of PostgreSQL's programs.
    """
    schemas = ["--schema=public", "--schema=pgmq"]
    text = b"".join(
        _output(server, ["pg_dump", "--no-owner", "--no-acl", *words, source], b"")
        for words in (["--schema-only", *schemas], ["--data-only", *(f"--table={table}" for table in REFERENCE)])
    ).replace(b"CREATE SCHEMA public;", b"")
    address = f"postgresql://{OWNER}:{server.password}@127.0.0.1:{server.port}/{DATABASE}"
    _output(server, ["psql", "-X", "-q", "-1", "-v", "ON_ERROR_STOP=1", address], text)


def _output(server: Server, command: list[str], text: bytes) -> bytes:
    program, *words = command
    done = subprocess.run(server.placement.command(program, *words), input=text, capture_output=True, check=False)
    if done.returncode != 0:
        raise Refusal(f"{program}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def _write_file(node: Node, etcd: int, settings: Mapping[str, Any]) -> None:
    """Write the production's file with this machine's addresses; nothing else of it is changed."""
    told = yaml.safe_load(PRODUCTION_FILE.read_text(encoding="utf-8"))
    password, here = node.password, f"127.0.0.1:{node.port}"
    told |= {"name": node.name, "etcd3": {"hosts": [f"127.0.0.1:{etcd}"]}, "watchdog": {"mode": "off"}}
    told["restapi"] = {"listen": f"127.0.0.1:{node.rest}", "connect_address": f"127.0.0.1:{node.rest}"}
    told["bootstrap"]["dcs"] |= settings
    told["bootstrap"]["dcs"]["postgresql"]["parameters"] |= SMALL
    told["bootstrap"]["initdb"].append("no-sync")
    server = told["postgresql"]
    del server["custom_conf"]
    server |= {
        "listen": here, "connect_address": here, "data_dir": str(node.folder),
        "bin_dir": str(node.placement.programs), "pgpass": str(node.ground.folder / f"{node.name}.pgpass"),
        "pg_hba": ["host all all 127.0.0.1/32 scram-sha-256", "host replication all 127.0.0.1/32 scram-sha-256"],
        "parameters": {"unix_socket_directories": "", "shared_buffers": "64MB", "timezone": "UTC"},
    }  # fmt: skip
    for role in server["authentication"].values():
        role["password"] = password
    path = node.ground.folder / f"{node.name}.yml"
    path.touch(mode=0o600)
    path.write_text(yaml.safe_dump(told), encoding="utf-8")
    node.placement.give(node.ground.folder)
