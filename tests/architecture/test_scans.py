"""The scans find what they are for, and say when they could not ask; they themselves run with `make lint`."""

import re
from collections import Counter

import pytest

from deploy.scans import packages, secrets
from deploy.scans.code import unlike
from deploy.scans.known import known
from deploy.scans.secrets import RULES, _in, _patterns

# Put together here, so that no file has one.
PLANTED = {
    "private_key": "-----BEGIN " + "RSA PRIVATE KEY-----",
    "aws": "AKIA" + "IOSFODNN7EXAMPLE",
    "github_token": "ghp_" + "a1B2" * 9,
    "slack": "xoxb-" + "1234567890-1234567890-abcdefghijkl",
    "basic_auth": "postgresql://" + "owner:hunter2@db.example/x",
    "stripe": "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc",
    "totalizator_token": "tot_" + "Ab3-_" * 8 + "xyz",
}


def test_a_planted_secret_of_each_kind_is_found() -> None:
    rules = {"totalizator_token": [secrets._OWN_TOKEN], **{name: _patterns(name) for name in RULES}}
    assert all(rules.values())
    for kind, text in PLANTED.items():
        found = list(_in(f"one\ntwo {text} three\nfour", rules))
        assert (kind, 2) in found, kind


def test_a_new_finding_is_told_and_so_is_a_known_one_that_is_gone() -> None:
    places = {("B608", "a.py"): ["a.py:1: B608", "a.py:9: B608"]}
    found = Counter({("B608", "a.py"): 2})
    assert list(unlike(found, {"B608": {"a.py": 2}}, places)) == []
    assert list(unlike(found, {"B608": {"a.py": 1}}, places)) == places["B608", "a.py"]
    assert list(unlike(found, {}, places)) == places["B608", "a.py"]
    assert list(unlike({}, {"B608": {"a.py": 1}}, {})) == ["a.py: B608 was known 1 times and is there 0 times"]


def test_whatever_may_stand_has_a_reason() -> None:
    for scan in ("code", "secrets", "packages"):
        assert all(re.fullmatch(r"[A-Za-z0-9_-]+", kind) for kind in known(scan))


def test_who_could_not_be_asked_is_not_taken_for_clean(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(packages, "PROBE", "https://127.0.0.1:9/{version}")
    assert list(packages.known_weaknesses()) == []
    assert "COULD NOT ASK whether a weakness is known" in capsys.readouterr().out
    told: list[dict[str, object]] = [
        {"name": "django", "skip_reason": "not found"},
        {"name": "jinja2", "version": "2.4.1", "vulns": [{"id": "CVE-2014-1402", "fix_versions": ["2.7.2"]}]},
    ]
    assert list(packages.weaknesses(told)) == ["jinja2 2.4.1: CVE-2014-1402, mended in 2.7.2"]
    assert "COULD NOT ASK about 1: django" in capsys.readouterr().out
