"""Files that are filed for good: scans and captures. What they are, where they lie, and that they stay as they were."""

from collections.abc import Mapping
from hashlib import file_digest

from django.core.files.storage import Storage, storages
from django.db.models.fields.files import FieldFile
from django.utils.translation import gettext_lazy as _

from totalizator.core.errors import DomainError, Refusal
from totalizator.engine.canonical import digest, digest_name

MOST_BYTES = 10 * 1024 * 1024
# What a file begins with tells what it is; its name and what the browser says do not.
_SCANS: Mapping[bytes, tuple[str, str]] = {
    b"%PDF-": ("application/pdf", "pdf"),
    b"\xff\xd8\xff": ("image/jpeg", "jpg"),
    b"\x89PNG\r\n\x1a\n": ("image/png", "png"),
}


def private_storage() -> Storage:
    """Where they lie: no web server serves them."""
    return storages["private"]


def fits(content: bytes) -> bool:
    """Tell whether there is something, and no more than is filed: 10 MiB."""
    return 0 < len(content) <= MOST_BYTES


def refuse_size(content: bytes) -> None:
    """Refuse an empty file and one that is too large; :raises DomainError: BAD_VALUE."""
    if not fits(content):
        raise DomainError(Refusal.BAD_VALUE, _("A file of at most 10 MB is wanted."), field="file")


def kind_of_scan(content: bytes) -> tuple[str, str] | None:
    """Return the media type and the ending of a PDF, JPEG or PNG file; None for any other."""
    return next((kind for beginning, kind in _SCANS.items() if content.startswith(beginning)), None)


def only_scan(content: bytes) -> tuple[str, str]:
    """Return the media type and the ending of a file that must be a scan.

    :raises DomainError: BAD_VALUE for another kind or size of file.
    """
    refuse_size(content)
    kind = kind_of_scan(content)
    if kind is None:
        raise DomainError(Refusal.BAD_VALUE, _("A PDF, JPEG or PNG file is wanted."), field="file")
    return kind


def unlike_filed(file: FieldFile, filed_digest: str) -> str | None:
    """Tell what is wrong with a stored file: `changed`, `gone`; None when it is as it was filed."""
    try:
        return None if digest_of_stored(file.storage, str(file)) == filed_digest else "changed"
    except OSError:
        return "gone"


def digest_of_stored(storage: Storage, name: str) -> str:
    """Return the digest of a stored file, read a part at a time; :raises OSError: when it is gone."""
    with storage.open(name, "rb") as stored:
        return digest_name(file_digest(stored, "sha256").digest())


def content_as_filed(file: FieldFile, filed_digest: str) -> bytes | None:
    """Return what was filed under that digest; None when what is stored is something else.

    :raises OSError: when it is gone.
    """
    with file.open("rb") as stored:
        content: bytes = stored.read()
    return content if digest(content) == filed_digest else None
