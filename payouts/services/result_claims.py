"""Claims against a published result: only with an official document, within ten days of the outcome (¶33)."""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from hashlib import sha256

from django.core.files.base import ContentFile
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.services.staff import refuse_all_but_staff, written
from payouts.models import ResultClaim, ResultClaimAnswer
from payouts.services.filed_checks import refuse_changed_document
from pools.locks import lock_pool
from pools.models import Pool
from pools.snapshots.result import newest_sealed_protocol
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.filed_files import content_as_filed, fits, only_scan
from totalizator.core.journal import write_journal
from totalizator.core.legal import legal_number_by_day
from totalizator.core.localtime import local_text
from totalizator.core.transactions import one_transaction
from totalizator.engine.deadlines import legal_day, start_of_legal_day


def claims_end(outcome_at: datetime) -> datetime:
    """Return when it is too late, exclusive: the end of the tenth legal day (a dated number) after the outcome's."""
    return claims_ends([outcome_at])[outcome_at]


def claims_ends(outcomes_at: Collection[datetime]) -> Mapping[datetime, datetime]:
    """Return `claims_end` of each of these instants, all in one question."""
    days = {at: legal_day(at) for at in outcomes_at}
    terms = legal_number_by_day("result_claim_days", set(days.values()))
    return {at: start_of_legal_day(day + timedelta(days=int(terms[day]) + 1)) for at, day in days.items()}


def file_result_claim(
    *, code: str, claimant: str, story: str, issuer: str, content: bytes, filed_by: User
) -> ResultClaim:
    """Enter a claim against a pool's published result; `content` is the official document: PDF, JPEG or PNG.

    :raises DomainError: NOT_ALLOWED; NOT_FOUND; BAD_VALUE, also without the document; WRONG_STATE before a result is
        published; TERM_EXPIRED, naming the last instant.
    """
    refuse_all_but_staff(filed_by)
    claimant, story = written(claimant, field="claimant", most=500), written(story, field="story", most=4_000)
    issuer = written(issuer, field="issuer")
    content_type, ending = _kind_of(content)
    name = sha256(content).hexdigest()
    with one_transaction():
        pool = lock_pool(code)
        at = clock.now()
        _refuse_untimely(pool, at)
        claim = ResultClaim(
            pool=pool,
            claimant=claimant,
            story=story,
            issuer=issuer,
            content_type=content_type,
            size=len(content),
            digest=f"sha256:{name}",
            filed_by=filed_by,
            filed_at=at,
        )
        claim.file.save(f"result-claims/{pool.pk}/{name}.{ending}", ContentFile(content), save=False)
        claim.save(force_insert=True)
        write_journal(
            at=at,
            actor=filed_by.actor,
            act="file_result_claim",
            subject=f"pool:{code}",
            after={"claim": claim.pk, "issuer": issuer, "digest": claim.digest},
        )
    return claim


def answer_result_claim(*, claim: ResultClaim, upheld: bool, words: str, answered_by: User) -> ResultClaimAnswer:
    """Answer a claim, once, by another person than the one who entered it; a result only the commission changes.

    :raises DomainError: NOT_ALLOWED; SAME_PERSON; BAD_VALUE without words; WRONG_STATE when it is answered.
    """
    refuse_all_but_staff(answered_by)
    words = written(words, field="words", most=4_000)
    if claim.filed_by_id == answered_by.pk:
        raise DomainError(Refusal.SAME_PERSON, _("Another person than the one who entered it must answer."))
    with one_transaction():
        lock_pool(claim.pool.code)
        if ResultClaimAnswer.objects.filter(claim=claim).exists():
            raise DomainError(Refusal.WRONG_STATE, _("This claim is answered."))
        at = clock.now()
        answer = ResultClaimAnswer.objects.create(
            claim=claim, upheld=upheld, words=words, answered_by=answered_by, answered_at=at
        )
        write_journal(
            at=at,
            actor=answered_by.actor,
            act="answer_result_claim",
            subject=f"pool:{claim.pool.code}",
            after={"claim": claim.pk, "upheld": upheld},
        )
    return answer


def read_claim_document(claim: ResultClaim, *, actor: str) -> bytes:
    """Return the filed document.

    :raises DomainError: EVIDENCE_CHANGED, which is journalled, when what is stored is not what was filed, or is gone.
    """
    try:
        content = content_as_filed(claim.file, claim.digest)
    except OSError:
        content = None
    if content is None:
        refuse_changed_document(claim, actor=actor)
    assert content is not None, "refused"
    return content


def _refuse_untimely(pool: Pool, at: datetime) -> None:
    protocol = newest_sealed_protocol(pool)
    if protocol is None or protocol.sealed_at is None:
        raise DomainError(Refusal.WRONG_STATE, _("No result is published yet."), state=pool.state)
    end = claims_end(protocol.sealed_at)
    if at >= end:
        message = _("Claims against a result are taken within ten days of the outcome, until %(end)s (¶33).")
        raise DomainError(Refusal.TERM_EXPIRED, message % {"end": local_text(end)}, until=end)


def _kind_of(content: bytes) -> tuple[str, str]:
    if not fits(content):
        message = _("A claim needs the official document: a file of at most 10 MB (¶33).")
        raise DomainError(Refusal.BAD_VALUE, message, field="file")
    return only_scan(content)
