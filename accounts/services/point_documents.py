"""Filing the documents of a point (¶9.4), and warning before one ends."""

import logging
from datetime import date
from hashlib import sha256

from django.core.files.base import ContentFile
from django.utils.translation import gettext_lazy as _

from accounts.models import BettingPoint, DocumentKind, PointDocument, User
from accounts.queries.point_documents import Expiry, expiring
from accounts.services.staff import refuse_all_but_staff, written
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.filed_files import content_as_filed, only_scan
from totalizator.core.journal import write_journal
from totalizator.core.legal import legal_number
from totalizator.core.models import JournalRecord
from totalizator.core.transactions import one_transaction
from totalizator.engine.deadlines import legal_day

logger = logging.getLogger(__name__)
_WARNING = "warn_of_expiry"


def file_document(
    *,
    point: BettingPoint,
    kind: DocumentKind,
    number: str,
    valid_from: date,
    valid_until: date | None,
    content: bytes,
    original_name: str,
    by: User,
) -> PointDocument:
    """File a version of a document: from its first day on it counts instead of those before.

    `content` is a PDF, JPEG or PNG file of at most 10 MiB.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE for an empty number, wrong dates, or another kind or size of file.
    """
    refuse_all_but_staff(by)
    number = written(number, field="number", most=100)
    if valid_until is not None and valid_until < valid_from:
        raise DomainError(Refusal.BAD_VALUE, _("It ends before it begins."), field="valid_until")
    content_type, ending = only_scan(content)
    name = sha256(content).hexdigest()
    with one_transaction():
        at = clock.now()
        document = PointDocument(
            point=point,
            kind=kind,
            number=number,
            valid_from=valid_from,
            valid_until=valid_until,
            original_name=original_name[-200:],
            content_type=content_type,
            size=len(content),
            digest=f"sha256:{name}",
            filed_by=by,
            filed_at=at,
        )
        document.file.save(f"points/{point.pk}/{kind}/{name}.{ending}", ContentFile(content), save=False)
        document.save(force_insert=True)
        write_journal(
            at=at,
            actor=by.actor,
            act="file_document",
            subject=f"point:{point.pk}",
            after={
                "kind": kind,
                "number": number,
                "from": valid_from.isoformat(),
                "until": valid_until.isoformat() if valid_until is not None else None,
                "digest": document.digest,
            },
        )
    return document


def read_document(document: PointDocument) -> bytes:
    """Return the filed scan.

    :raises ValueError: when what is stored is not what was filed.
    """
    content = content_as_filed(document.file, document.digest)
    if content is None:
        raise ValueError(f"the scan of document {document.pk} was changed in the store")
    return content


def warn_of_expiries() -> list[Expiry]:
    """Journal and log what ends in the next 30 days (dated setting) or is missing, once each; return the new."""
    at = clock.now()
    day = legal_day(at)
    within = int(legal_number("expiry_warning_days", day))
    return [expiry for expiry in expiring(day, within=within) if _warn(expiry)]


def _warn(expiry: Expiry) -> bool:
    last_day = expiry.last_day.isoformat() if expiry.last_day is not None else None
    facts = {"what": expiry.what, "last_day": last_day}
    if JournalRecord.objects.filter(subject=expiry.subject, act=_WARNING, after=facts).exists():
        return False
    write_journal(at=clock.now(), actor=f"task:{_WARNING}", act=_WARNING, subject=expiry.subject, after=facts)
    logger.warning("%s: %s ends on %s.", expiry.subject, expiry.what, last_day)
    return True
