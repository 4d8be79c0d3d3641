"""Asking every address as every kind of caller, and writing down who is let in: the table of docs/roles.md (R1)."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import transaction
from django.urls import URLPattern, URLResolver, get_resolver

from accounts.models import Role, User
from tests.desks import make_terminal
from tests.functional.browsing import visitor
from tests.functional.calling import Caller
from tests.functional.test_pages_access import filled
from tests.making import bet_from_account, make_commission, make_player, make_pool, make_till, make_user
from totalizator.core.api.schema import schema

DOCUMENT = Path(__file__).parents[2] / "docs" / "roles.md"
BEGIN, END = "<!-- the table: held by a test -->\n", "<!-- the end of the table -->"
TERMINAL = "terminal"
CALLERS = ("nobody", *Role.values, TERMINAL)
Asking = Callable[[str, str], Any]
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
HEADING = ["| what | " + " | ".join(CALLERS) + " | |", "|---" * (len(CALLERS) + 2) + "|"]
ELSEWHERE = ("/account/", "/i18n/", "/desk/reference/")
"""What frameworks serve: everybody's own log-in, the language, and the organizer's reference data (test_reference)."""


@dataclass(frozen=True, slots=True)
class Address:
    """An address: its route as the code has it, and its methods; a page has none of its own."""

    route: str
    methods: tuple[str, ...]
    about: str


class Undecided(Exception):
    """A page that lets a role in to read and not to act, or the other way round."""


def every_address(patterns: Any = None, prefix: str = "/") -> Iterator[Address]:
    """Every address of the site but the framework's own."""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            if not route.startswith(ELSEWHERE):
                yield from every_address(pattern.url_patterns, route)
        elif isinstance(pattern, URLPattern):
            view = getattr(pattern.callback, "cls", None)
            methods = tuple(method for method in METHODS if hasattr(view, method.lower())) if view is not None else ()
            yield Address(route, methods, (pattern.callback.__doc__ or "").strip().partition("\n")[0])


def table() -> list[str]:
    """Ask every address as everybody, and write a line for each."""
    commission, player = make_commission(), make_player(10_000)
    pool, cashier = make_pool(keys=commission), make_till(1_000).cashier
    ticket = bet_from_account(pool, player, "1;X;2", 100).bet.ticket
    people = {
        Role.PLAYER.value: player,
        Role.CASHIER.value: cashier,
        Role.COMMISSION.value: commission[0].member,
        Role.ORGANIZER.value: make_user(Role.ORGANIZER),
        Role.REGULATOR.value: make_user(Role.REGULATOR),
    }
    assert set(people) == set(Role.values)
    asking = {name: _by_browser(people.get(name)) for name in CALLERS if name != TERMINAL}
    asking[TERMINAL] = _by_terminal(Caller(make_terminal(make_till(1_000))))
    summaries = schema()["paths"]
    lines = []
    for address in every_address():
        path, shown = filled(address.route, pool, ticket), _as_told(address.route)
        if not address.methods:
            let_in = {name for name, ask in asking.items() if name != TERMINAL and _page_lets_in(ask, path, name)}
            lines.append(_line(f"`{shown}`", let_in, address.about))
        for method in address.methods:
            let_in = {name for name, ask in asking.items() if _lets_in(_asked(ask, method, path))}
            lines.append(_line(f"`{method} {shown}`", let_in, _summary(address, method, summaries)))
    return [*HEADING, *sorted(lines)]


def _by_browser(person: User | None) -> Asking:
    browser = visitor(person)
    return lambda method, path: browser.generic(method, path, content_type="application/json")


def _by_terminal(caller: Caller) -> Asking:
    return lambda method, path: caller._send(method, path.removeprefix("/api/v1/"), b"", {})


def _page_lets_in(ask: Asking, path: str, name: str) -> bool:
    """Ask a page to show and to act; the regulator never acts, wherever it is let in to read."""
    shows, acts = _asked(ask, "GET", path), _asked(ask, "POST", path)
    if name == Role.REGULATOR:
        assert acts.status_code in (403, 405), (path, acts.status_code)
        return _lets_in(shows) and shows.status_code != 405
    told = {_lets_in(answer) for answer in (shows, acts) if answer.status_code != 405}
    if len(told) != 1:
        raise Undecided(f"{path} {name}: {shows.status_code}, {acts.status_code}")
    return told.pop()


def _asked(ask: Asking, method: str, path: str) -> Any:
    """Ask, and undo whatever came of it."""
    undone: Any = transaction.atomic()
    undone._from_testcase = True  # what has to be a transaction of its own is one inside the test's
    with undone:
        answer = ask(method, path)
        transaction.set_rollback(True)
    return answer


def _lets_in(answer: Any) -> bool:
    """Tell whether the caller got past the door, whatever became of an empty request then."""
    to_log_in = answer.status_code == 302 and answer["Location"].startswith("/account/login/")
    return answer.status_code not in (401, 403) and not to_log_in


def _summary(address: Address, method: str, summaries: Mapping[str, Any]) -> str:
    told = summaries.get(_as_told(address.route), {}).get(method.lower(), {})
    return str(told.get("summary", address.about))


def _as_told(route: str) -> str:
    """A route as the schema writes it: `/api/v1/pools/{code}/`."""
    return re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", route)


def _line(what: str, let_in: set[str], about: str) -> str:
    marks = " | ".join("+" if name in let_in else " " for name in CALLERS)
    return f"| {what} | {marks} | {about.rstrip('.').replace('|', '/')} |"


def written() -> list[str]:
    """The lines of the table as the document has them."""
    _before, _begin, rest = DOCUMENT.read_text(encoding="utf-8").partition(BEGIN)
    return rest.partition(END)[0].splitlines()


def write(lines: list[str]) -> None:
    """Put a new table into the document."""
    before, begin, rest = DOCUMENT.read_text(encoding="utf-8").partition(BEGIN)
    assert begin, "the document has a place for the table"
    DOCUMENT.write_text(before + begin + "\n".join([*lines, ""]) + END + rest.partition(END)[2], encoding="utf-8")
