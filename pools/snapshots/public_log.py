"""The public log as a file: its lines, and the signed head as the last one (X6)."""

from collections.abc import Iterator

from pools.models import LogEntry, LogHead


def log_file(head: LogHead) -> Iterator[bytes]:
    """Yield the file that `verify-log` reads, as it was when this head was the newest; constant memory."""
    lines = LogEntry.objects.filter(index__lt=head.size).order_by("index").values_list("line", flat=True)
    for line in lines.iterator(chunk_size=2_000):
        yield line.encode() + b"\n"
    yield head.document_text.encode() + b"\n"
