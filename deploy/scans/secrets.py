"""Secrets in what is tracked and in all that ever was: keys, tokens and passwords, by the rules of detect-secrets."""

import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib import import_module

from deploy.scans.code import unlike
from deploy.scans.known import ROOT, known

# Of the package's rules those that know a secret by what it looks like: each of them is one, whatever it is called.
# A password with an ordinary look is looked for by bandit and ruff, in Python's own words.
RULES = (
    "artifactory", "aws", "azure_storage_key", "basic_auth", "discord", "github_token", "gitlab_token", "jwt",
    "mailchimp", "npm", "openai", "private_key", "pypi_token", "sendgrid", "slack", "square_oauth", "stripe",
    "telegram_token", "twilio",
)  # fmt: skip
_OWN_TOKEN = re.compile(r"\btot_[A-Za-z0-9_-]{43}\b")
_COMMIT, _FILE = "commit ", "+++ b/"


def found_secrets() -> Iterator[str]:
    """Yield where there is one that nobody has looked at: in the files of now, then in what history added."""
    try:
        _git("rev-parse", "HEAD")
    except (OSError, subprocess.CalledProcessError) as fault:
        yield f"neither files nor history can be looked at without git: {fault}"
        return
    rules = {"totalizator_token": [_OWN_TOKEN], **{name: _patterns(name) for name in RULES}}
    places: dict[tuple[str, str], list[str]] = {}
    for name, text in _tracked():
        for kind, number in _in(text, rules):
            places.setdefault((kind, name), []).append(f"{name}:{number}: {kind}")
    yield from unlike(Counter({at: len(lines) for at, lines in places.items()}), known("secrets"), places)
    yield from _in_history(rules, {name for _kind, name in places})


def _patterns(rule: str) -> list[re.Pattern[str]]:
    module = import_module(f"detect_secrets.plugins.{rule}")
    own = [value for value in vars(module).values() if getattr(value, "__module__", "") == module.__name__]
    patterns = [pattern for one in own for pattern in getattr(one, "denylist", ())]
    return [pattern if isinstance(pattern, re.Pattern) else re.compile(pattern) for pattern in patterns]


def _in(text: str, rules: dict[str, list[re.Pattern[str]]]) -> Iterator[tuple[str, int]]:
    for kind, patterns in rules.items():
        lines = {text.count("\n", 0, match.start()) + 1 for pattern in patterns for match in pattern.finditer(text)}
        yield from ((kind, number) for number in sorted(lines))


def _tracked() -> Iterator[tuple[str, str]]:
    names = _git("ls-files", "-z").split("\0")
    for name in filter(None, names):
        path = ROOT / name
        if path.is_file():
            content = path.read_bytes()
            if b"\0" not in content:
                yield name, content.decode("utf-8", "replace")


def _in_history(rules: dict[str, list[re.Pattern[str]]], looked_at: Iterable[str]) -> Iterator[str]:
    """Look at every line that was ever added; a file in which one was looked at has been dealt with."""
    commit, name, known_files = "", "", {*looked_at, *(file for files in known("secrets").values() for file in files)}
    added: list[str] = []
    for line in [*_git("log", "-p", "-U0", "--no-color", "--no-textconv", "--format=commit %h").split("\n"), _COMMIT]:
        if line.startswith((_COMMIT, _FILE)):
            if name not in known_files:
                yield from (f"{commit} {name}: {kind}" for kind, _number in _in("\n".join(added), rules))
            added.clear()
        if line.startswith(_COMMIT):
            commit = line.removeprefix(_COMMIT)
        elif line.startswith(_FILE):
            name = line.removeprefix(_FILE)
        elif line.startswith("+"):
            added.append(line[1:])


def _git(*words: str) -> str:
    command = ["git", "-C", str(ROOT), *words]
    return subprocess.run(command, capture_output=True, check=True).stdout.decode("utf-8", "replace")
