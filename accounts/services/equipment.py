"""Registering the examination certificates of tills and terminals (¶7)."""

from datetime import date

from django.utils.translation import gettext_lazy as _

from accounts.models import EquipmentCertificate, Terminal, Till, User
from accounts.services.staff import refuse_all_but_staff, written
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


def register_certificate(
    *, equipment: Till | Terminal, number: str, valid_from: date, valid_until: date, by: User
) -> EquipmentCertificate:
    """Register a certificate; from its first day on it is the one that counts, even if an older one lasts longer.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE without a number, or when it ends before it begins.
    """
    refuse_all_but_staff(by)
    number = written(number, field="number", most=60)
    if valid_until < valid_from:
        raise DomainError(Refusal.BAD_VALUE, _("It ends before it begins."), field="valid_until")
    with one_transaction():
        at = clock.now()
        certificate = EquipmentCertificate.objects.create(
            till=equipment if isinstance(equipment, Till) else None,
            terminal=equipment if isinstance(equipment, Terminal) else None,
            number=number,
            valid_from=valid_from,
            valid_until=valid_until,
            registered_by=by.actor,
            registered_at=at,
        )
        write_journal(
            at=at,
            actor=by.actor,
            act="register_certificate",
            subject=f"till:{equipment.pk}" if isinstance(equipment, Till) else equipment.actor,
            after={"number": number, "from": valid_from.isoformat(), "until": valid_until.isoformat()},
        )
    return certificate
