"""Change records: nothing is put in service that two people have not approved with its evidence (R4)."""

import re

from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _

from accounts.models import ReleaseApproval, ReleaseChange, User
from accounts.services.staff import refuse_all_but_staff, refuse_same_person, written
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.models import Release
from totalizator.core.release_files import code_digest
from totalizator.core.releases import newest_release, register_release, release_on_disk
from totalizator.core.transactions import one_transaction

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_MOST = 4_000


def propose_change(*, code: str, notice: str, evidence: str, proposed_by: User) -> ReleaseChange:
    """Propose to put the code with this digest in service; nothing changes by it.

    :param code: what `python -m totalizator.core.release_files` prints of it
    :raises DomainError: NOT_ALLOWED; BAD_VALUE for what is no digest, and without notice or evidence.
    """
    refuse_all_but_staff(proposed_by)
    if not _DIGEST.fullmatch(code):
        raise DomainError(Refusal.BAD_VALUE, _("Give the digest as it was printed: sha256:…"), field="code")
    notice = written(notice, field="notice", most=_MOST)
    evidence = written(evidence, field="evidence", most=_MOST)
    with one_transaction():
        at = clock.now()
        change = ReleaseChange.objects.create(
            code=code, notice=notice, evidence=evidence, proposed_by=proposed_by, proposed_at=at
        )
        write_journal(
            at=at,
            actor=proposed_by.actor,
            act="propose_change",
            subject=f"change:{change.pk}",
            reason=notice,
            after={"code": code, "evidence": evidence},
        )
    return change


def approve_change(*, number: int, approved_by: User) -> ReleaseChange:
    """Approve a change record: one release of exactly its code may be registered by it.

    :raises DomainError: NOT_ALLOWED; NOT_FOUND; SAME_PERSON; WRONG_STATE when it was approved before.
    """
    refuse_all_but_staff(approved_by)
    change = _change(number)
    refuse_same_person(change.proposed_by_id, approved_by)
    with one_transaction():
        at = clock.now()
        try:
            with transaction.atomic():
                ReleaseApproval.objects.create(
                    change=change, proposed_by_id=change.proposed_by_id, approved_by=approved_by, approved_at=at
                )
        except IntegrityError as fault:
            raise DomainError(Refusal.WRONG_STATE, _("This change is approved already."), field="number") from fault
        write_journal(
            at=at,
            actor=approved_by.actor,
            act="approve_change",
            subject=f"change:{change.pk}",
            reason=change.notice,
            after={"code": change.code, "proposed_by": f"user:{change.proposed_by_id}"},
        )
    return change


def register_changed_release(*, number: int, registered_by: str) -> Release:
    """Register what lies on the disk by an approved change record; run again it returns the same release.

    :raises DomainError: NOT_FOUND; APPROVAL_NEEDED; WRONG_STATE when the record is of other code, or was used.
    """
    change = _change(number)
    approval = ReleaseApproval.objects.filter(change=change).first()
    if approval is None:
        raise DomainError(Refusal.APPROVAL_NEEDED, _("Another person must approve this change first."))
    found = release_on_disk()
    code = code_digest(found.files)
    if code != change.code:
        raise DomainError(Refusal.WRONG_STATE, _("The change is of other code than lies here: %s.") % code)
    used = Release.objects.filter(change_number=number).first()
    if used is not None and (used != newest_release() or used.digest != found.digest):
        raise DomainError(Refusal.WRONG_STATE, _("Another release was registered by this change."))
    text = f"{change.notice}\n\n{change.evidence}"
    return register_release(change=text, registered_by=registered_by, change_number=number)


def unapproved_release() -> list[str]:
    """Say that the newest release has no approved change record of its code, if it has none."""
    release = newest_release()
    if release is None:
        return []
    approved = ReleaseApproval.objects.filter(
        change_id=release.change_number, change__code=code_digest(release.files), approved_at__lte=release.registered_at
    )
    return [] if approved.exists() else [f"release {release.number} has no approved change record"]


def _change(number: int) -> ReleaseChange:
    change = ReleaseChange.objects.filter(pk=number).first()
    if change is None:
        raise DomainError(Refusal.NOT_FOUND, _("There is no such change record."), field="number")
    return change
