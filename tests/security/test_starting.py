"""Production starts only with true secrets, from the environment, and with every protection on."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from tests.architecture.sources import ROOT

STRONG = {
    "SECRET_KEY": "kd83-hfGsY20Xn_qpLz7Wv5TbMcRe1JaQu4Io6Pe8As0Df2Gh4JkL",
    "TICKET_KEY": "Zq9_pWm3Xc7Vb2Nn6Kj1Hg5Fd8Sa4Lo0",
    "OPERATOR_KEY": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "PERSONAL_DIGEST_KEY": "u7Yt5Re3Wq1As9Df8Gh7Jk6Lz5Xc4Vb3",
    "PERSONAL_DATA_KEYS": "Ck1Vd2Zq9pWm3Xc7Vb2Nn6Kj1Hg5Fd8Sa4Lo0aB3dE=",
}
TRY = """
import importlib, json, os, sys
for environment in json.load(sys.stdin):
    os.environ.clear()
    os.environ.update(environment)
    for name in [name for name in sys.modules if name.startswith("totalizator")]:
        del sys.modules[name]
    try:
        s = importlib.import_module("totalizator.settings")
    except Exception as fault:
        print(type(fault).__name__, fault)
    else:
        print("started", s.SESSION_COOKIE_NAME, s.SESSION_COOKIE_SECURE, s.DEBUG, s.SECURE_HSTS_SECONDS)
"""


def start(*several: dict[str, str | None]) -> list[str]:
    """What comes of importing the settings as production does, in one process; None takes a variable away."""
    environments = []
    for changes in several:
        environment: dict[str, str | None] = {"TOTALIZATOR_ENV": "production", "DATABASE_URL": "postgresql://a@b/c"}
        environment |= {name: os.environ.get(name) for name in ("PATH", "HOME", "LANG")} | STRONG | changes
        environments.append({name: value for name, value in environment.items() if value is not None})
    said = subprocess.run(
        [sys.executable, "-c", TRY],
        cwd=ROOT,
        input=json.dumps(environments),
        text=True,
        capture_output=True,
        check=True,
    )
    return said.stdout.splitlines()


def test_production_starts_with_strong_secrets_and_every_protection_on() -> None:
    # The proxy may send to https by itself: nothing else is given up for that.
    said = start({"DEBUG": "1"}, {"SECURE_SSL_REDIRECT": "0"})
    assert said == ["started __Host-sessionid True False 31536000"] * 2


def test_production_refuses_a_secret_that_is_missing_short_a_placeholder_or_used_twice_and_never_tells_it() -> None:
    tries: tuple[tuple[str, str | None], ...] = (
        ("SECRET_KEY", None),
        ("TICKET_KEY", None),
        ("OPERATOR_KEY", None),
        ("PERSONAL_DIGEST_KEY", None),
        ("PERSONAL_DATA_KEYS", None),
        ("SECRET_KEY", "short"),
        ("TICKET_KEY", "a" * 64),
        ("SECRET_KEY", "django-insecure-" + STRONG["SECRET_KEY"]),
        ("TICKET_KEY", STRONG["SECRET_KEY"]),
        ("SECRET_KEY_FALLBACKS", "changeme"),
        ("FORMER_TICKET_KEYS", "changeme"),
    )
    if (ROOT / ".local" / "env").exists():  # a checkout's own file would stand for what is missing
        tries = tuple((name, value) for name, value in tries if value is not None)
    answers = start(*({name: value} for name, value in tries))
    for (name, value), said in zip(tries, answers, strict=True):
        assert said.startswith("ImproperlyConfigured"), (name, value, said)
        assert name in said
        assert value is None or value not in said


def test_djangos_own_check_of_a_deployment_finds_nothing() -> None:
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG")}
    production = {"TOTALIZATOR_ENV": "production", "DATABASE_URL": "postgresql://a@b/c", "HSTS_PRELOAD": "1"}
    production |= {"ALLOWED_HOSTS": "toto.example", "DJANGO_SETTINGS_MODULE": "totalizator.settings", **STRONG}
    command = [sys.executable, "manage.py", "check", "--deploy", "--tag", "security", "--fail-level", "WARNING"]
    done = subprocess.run(command, cwd=ROOT, env=kept | production, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_no_setting_holds_a_secret_of_its_own() -> None:
    """A name that is a secret's takes its value from the environment; what may stand for it is empty or derived."""
    secret = re.compile(r"^(\w*(?:KEY|KEYS|PASSWORD|SECRET|TOKEN))\s*(?::[^=]+)?=\s*(.+)$", re.MULTILINE)
    for name in ("settings.py", "core/safety_settings.py", "core/environment.py"):
        text = Path(ROOT, "totalizator", name).read_text(encoding="utf-8")
        for setting, value in secret.findall(text):
            assert value.startswith(("secret(", "several(", "env(", "[key for key in secret(")), (name, setting)
