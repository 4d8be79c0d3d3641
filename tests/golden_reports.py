"""What every report looks like, of nothing and of two rows: kept in files, one a report (N5).

`python -m tests.golden_reports` writes them anew, where a report is meant to have changed: read the difference.
"""

import os
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

KEPT = Path(__file__).parent / "integration" / "fixtures" / "reports"
AT = datetime(2026, 12, 5, 12, 0, 5, 123_000, tzinfo=UTC)
DAY = date(2026, 12, 4)


def golden(name: str) -> str:
    """Every document of a report, in English, one under another; of the PDF its text."""
    return "".join(f"== {heading}\n{text.strip()}\n\n" for heading, text in _documents(name))


def _documents(name: str) -> Iterator[tuple[str, str]]:
    import pypdfium2
    from django.test import override_settings
    from django.utils import translation

    from payouts.documents.reports import report_csv, report_json, report_pdf
    from payouts.queries.reports.shape import Asked, Cell, Report
    from payouts.services.reports import REPORTS

    kind = REPORTS[name]
    sample: dict[str, Cell] = {"text": "T-1", "count": 3, "amount": 123_456}
    cells = tuple(sample[column.holds] for column in kind.columns)
    for what, number in (("nothing", 0), ("two rows", 2)):
        report = Report(kind, Asked(DAY, DAY), [cells] * number, AT, "Totalizator 1", "sha256:00")
        with translation.override("en"), override_settings(OPERATOR_NAME="The operator"):
            pages = [page.get_textpage().get_text_bounded() for page in pypdfium2.PdfDocument(report_pdf(report))]
            yield f"{what}, CSV", report_csv(report).decode("utf-8-sig").replace("\r\n", "\n")
            yield f"{what}, JSON", report_json(report).decode()
            yield f"{what}, PDF", "\n".join(pages).replace("\r\n", "\n")


def main() -> None:
    """Write all files anew."""
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    from payouts.services.reports import REPORTS

    for name in REPORTS:
        (KEPT / f"{name}.txt").write_text(golden(name), encoding="utf-8")


if __name__ == "__main__":
    main()
