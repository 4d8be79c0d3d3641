"""The engine as a small archive, so that who checks a pool needs nothing of this site but files (X1)."""

import io
import zipfile
from functools import cache
from pathlib import Path

from django.http import HttpRequest, HttpResponse

from totalizator.engine import version

EARLIEST = (1980, 1, 1, 0, 0, 0)  # the format's own; a file's time would make the archive differ from copy to copy


def engine_file(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    """Send the engine: unpacked, `python3 -m totalizator.engine` runs beside it."""
    answer = HttpResponse(packed_engine(), content_type="application/zip")
    answer["Content-Disposition"] = 'attachment; filename="engine.zip"'
    return answer


@cache
def packed_engine() -> bytes:
    """Return the archive: the same sources, the same bytes."""
    engine = Path(version.__file__).parent
    package, root = engine.parent, engine.parent.parent
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as into:
        for path in [package / "__init__.py", *sorted(engine.rglob("*.py"))]:
            member = zipfile.ZipInfo(path.relative_to(root).as_posix(), EARLIEST)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = 0o644 << 16
            into.writestr(member, path.read_bytes())
    return packed.getvalue()
