"""Reading a list of events from a spreadsheet's CSV file: all of it is right, or nothing is taken (A1, A5)."""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from io import StringIO

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from pools.services.legible_terms import is_legible
from totalizator.core.csv_text import csv_bytes
from totalizator.engine.errors import EngineError
from totalizator.engine.fields import code

MOST_BYTES = 1_000_000
MOST_EVENTS = 200
LONGEST_NAME = 200
LANGUAGES = ("ru", "be", "en")
# Column → the headings it may have, in small letters, ё as е.
_HEADINGS: Mapping[str, frozenset[str]] = {
    "ru": frozenset({"ru", "событие", "условие", "матч", "падзея", "event", "condition", "match", "по-русски"}),
    "be": frozenset({"be", "by", "по-белорусски", "па-беларуску", "belarusian"}),
    "en": frozenset({"en", "по-английски", "па-англійску", "english"}),
    "outcomes": frozenset({"outcomes", "исходы", "вынікі"}),
    "reserve": frozenset({"reserve", "резерв", "рэзерв", "запасное"}),
}
_YES = frozenset({"1", "да", "так", "yes", "y", "+", "x", "х"})
_NO = frozenset({"", "0", "нет", "не", "no", "n", "-"})


@dataclass(frozen=True, slots=True)
class Event:
    """A condition: its names by language, and its outcomes where they are not those of all; a reserve one waits."""

    names: Mapping[str, str]
    outcomes: tuple[str, ...] = ()
    is_reserve: bool = False


@dataclass(frozen=True, slots=True)
class EventFault:
    """What is wrong in which line, from 1, and which column, by its heading; no column: the whole line."""

    line: int
    column: str
    text: str | Promise


@dataclass(slots=True)
class ReadEvents:
    """What a file holds. With a fault nothing of it is to be taken."""

    events: list[Event] = field(default_factory=list)
    faults: list[EventFault] = field(default_factory=list)


def read_events(content: bytes) -> ReadEvents:
    """Read a file in UTF-8, with or without its mark, or in Windows-1251; columns are parted by `;`, `,` or tabs."""
    text = _decoded(content)
    if text is None:
        return ReadEvents(faults=[EventFault(1, "", _("The file is no text in UTF-8 or Windows-1251."))])
    rows = list(_rows(text))
    if not rows:
        return ReadEvents(faults=[EventFault(1, "", _("The file is empty."))])
    (line, heading), found = rows[0], ReadEvents()
    columns = _columns(heading)
    if columns.count("ru") != 1 or any(columns.count(name) > 1 for name in _HEADINGS):
        expected = _(
            "The first line must name the columns, each once: ru; be; en; outcomes; reserve. Only ru is needed."
        )
        found.faults.append(EventFault(line, "", expected))
        return found
    for line, cells in rows[1:]:
        _take(found, line, columns, heading, cells)
    if not found.events and not found.faults:
        found.faults.append(EventFault(line, "", _("Under the heading there is no event.")))
    if len(found.events) > MOST_EVENTS:
        found.faults.append(EventFault(line, "", _("A file has at most %(most)s events.") % {"most": MOST_EVENTS}))
    return found


def sample_file() -> bytes:
    """Return a file that can be read as it is: fifteen matches and two in reserve."""
    rows = [["ru", "be", "en", "outcomes", "reserve"]]
    for number in range(1, 18):
        names = [f"Хозяева {number} – Гости {number}", f"Гаспадары {number} – Госці {number}"]
        rows.append([*names, f"Home {number} – Away {number}", "1 X 2", "да" if number > 15 else ""])
    return csv_bytes(rows)


def _decoded(content: bytes) -> str | None:
    if b"\0" in content:
        return None
    for encoding in ("utf-8-sig", "cp1251"):
        try:
            return content.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
        except UnicodeDecodeError:
            continue
    return None


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each row that is not empty with the number of the line in which it begins."""
    heading = next((line for line in text.splitlines() if line.strip()), "")
    parted_by = max(";,\t", key=heading.count)
    rows, begins = csv.reader(StringIO(text), delimiter=parted_by), 1
    while True:
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error:
            row = ["?" * (LONGEST_NAME + 1)]
        if any(cell.strip() for cell in row):
            yield begins, [" ".join(cell.split()) for cell in row]
        begins = rows.line_num + 1


def _columns(heading: list[str]) -> list[str]:
    """Return the name of each column; one that is not known has none."""
    spelled = [cell.lower().replace("ё", "е") for cell in heading]
    return [next((name for name, words in _HEADINGS.items() if cell in words), "") for cell in spelled]


def _take(found: ReadEvents, line: int, columns: list[str], heading: list[str], row: list[str]) -> None:
    if len(row) > len(columns):
        words = _("The line has %(cells)s cells, and the heading %(columns)s.")
        told = words % {"cells": len(row), "columns": len(columns)}
        found.faults.append(EventFault(line, "", told))
        return
    cells = dict.fromkeys(_HEADINGS, "") | {name: cell for name, cell in zip(columns, row, strict=False) if name}
    called = {name: heading[columns.index(name)] for name in _HEADINGS if name in columns}
    faults = [EventFault(line, called[name], fault) for name, fault in _faults(cells, found) if name in called]
    if faults:
        found.faults.extend(faults)
        return
    names = {language: cells[language] or cells["ru"] for language in LANGUAGES}
    reserve = cells["reserve"].lower() in _YES
    found.events.append(Event(names, tuple(cells["outcomes"].split()), reserve))


def _faults(cells: Mapping[str, str], found: ReadEvents) -> Iterator[tuple[str, str | Promise]]:
    for language in LANGUAGES:
        name = cells[language]
        if not name and language != "ru":
            continue
        if (fault := name_fault(name)) is not None:
            yield language, fault
    if cells["ru"] and any(event.names["ru"] == cells["ru"] for event in found.events):
        yield "ru", _("This event stands in the file already.")
    if cells["outcomes"] and (fault := outcomes_fault(cells["outcomes"].split())) is not None:
        yield "outcomes", fault
    if cells["reserve"].lower() not in _YES | _NO:
        yield "reserve", _("Write yes for a reserve event, and nothing for another.")


def name_fault(name: str) -> str | Promise | None:
    """Say what is wrong with the name of an event, if anything is."""
    if not name or not is_legible(name):
        return _("A name needs a letter or a digit, and no control characters.")
    if ";" in name:
        return _("A name has no semicolon: it parts the languages.")
    if len(name) > LONGEST_NAME:
        return _("A name has at most %(most)s characters.") % {"most": LONGEST_NAME}
    return None


def outcomes_fault(codes: list[str]) -> str | Promise | None:
    """Say what is wrong with the codes of outcomes, if anything is."""
    if len(codes) < 2 or len(set(codes)) < len(codes):
        return _("Give at least two outcomes, each once, with spaces between: 1 X 2.")
    try:
        for each in codes:
            code(each, "outcomes")
    except EngineError:
        return _("A code of an outcome has no spaces, commas, semicolons, plus signs or quotes.")
    return None
