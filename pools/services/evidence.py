"""Filing the evidence of a result, and finding it again as it was filed (H4, X5)."""

from collections.abc import Collection, Sequence
from datetime import datetime
from hashlib import sha256

from django.core.files.base import ContentFile
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.services.staff import written
from pools.locks import find_pool, lock_pool
from pools.models import Evidence, Pool, PoolState, ResultEntry
from pools.queries.corrections import can_be_corrected
from pools.services.commission import only_member
from pools.services.conflicts import refuse_conflict
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.filed_files import content_as_filed, kind_of_scan, refuse_size
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction

_AFTER_CLOSING = (PoolState.CLOSED, PoolState.RESULTED)


def file_evidence(
    *,
    code: str,
    condition: str,
    source: str,
    address: str,
    captured_at: datetime,
    content: bytes,
    original_name: str,
    filed_by: User,
) -> Evidence:
    """File what one condition's result is known from, or with an empty `condition` the whole event's.

    `content` is a PDF, JPEG or PNG file, or a text in UTF-8, of at most 10 MiB.

    :raises DomainError: NOT_FOUND; NOT_ALLOWED for who is not of the pool's commission; CONFLICT; WRONG_STATE before
        the pool has closed, and once its settlement was corrected; BAD_VALUE.
    """
    source = written(source, field="source")
    if len(address) > 500:
        raise DomainError(Refusal.BAD_VALUE, _("The address is too long."), field="address")
    content_type, ending = _kind_of(content)
    name = sha256(content).hexdigest()
    with one_transaction():
        pool = lock_pool(code)
        only_member(pool, filed_by)
        refuse_conflict(pool, filed_by)
        if pool.state not in _AFTER_CLOSING and not can_be_corrected(pool):
            raise DomainError(Refusal.WRONG_STATE, _("Evidence is filed after closing, while a result can be entered."))
        at = clock.now()
        _refuse_impossible(pool, condition, captured_at, at)
        evidence = Evidence(
            pool=pool,
            condition=condition,
            source=source,
            address=address.strip(),
            captured_at=captured_at,
            original_name=original_name[-200:],
            content_type=content_type,
            size=len(content),
            digest=f"sha256:{name}",
            filed_by=filed_by,
            filed_at=at,
        )
        evidence.file.save(f"evidence/{pool.pk}/{name}.{ending}", ContentFile(content), save=False)
        evidence.save(force_insert=True)
        write_journal(
            at=at,
            actor=filed_by.actor,
            act="file_evidence",
            subject=f"pool:{code}",
            after={"number": evidence.pk, "condition": condition, "source": source, "digest": evidence.digest},
        )
    return evidence


def file_proposal(*, code: str, number: int, filed_by: User) -> Evidence:
    """File what a result feed said, with its very file, as evidence of the whole event (U2).

    :raises DomainError: as `file_evidence`; NOT_FOUND for a proposal of another pool.
    """
    proposal = find_pool(code).result_proposals.select_related("feed").filter(pk=number).first()
    if proposal is None:
        raise DomainError(Refusal.NOT_FOUND, _("There is no such proposal."), field="proposal")
    return file_evidence(
        code=code,
        condition="",
        source=proposal.feed.name,
        address=proposal.source,
        captured_at=proposal.captured_at,
        content=bytes(proposal.file),
        original_name=proposal.source,
        filed_by=filed_by,
    )


def read_evidence(evidence: Evidence) -> bytes:
    """Return the filed file.

    :raises DomainError: EVIDENCE_CHANGED when what is stored is not what was filed, or is gone.
    """
    try:
        content = content_as_filed(evidence.file, evidence.digest)
    except OSError:
        content = None
    if content is None:
        raise DomainError(
            Refusal.EVIDENCE_CHANGED,
            _("Evidence %(number)s is not what was filed: it was changed in the store.") % {"number": evidence.pk},
            number=evidence.pk,
        )
    return content


def named_evidence(pool: Pool, numbers: Collection[int] | None, conditions: Collection[str]) -> list[Evidence]:
    """Return the evidence that an entry names, all that is filed when it names none, if it covers `conditions`.

    :raises DomainError: BAD_VALUE for a number that is not of this pool; EVIDENCE_MISSING, naming the conditions.
    """
    filed = list(pool.evidence.order_by("pk"))
    named = [evidence for evidence in filed if numbers is None or evidence.pk in numbers]
    if numbers is not None and len(named) != len(set(numbers)):
        raise DomainError(Refusal.BAD_VALUE, _("There is no such evidence in this pool."), field="evidence")
    covered = {evidence.condition for evidence in named}
    missing = [] if "" in covered else [condition for condition in conditions if condition not in covered]
    if missing or not named:
        raise DomainError(
            Refusal.EVIDENCE_MISSING,
            _("No evidence is named for: %(conditions)s.") % {"conditions": ", ".join(missing) or _("the whole event")},
            field="evidence",
            conditions=missing,
        )
    return named


def evidence_of(pool: Pool, entries: Sequence[ResultEntry]) -> list[Evidence]:
    """Return what the entries are known from: the whole event's first, then by condition as announced."""
    numbers = {number for entry in entries for number in entry.evidence}
    places = {condition.code: place for place, condition in enumerate(pool.terms.conditions)}
    filed = pool.evidence.filter(pk__in=numbers)
    return sorted(filed, key=lambda evidence: (places.get(evidence.condition, -1), evidence.pk))


def _refuse_impossible(pool: Pool, condition: str, captured_at: datetime, at: datetime) -> None:
    if condition and condition not in {known.code for known in pool.terms.conditions}:
        raise DomainError(Refusal.BAD_VALUE, _("The pool has no such condition."), field="condition")
    if captured_at > at:
        raise DomainError(Refusal.BAD_VALUE, _("This is still to come."), field="captured_at")


def _kind_of(content: bytes) -> tuple[str, str]:
    refuse_size(content)
    scan = kind_of_scan(content)
    if scan is not None:
        return scan
    try:
        content.decode()
    except UnicodeDecodeError as fault:
        message = _("A PDF, JPEG or PNG file is wanted, or a text in UTF-8.")
        raise DomainError(Refusal.BAD_VALUE, message, field="file") from fault
    return "text/plain", "txt"
