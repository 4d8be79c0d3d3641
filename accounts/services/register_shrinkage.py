"""A register that has shrunk: taken for a file cut short, until two people say that it is right (P2)."""

from datetime import datetime
from hashlib import sha256

from django.utils.translation import gettext_lazy as _

from accounts.models import RegisterImport, ShrunkenRegister, User
from accounts.services.staff import refuse_all_but_staff, refuse_same_person, written
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.legal import legal_numbers
from totalizator.core.transactions import one_transaction


def file_digest(text: str) -> str:
    """Return what a file of the register is known by: the file itself is personal data."""
    return f"sha256:{sha256(text.encode()).hexdigest()}"


def propose_shrunken(*, text: str, reason: str, proposed_by: User) -> ShrunkenRegister:
    """Say why this very file is the whole register although it lacks so much; another person approves.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE without a reason.
    """
    refuse_all_but_staff(proposed_by)
    reason = written(reason, field="reason")
    with one_transaction():
        at = clock.now()
        shrunken = ShrunkenRegister.objects.create(
            file_digest=file_digest(text), reason=reason, proposed_by=proposed_by, proposed_at=at
        )
        _journal("propose_shrunken_register", shrunken, proposed_by, at)
    return shrunken


def approve_shrunken(*, text: str, approved_by: User) -> ShrunkenRegister:
    """Approve that this very file is the whole register: it can be read now, until another one is read first.

    :raises DomainError: NOT_ALLOWED; NOT_FOUND when nobody has proposed it; SAME_PERSON; WRONG_STATE when it was done.
    """
    refuse_all_but_staff(approved_by)
    with one_transaction():
        at = clock.now()
        proposals = ShrunkenRegister.objects.select_for_update(no_key=True, of=("self",))
        shrunken = proposals.filter(file_digest=file_digest(text)).order_by("-pk").first()
        if shrunken is None:
            raise DomainError(Refusal.NOT_FOUND, _("Nobody has proposed this."), field="file")
        if shrunken.approved_at is not None:
            raise DomainError(Refusal.WRONG_STATE, _("This was approved before."), field="file")
        refuse_same_person(shrunken.proposed_by_id, approved_by)
        shrunken.approved_by, shrunken.approved_at = approved_by, at
        shrunken.save(update_fields=["approved_by", "approved_at"])
        _journal("approve_shrunken_register", shrunken, approved_by, at)
    return shrunken


def refuse_shrunken(
    digest: str, *, named: int, last: RegisterImport, leaving: int, standing: int, at: datetime
) -> None:
    """Refuse a file that names too few, or lets too many go, compared with the `last` one that was read.

    `named` is how many it names; `leaving` of `standing` restrictions without an end would be lifted by it.

    :raises DomainError: BAD_VALUE, unless two people have confirmed this file since the last one was read.
    """
    part = legal_numbers(at)["restricted_register_shrinkage"]
    if last.lines - named <= part * last.lines and leaving <= part * standing:
        return
    confirmed = ShrunkenRegister.objects.filter(file_digest=digest, approved_at__gt=last.imported_at)
    if not confirmed.exists():
        message = _(
            "Persons in the file: %(named)s, in the last one: %(before)s; to be let go: %(leaving)s."
            " If it is not cut short, two people must confirm it."
        )
        facts = {"named": named, "before": last.lines, "leaving": leaving}
        raise DomainError(Refusal.BAD_VALUE, message % facts, field="file", **facts)


def _journal(act: str, shrunken: ShrunkenRegister, by: User, at: datetime) -> None:
    write_journal(
        at=at,
        actor=by.actor,
        act=act,
        subject=f"shrunken_register:{shrunken.pk}",
        reason=shrunken.reason,
        after={"file": shrunken.file_digest},
    )
