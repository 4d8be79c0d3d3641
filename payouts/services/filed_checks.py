"""Digesting every filed file again: what was changed in the store, or is gone, is named (H4, X5, ¶33)."""

import logging
from collections.abc import Iterator

from django.db.models import Model
from django.utils.translation import gettext_lazy as _

from accounts.models import GameEndProposal, PointDocument
from payouts.models import DisputeDocument, PublicationConsent, ResultClaim
from pools.models import Evidence, PoolArchive
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.filed_files import unlike_filed
from totalizator.core.journal import write_journal
from totalizator.core.models import JournalRecord
from totalizator.core.transactions import one_transaction

logger = logging.getLogger(__name__)
FILED: tuple[tuple[type[Model], str, str], ...] = (
    (PointDocument, "file", "digest"),
    (GameEndProposal, "file", "digest"),
    (Evidence, "file", "digest"),
    (PoolArchive, "file", "digest"),
    (ResultClaim, "file", "digest"),
    (DisputeDocument, "file", "digest"),
    (PublicationConsent, "photo", "photo_digest"),
    (PublicationConsent, "paper", "paper_digest"),
)
"""Every field that holds a filed file, and where its digest stands."""
_SHOWN = 50


def check_filed_files(*, actor: str) -> list[str]:
    """Read every filed file, whatever it is of; journal how many there are and what differs, and return that.

    One at a time is in memory. Any difference is a significant event.
    """
    checked, broken = 0, []
    for name, wrong in _checked():
        checked += 1
        if wrong is not None:
            broken.append(f"{name}: {wrong}")
    if broken:
        logger.critical("Filed files are not what was filed: %s", "; ".join(broken[:_SHOWN]))
    after = {"files": checked, "broken": broken[:_SHOWN]}
    write_journal(at=clock.now(), actor=actor, act="check_filed_files", subject="filed_files", after=after)
    return broken


def refuse_changed_document(claim: ResultClaim, *, actor: str) -> None:
    """Journal, once for each thing that is wrong, that the document of a claim is not what was filed; and refuse.

    :raises DomainError: EVIDENCE_CHANGED.
    """
    subject, wrong = f"result_claim:{claim.pk}", unlike_filed(claim.file, claim.digest)
    with one_transaction():
        known = JournalRecord.objects.filter(subject=subject, act="filed_file_changed", reason=wrong or "changed")
        if not known.exists():
            write_journal(
                at=clock.now(),
                actor=actor,
                act="filed_file_changed",
                subject=subject,
                reason=wrong or "changed",
                after={"digest": claim.digest},
            )
    logger.critical("The document of claim %s is not what was filed: %s", claim.pk, wrong)
    raise DomainError(
        Refusal.EVIDENCE_CHANGED,
        _("The document of claim %(number)s is not what was filed: it was changed in the store.")
        % {"number": claim.pk},
        number=claim.pk,
    )


def _checked() -> Iterator[tuple[str, str | None]]:
    """Yield the name of each filed file, and what is wrong with it."""
    for model, file, named in FILED:
        rows = model._default_manager.exclude(**{named: ""}).order_by("pk")
        for row in rows.iterator(chunk_size=200):
            yield f"{model._meta.label_lower}.{file} {row.pk}", unlike_filed(getattr(row, file), getattr(row, named))
