"""Filing a document with a dispute that one has opened, and reading it as it was filed (¶45, M1)."""

from hashlib import sha256

from django.core.files.base import ContentFile
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from payouts.models import OPEN_DISPUTES, Dispute, DisputeDocument
from payouts.services.disputes import dispute_own_bet
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.filed_files import content_as_filed, only_scan
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction

MOST_DOCUMENTS = 10


def dispute_with_document(*, ticket: str, story: str, content: bytes, opened_by: User) -> Dispute:
    """Take a player's dispute with the first document of it, both or neither; `content` may be empty.

    :raises DomainError: as `dispute_own_bet` and `file_dispute_document`.
    """
    with one_transaction():
        dispute = dispute_own_bet(ticket=ticket, story=story, opened_by=opened_by)
        if content:
            file_dispute_document(dispute=dispute, content=content, filed_by=opened_by)
    return dispute


def file_dispute_document(*, dispute: Dispute, content: bytes, filed_by: User) -> DisputeDocument:
    """File a PDF, JPEG or PNG with a dispute that is not answered; the same file again is the first one.

    :raises DomainError: NOT_FOUND for anybody else's dispute; BAD_VALUE; WRONG_STATE once it is answered, or has as
        many documents as are taken.
    """
    if dispute.opened_by_id != filed_by.pk:
        raise DomainError(Refusal.NOT_FOUND, _("There is no such dispute."))
    content_type, ending = only_scan(content)
    name = sha256(content).hexdigest()
    with one_transaction():
        held = Dispute.objects.select_for_update(no_key=True).get(pk=dispute.pk)
        standing = held.documents.filter(digest=f"sha256:{name}").first()
        if standing is not None:
            return standing
        _refuse_more(held)
        at = clock.now()
        document = DisputeDocument(
            dispute=held,
            content_type=content_type,
            size=len(content),
            digest=f"sha256:{name}",
            filed_by=filed_by,
            filed_at=at,
        )
        document.file.save(f"disputes/{held.pk}/{name}.{ending}", ContentFile(content), save=False)
        document.save(force_insert=True)
        write_journal(
            at=at,
            actor=filed_by.actor,
            act="file_dispute_document",
            subject=f"bet:{held.ticket}",
            after={"dispute": held.pk, "digest": document.digest},
        )
    return document


def read_document(document: DisputeDocument) -> bytes:
    """Return a document as it was filed; :raises DomainError: EVIDENCE_CHANGED when it is not that any more."""
    try:
        content = content_as_filed(document.file, document.digest)
    except OSError:
        content = None
    if content is None:
        message = _("This document is not what was filed: it was changed in the store.")
        raise DomainError(Refusal.EVIDENCE_CHANGED, message)
    return content


def _refuse_more(dispute: Dispute) -> None:
    if dispute.state not in OPEN_DISPUTES:
        raise DomainError(Refusal.WRONG_STATE, _("This dispute is answered."), state=dispute.state)
    if dispute.documents.count() >= MOST_DOCUMENTS:
        message = _("A dispute takes at most %(most)s documents.") % {"most": MOST_DOCUMENTS}
        raise DomainError(Refusal.WRONG_STATE, message, field="file")
