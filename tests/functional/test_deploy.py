"""The files of an installation: the programs that read them take them, and what they name is there."""

import configparser
import importlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.exceptions import ImproperlyConfigured
from django.core.management import get_commands

from deploy.local.front import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
OPERATIONS = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
CURRENT = "/opt/totalizator/current"
READ_BY_THE_PROGRAM = re.compile(r'\b(?:env|secret|several)\(\s*"([A-Z_]+)"')
NOT_OF_THE_SETTINGS = {"DJANGO_SETTINGS_MODULE"}
HEX = "0123456789abcdef" * 4
# What env.example leaves to be made: something of the kind, never the same twice.
MADE = {
    "SECRET_KEY": "kX3vQ9pLr7Tz1BwYhN5sJ2mGc8DfU4aEo6RiVbKqSxZt0WyC",
    "TICKET_KEY": HEX,
    "OPERATOR_KEY": HEX[::-1],
    "PERSONAL_DATA_KEYS": "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=",
    "PERSONAL_DIGEST_KEY": "Zt0WyCkX3vQ9pLr7Tz1BwYhN5sJ2mGc8DfU4aEo6RiVbKqSx",
}


def has(program: str) -> pytest.MarkDecorator:
    """Skip where a program is not installed, but where everything is tried fail."""
    return pytest.mark.skipif(not shutil.which(program) and not os.environ.get("CI"), reason=f"there is no {program}")


def example() -> dict[str, str]:
    """The variables of env.example, with what is to be made put in."""
    lines = (DEPLOY / "env.example").read_text(encoding="utf-8").splitlines()
    pairs = (line.split("=", 1) for line in lines if line and not line.startswith("#"))
    told = {name: MADE.get(name, re.sub(r"<[^>]*>", "p4ssw0rd", value)) for name, value in pairs}
    return told | {"TOTALIZATOR_ENV": "production"}


def read_by_the_program() -> set[str]:
    """Every variable that the program asks the environment for."""
    sources = (ROOT / "totalizator").rglob("*.py")
    return {name for path in sources for name in READ_BY_THE_PROGRAM.findall(path.read_text(encoding="utf-8"))}


def units() -> dict[str, configparser.ConfigParser]:
    found = {}
    for path in sorted((DEPLOY / "systemd").iterdir()):
        parser = configparser.ConfigParser(strict=False, interpolation=None)
        parser.optionxform = str  # type: ignore[assignment,method-assign]
        parser.read_string(path.read_text(encoding="utf-8"))
        found[path.name] = parser
    return found


def compose() -> dict[str, Any]:
    told: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yml").read_text(encoding="utf-8"))
    return told


def settings_with(variables: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Read the settings as a process with these variables and no others would; the modules of ours stay as they are."""
    from totalizator.core import environment

    monkeypatch.setattr(environment, "_ENVIRONMENT", variables)
    again = [name for name in sys.modules if name == "totalizator.settings" or name.endswith("_settings")]
    again = [name for name in again if name.startswith("totalizator.")]
    for name in again:
        monkeypatch.delitem(sys.modules, name)
    try:
        return importlib.import_module("totalizator.settings")
    finally:
        for name in [one for one in sys.modules if one in again or one == "totalizator.settings"]:
            monkeypatch.delitem(sys.modules, name)


def test_every_variable_that_is_named_is_read_by_the_program() -> None:
    program = read_by_the_program() | NOT_OF_THE_SETTINGS
    assert {"DATABASE_URL", "SECRET_KEY", "PRIVATE_FILES"} <= program
    assert set(example()) - program == set()
    services = compose()["services"]
    for name in ("web", "worker", "beat", "migrate"):
        assert set(services[name]["environment"]) - program == set()


def test_production_starts_with_the_example_and_names_what_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = example()
    settings = settings_with(whole, monkeypatch)
    assert settings.PRODUCTION is True
    assert settings.RELEASE_MUST_HOLD is True
    assert settings.TRUSTED_PROXIES == ["unix"]
    assert settings.SECURE_SSL_REDIRECT is True
    required = {"DATABASE_URL", *MADE}
    for name in sorted(required):
        with pytest.raises(ImproperlyConfigured, match=name):
            settings_with({other: value for other, value in whole.items() if other != name}, monkeypatch)


def test_the_programs_that_units_and_containers_start_are_there() -> None:
    started = [unit["Service"]["ExecStart"] for unit in units().values() if unit.has_section("Service")]
    own = [line for line in started if line.startswith(CURRENT)]
    assert len(own) == 3
    for line in own:
        program, *words = line.removeprefix(f"{CURRENT}/.venv/bin/").split()
        assert (Path(sys.prefix) / "bin" / program).exists()
        _loads(words)
    for name in ("web", "worker", "beat"):
        _loads(compose()["services"][name]["command"])
    assert (Path(sys.prefix) / "bin" / "patroni").exists()


def test_the_options_of_units_and_containers_are_known_to_their_programs() -> None:
    from celery.bin.beat import beat
    from celery.bin.worker import worker
    from granian.cli import cli

    known = {
        name: {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
        for name, command in (("web", cli), ("worker", worker), ("beat", beat))
    }
    for name, options in known.items():
        unit = units()[f"totalizator-{name}.service"]["Service"]["ExecStart"].split()
        for words in (unit, compose()["services"][name]["command"]):
            used = {word.partition("=")[0] for word in words if word.startswith("--")}
            assert used - options - {"--app"} == set()


def _loads(words: list[str]) -> None:
    """Assert that the application which a command line names can be loaded."""
    if "--app" in words:
        assert importlib.import_module(words[words.index("--app") + 1]).app
    else:
        module, _, name = words[-1].partition(":")
        assert callable(getattr(importlib.import_module(module), name))


def test_every_command_of_the_pages_and_files_exists() -> None:
    files = [path.read_text(encoding="utf-8") for path in DEPLOY.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    text = "\n".join([OPERATIONS, *files])
    commands = set(re.findall(r"manage\.py (\w+)", text))
    assert {"migrate", "reconcile_ledger", "check_log"} <= commands
    assert commands - set(get_commands()) == set()
    assert set(re.findall(r"`make ([\w-]+)", OPERATIONS)) - set(COMMANDS) == set()
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert set(COMMANDS) <= set(re.findall(r"[\w-]+", makefile))


def test_every_file_that_the_page_names_is_there() -> None:
    named = set(re.findall(r"`((?:deploy/)?(?:nginx|systemd|database|monitoring)/[\w./*-]*)`", OPERATIONS))
    assert len(named) > 8
    elsewhere = {"monitoring/alerts.yml"}  # beside the metrics that it asks for
    missing = {name for name in named if not list(DEPLOY.glob(name.removeprefix("deploy/").rstrip("/") or "*"))}
    assert missing - elsewhere == set()


@has("systemd-analyze")
def test_systemd_takes_the_units(tmp_path: Path) -> None:
    for path in (DEPLOY / "systemd").iterdir():
        text = path.read_text(encoding="utf-8").replace(f"{CURRENT}/.venv", sys.prefix).replace(CURRENT, str(ROOT))
        text = text.replace("/opt/patroni", sys.prefix).replace("/usr/bin/pgbackrest", shutil.which("true") or "")
        (tmp_path / path.name).write_text(text, encoding="utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", *sorted(map(str, tmp_path.iterdir()))],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


def test_units_of_the_program_are_shut_in() -> None:
    for name in ("web", "worker", "beat"):
        service = units()[f"totalizator-{name}.service"]["Service"]
        assert service["User"] == "totalizator"
        assert (service["NoNewPrivileges"], service["ProtectSystem"]) == ("yes", "strict")
        assert service["CapabilityBoundingSet"] == ""
        assert service["EnvironmentFile"] == "/etc/totalizator/env"
        assert service["Restart"] == "always"


def nginx_files(folder: Path) -> Path:
    """Lay nginx's files out in a folder, with a certificate of our own; return the configuration to try."""
    certificate = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "fullchain.pem")]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", "/CN=tote.example", *certificate],
        check=True, capture_output=True,
    )  # fmt: skip
    for path in (DEPLOY / "nginx").iterdir():
        text = path.read_text(encoding="utf-8").replace("/etc/totalizator/tls", str(folder))
        text = text.replace("/etc/nginx", str(folder)).replace("listen 10.20.0.31:8081", "listen 127.0.0.1:18081")
        text = text.replace(":80 ", ":18080 ").replace("listen 80 ", "listen 18080 ")
        text = text.replace(":443 ", ":18443 ").replace("listen 443 ", "listen 18443 ")
        (folder / path.name).write_text(text, encoding="utf-8")
    whole = folder / "nginx.conf"
    whole.write_text(
        f"pid {folder}/pid; error_log stderr; events {{}}\n"
        f"http {{ access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;"
        f" fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;"
        f" include {folder}/totalizator.conf; }}\n",
        encoding="utf-8",
    )
    return whole


@has("nginx")
@has("openssl")
def test_nginx_takes_its_file(tmp_path: Path) -> None:
    done = subprocess.run(
        ["nginx", "-t", "-q", "-p", str(tmp_path), "-c", str(nginx_files(tmp_path))],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


def test_nginx_writes_the_address_anew_and_hands_scans_on() -> None:
    proxy = (DEPLOY / "nginx" / "totalizator_proxy.conf").read_text(encoding="utf-8")
    assert "proxy_set_header X-Forwarded-For $remote_addr;" in proxy
    assert "$proxy_add_x_forwarded_for" not in proxy
    assert "proxy_set_header X-Forwarded-Proto $scheme;" in proxy
    assert "proxy_next_upstream off;" in proxy
    site = (DEPLOY / "nginx" / "totalizator.conf").read_text(encoding="utf-8")
    (unit_socket,) = re.findall(r"--uds (\S+)", units()["totalizator-web.service"]["Service"]["ExecStart"])
    assert f"server unix:{unit_socket} " in site
    assert "client_max_body_size 24m;" in site


@has("haproxy")
def test_haproxy_takes_its_file() -> None:
    path = str(DEPLOY / "database" / "haproxy.cfg")
    done = subprocess.run(["haproxy", "-c", "-q", "-f", path], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_same_machines_and_ports_are_meant_everywhere() -> None:
    patroni = yaml.safe_load((DEPLOY / "database" / "patroni.yml").read_text(encoding="utf-8"))
    haproxy = (DEPLOY / "database" / "haproxy.cfg").read_text(encoding="utf-8")
    prometheus = yaml.safe_load((DEPLOY / "monitoring" / "prometheus.yml").read_text(encoding="utf-8"))
    targets = {job["job_name"]: job["static_configs"][0]["targets"] for job in prometheus["scrape_configs"]}
    assert targets["etcd"] == patroni["etcd3"]["hosts"]
    rest = patroni["restapi"]["listen"].rpartition(":")[2]
    database = sorted(set(re.findall(r"server \w+ (10\.20\.0\.\d+):5432", haproxy)))
    assert [f"{machine}:{rest}" for machine in database] == targets["patroni"]
    assert patroni["postgresql"]["listen"].endswith(":5432")
    settings = patroni["bootstrap"]["dcs"]
    assert (settings["synchronous_mode"], settings["synchronous_mode_strict"]) == ("quorum", True)
    assert settings["loop_wait"] + 2 * settings["retry_timeout"] <= settings["ttl"]
    assert prometheus["rule_files"] == ["alerts.yml"]


def test_backup_archives_what_the_servers_send() -> None:
    server = (DEPLOY / "database" / "postgresql.conf").read_text(encoding="utf-8")
    names = re.findall(r"^(\w+) = ", server, re.MULTILINE)
    assert len(names) == len(set(names))
    assert "synchronous_commit = on" in server
    assert "statement_timeout" not in names
    backup = configparser.ConfigParser(interpolation=None)
    backup.read_string((DEPLOY / "database" / "pgbackrest.conf").read_text(encoding="utf-8"))
    (stanza,) = set(re.findall(r"--stanza=(\w+)", server))
    assert stanza in backup
    assert backup["global"]["repo1-cipher-type"] == "aes-256-cbc"
    patroni = yaml.safe_load((DEPLOY / "database" / "patroni.yml").read_text(encoding="utf-8"))
    assert backup[stanza]["pg1-path"] == patroni["postgresql"]["data_dir"]
    for name in units():
        assert set(re.findall(r"--stanza=(\w+)", (DEPLOY / "systemd" / name).read_text(encoding="utf-8"))) <= {stanza}
