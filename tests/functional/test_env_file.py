"""The file of addresses and keys: read by the stack and the settings, and sourced by a shell, all alike."""

import subprocess
from pathlib import Path

import pytest

from deploy.local.checkout import Checkout
from deploy.local.database import _write_env, read_env
from totalizator.core import environment

VALUES = {
    "DATABASE_URL": "postgresql://totalizator_app:0f@127.0.0.1:5432/totalizator",
    "PG_BIN": "/opt/my programs/it's $HOME/bin",
    "SECRET_KEY": "a=b#c",
    "EMPTY": "",
}


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A checkout at a path with a space, with its file written."""
    made = Checkout(tmp_path / "a path with spaces")
    made.local.mkdir(parents=True)
    _write_env(made, VALUES)
    return made


def test_what_was_written_is_read_again(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "CHECKOUT", checkout.root)
    assert read_env(checkout) == VALUES
    assert environment._local_environment() == VALUES


@pytest.mark.parametrize("name", VALUES)
def test_a_shell_that_sources_it_reads_the_same(checkout: Checkout, name: str) -> None:
    script = 'set -eu; . "$1"; eval "printf %s \\"\\$$2\\""'
    done = subprocess.run(
        ["sh", "-c", script, "sh", str(checkout.env_file), name],
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": "/usr/bin:/bin"},
    )
    assert (done.stdout, done.stderr) == (VALUES[name], "")


def test_a_line_that_somebody_wrote_unquoted_stands_as_it_is(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment, "CHECKOUT", checkout.root)
    checkout.env_file.write_text('# ours\nPAYMENT_PROVIDERS={"bank": {"url": "https://pay"}}\n', encoding="utf-8")
    expected = {"PAYMENT_PROVIDERS": '{"bank": {"url": "https://pay"}}'}
    assert read_env(checkout) == environment._local_environment() == expected
