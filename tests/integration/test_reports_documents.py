"""The documents of a report: who made it when, by which software, page x of y, and the same bytes each time (N5)."""

import csv
import json
from datetime import UTC, date, datetime, timedelta
from io import StringIO
from pathlib import Path

import pypdfium2
import pytest
from django.core.management import CommandError, call_command
from django.utils import translation

from payouts.documents.reports import WRITERS, report_csv, report_json, report_pdf
from payouts.queries.reports.shape import Asked, Report
from payouts.services.reports import REPORTS
from tests.golden_reports import KEPT, golden
from tests.making import make_pool
from tests.reporting import report, today
from tests.settling import sell

AT = datetime(2026, 12, 5, 12, 0, 5, 123_000, tzinfo=UTC)
DAY = date(2026, 12, 4)


def made(name: str, rows: list[tuple[str | int, ...]]) -> Report:
    filters = {"pool": "2411-1"} if "pool" in REPORTS[name].filters else {}
    return Report(REPORTS[name], Asked(DAY, DAY, filters), rows, AT, "Totalizator 1", "sha256:00")


def words(content: bytes) -> list[str]:
    document = pypdfium2.PdfDocument(content)
    return [page.get_textpage().get_text_bounded() for page in document]


@pytest.mark.parametrize("name", sorted(REPORTS))
@pytest.mark.parametrize("language", ["ru", "be", "en"])
def test_n5_every_report_says_what_it_is_even_when_nothing_happened(name: str, language: str) -> None:
    with translation.override(language):
        empty = made(name, [])
        (page,) = words(report_pdf(empty))
        table = report_csv(empty).decode("utf-8-sig")
        for text in (page.replace("\r\n", " "), table):
            for shown in ("04.12.2026", "15:00:05", "Totalizator 1", str(REPORTS[name].title).partition(":")[0]):
                assert shown in text
        assert json.loads(report_json(empty))["rows"] == []
    with translation.override("en"):
        (page,) = words(report_pdf(empty))
        assert "No activity in this period." in page
        assert "page 1 of 1" in page
        assert "No activity in this period." in report_csv(empty).decode()


@pytest.mark.parametrize("name", sorted(REPORTS))
def test_n5_every_report_is_as_it_was_kept_of_nothing_and_of_something(name: str) -> None:
    assert golden(name) == (KEPT / f"{name}.txt").read_text(encoding="utf-8")


def test_n5_no_file_is_kept_of_what_is_no_report() -> None:
    assert {path.stem for path in KEPT.iterdir()} == set(REPORTS)


def test_n5_the_table_is_harmless_and_sums_up() -> None:
    figures = (3, 1, 1_234_56, 0, 50, 0, 0, 0, 0, 50, 0, 0)
    with translation.override("en"):
        sales = made("sales", [("=1+1", "P1", "cash", *figures), ("T-2", "", "card", *figures)])
        rows = list(csv.reader(StringIO(report_csv(sales).decode("utf-8-sig")), delimiter=";"))
    assert rows[:3] == [
        ["Operator", "Тотализатор"],
        ["Report", "Sales and payments by pool, point and channel"],
        ["Period", "from 04.12.2026 to 04.12.2026"],
    ]
    assert rows[3] == ["Limited to", "pool: 2411-1"]
    assert rows[8][:6] == ["'=1+1", "P1", "cash", "3", "1", "1234,56"]
    assert rows[-1][:6] == ["Total", "", "", "6", "2", "2469,12"]


def test_n5_json_has_names_amounts_as_text_and_totals() -> None:
    with translation.override("en"):
        told = json.loads(report_json(made("tax", [("2026-12-04", "T-1", "in cash", 2, 1_000, 50, 950)])))
    assert told["rows"] == [
        {
            "day": "2026-12-04",
            "pool": "T-1",
            "way": "in cash",
            "payments": 2,
            "gross": "10.00",
            "tax": "0.50",
            "net": "9.50",
        }
    ]
    assert told["totals"] == {"payments": 2, "gross": "10.00", "tax": "0.50", "net": "9.50"}
    assert (told["first"], told["generated_at"], told["release"]) == (
        "2026-12-04",
        "2026-12-05T12:00:05.123000Z",
        "sha256:00",
    )


def test_n5_long_reports_have_numbered_pages_with_the_heading_on_each() -> None:
    figures = (3, 1, 1_234_56, 0, 50, 0, 0, 0, 0, 50, 0, 0)
    rows: list[tuple[str | int, ...]] = [(f"T-{number}", "P1", "cash", *figures) for number in range(60)]
    with translation.override("en"):
        pages = words(report_pdf(made("sales", rows)))
    assert len(pages) > 2
    for number, page in enumerate(pages, start=1):
        assert f"page {number} of {len(pages)}" in page
        assert "Winning bets" in page
    assert "74,073.60" in pages[-1]


def test_the_same_report_gives_the_same_bytes() -> None:
    rows: list[tuple[str | int, ...]] = [("2026-12-04", "T-1", "наличными", 2, 1_000, 50, 950)]
    for write in WRITERS.values():
        assert write(made("tax", rows)) == write(made("tax", list(rows)))
        assert write(made("tax", rows)) != write(made("tax", []))


@pytest.mark.django_db
def test_the_command_writes_a_file(tmp_path: Path) -> None:
    pool = make_pool("sportloto-variant")
    sell(pool, ("1", 100))
    where, day = tmp_path / "sales.json", today().isoformat()
    asked = ["report", "sales", "--from", day, "--to", day]
    call_command(*asked, "--only", f"pool={pool.code}", "--output", str(where))
    told = json.loads(where.read_text(encoding="utf-8"))
    assert (told["totals"]["sales"], told["rows"][0]["pool"]) == ("1.00", pool.code)
    with translation.override("ru"):
        assert told["title"] == str(report("sales", today(), today()).kind.title)
    for wrong in (
        ["report", "sales", "--from", day, "--to", (today() - timedelta(days=1)).isoformat()],
        [*asked, "--only", "colour=red"],
    ):
        with pytest.raises(CommandError):
            call_command(*wrong, "--output", str(where))
