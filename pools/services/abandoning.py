"""Giving up a correcting protocol that nobody seals, so that paying goes on: proposed by one, approved by another (H5).

The commission may draw up another one; that this one was given up stands in the public log.
"""

from datetime import datetime

from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.services.staff import refuse_all_but_staff, refuse_same_person, written
from pools.locks import lock_pool
from pools.models import AbandonedCorrection, AbandonmentProposal, LogKind, Pool, Protocol
from pools.queries.corrections import unsealed_correction
from pools.services.protocols import document_digest
from pools.services.public_log import append_to_log
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction
from totalizator.engine.canonical import canonical_json
from totalizator.engine.instants import instant_text


def propose_abandonment(*, code: str, reason: str, proposed_by: User) -> AbandonmentProposal:
    """Propose to give up the correcting protocol that is being signed; it can be signed until another approves.

    :raises DomainError: NOT_ALLOWED; NOT_FOUND; BAD_VALUE without a reason; WRONG_STATE unless one is being signed.
    """
    refuse_all_but_staff(proposed_by)
    reason = written(reason, field="reason", most=500)
    with one_transaction():
        pool = lock_pool(code)
        protocol = _being_signed(pool)
        at = clock.now()
        proposal = AbandonmentProposal.objects.create(
            pool=pool, version=protocol.version, reason=reason, proposed_by=proposed_by, proposed_at=at
        )
        write_journal(
            at=at,
            actor=proposed_by.actor,
            act="propose_abandonment",
            subject=f"protocol:{protocol.number}",
            reason=reason,
            after={"number": proposal.pk},
        )
    return proposal


def approve_abandonment(*, proposal: AbandonmentProposal, approved_by: User) -> AbandonedCorrection:
    """Give the protocol up as proposed: nobody signs it any more, and what is owed by the settlement is paid again.

    :raises DomainError: NOT_ALLOWED; SAME_PERSON; WRONG_STATE when a later proposal stands, or the protocol is sealed,
        given up, or followed by another version meanwhile.
    """
    refuse_all_but_staff(approved_by)
    refuse_same_person(proposal.proposed_by_id, approved_by)
    with one_transaction():
        pool = lock_pool(proposal.pool.code)
        protocol = _being_signed(pool)
        if AbandonmentProposal.objects.filter(pool=pool, version=protocol.version).last() != proposal:
            raise DomainError(Refusal.WRONG_STATE, _("Another proposal has been made meanwhile; read it first."))
        at = clock.now()
        abandoned = AbandonedCorrection.objects.create(
            pool=pool,
            version=protocol.version,
            proposal=proposal,
            document_text=_published(pool, protocol, at),
            proposed_by_id=proposal.proposed_by_id,
            approved_by=approved_by,
            abandoned_at=at,
        )
        write_journal(
            at=at,
            actor=approved_by.actor,
            act="approve_abandonment",
            subject=f"protocol:{protocol.number}",
            reason=proposal.reason,
            after={"proposed_by": f"user:{proposal.proposed_by_id}", "document": document_digest(protocol)},
        )
        append_to_log(
            kind=LogKind.CORRECTION, subject=protocol.number, document=abandoned.document_text.encode(), at=at
        )
    return abandoned


def _being_signed(pool: Pool) -> Protocol:
    protocol = unsealed_correction(pool)
    if protocol is None:
        raise DomainError(Refusal.WRONG_STATE, _("No correcting protocol of this pool is being signed."), field="pool")
    return protocol


def _published(pool: Pool, protocol: Protocol, at: datetime) -> str:
    """Write what anyone may know: which document is given up, and when."""
    document = {
        "format": 1,
        "pool": pool.code,
        "protocol": protocol.number,
        "document": document_digest(protocol),
        "given_up_at": instant_text(at),
    }
    return canonical_json(document).decode()
