"""The public files of a settled pool as one archive, made once: they never change (X1)."""

import os
import tempfile
import zipfile
from hashlib import sha256
from pathlib import Path

from django.conf import settings
from django.http import FileResponse

from pools.models import Computed, Correction, Pool
from pools.snapshots.bundle import write_bundle
from totalizator.core.watching.acts import watched_act


def bundle_response(pool: Pool, settlement: Computed) -> FileResponse:
    """Send the archive, making it when it is asked for the first time."""
    archive = _place(settlement)
    if not archive.exists():
        with watched_act("export_bundle", pool=pool.code):
            _make(pool, settlement, archive)
    return FileResponse(archive.open("rb"), as_attachment=True, filename=f"{_folder(settlement)}.zip")


def _folder(settlement: Computed) -> str:
    """Name the folder in the archive: the corrected settlement's beside that of the first."""
    corrected = f".{settlement.version}" if isinstance(settlement, Correction) else ""
    return f"{settlement.pool.code}{corrected}"


def _place(settlement: Computed) -> Path:
    """Name the archive by what is in it, so that no other settlement is ever taken for it."""
    name = sha256((settlement.manifest_text + settlement.statement_text).encode()).hexdigest()
    return Path(settings.BASE_DIR) / ".local" / "bundles" / f"{name}.zip"


def _make(pool: Pool, settlement: Computed, archive: Path) -> None:
    """Write beside it and rename, so that a half-written archive is never sent, and two makers do not meet."""
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=archive.parent) as place:
        files = Path(place) / "files"
        files.mkdir()
        write_bundle(pool, files, settlement)
        packed = Path(place) / "packed.zip"
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as into:
            for path in sorted(files.iterdir()):
                into.write(path, f"{_folder(settlement)}/{path.name}")
        os.replace(packed, archive)  # noqa: PTH105  the atomic one, by its name
