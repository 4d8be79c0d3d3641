"""Drawing up who was withheld how much tax: the register for the organizer, the certificate for the person (K5)."""

from datetime import date

from django.conf import settings
from django.utils.translation import gettext as _

from accounts.models import Identity, Person, User
from accounts.services.staff import refuse_all_but_staff
from accounts.services.statements import software_version
from payouts.documents.tax_certificate import TaxCertificate, TaxedRow
from payouts.models import PaymentMethod, Recipient
from payouts.queries.tax_register import TaxRegister, tax_register, taxed_payments
from totalizator.core import clock
from totalizator.core.csv_text import csv_bytes
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.localtime import YEARS, local_text
from totalizator.core.transactions import one_transaction


def draw_up_certificate(*, person: Person, year: int, asked_by: User) -> TaxCertificate:
    """Return a person's certificate of a calendar year, in the language that is active; the journal notes who asked.

    :raises DomainError: NOT_ALLOWED for who is neither that person nor staff; NOT_FOUND when nothing was paid to this
        person in that year, or nobody has told the name.
    """
    if person.player_id != asked_by.pk:
        refuse_all_but_staff(asked_by)
    paid = taxed_payments(person.pk, year) if year in YEARS else []
    named = _named(person)
    if not paid or named is None:
        raise DomainError(Refusal.NOT_FOUND, _("No winning was paid to this person in that year."), field="year")
    with one_transaction():
        at = clock.now()
        write_journal(
            at=at,
            actor=asked_by.actor,
            act="draw_up_tax_certificate",
            subject=person.subject,
            after={"year": year, "payments": len(paid), "tax": sum(payment.tax for payment in paid)},
        )
    rows = [
        TaxedRow(
            paid=local_text(payment.paid_at),
            ticket=payment.ticket,
            how=str(PaymentMethod(payment.method).label),
            gross=payment.gross,
            tax=payment.tax,
            net=payment.net,
        )
        for payment in paid
    ]
    return TaxCertificate(
        operator=settings.OPERATOR_NAME,
        year=year,
        number=f"{year}/{person.pk}",
        full_name=named.full_name,
        identity_number=named.identity_number,
        rows=rows,
        made=_("Made %(time)s, Minsk time") % {"time": local_text(at)},
        version=software_version(),
    )


def draw_up_register(*, first: date, last: date, asked_by: User) -> TaxRegister:
    """Return the register of a period; the journal notes who looked.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE when the period ends before it begins.
    """
    refuse_all_but_staff(asked_by)
    if last < first:
        raise DomainError(Refusal.BAD_VALUE, _("The last day is before the first."), field="last")
    register = tax_register(first, last)
    with one_transaction():
        write_journal(
            at=clock.now(),
            actor=asked_by.actor,
            act="draw_up_tax_register",
            subject="tax",
            after={"first": first.isoformat(), "last": last.isoformat(), "withheld": register.withheld},
        )
    return register


def register_csv(register: TaxRegister) -> bytes:
    """Return the register with names as CSV, in the language that is active; the last two rows are the totals."""
    heading = [_("Person"), _("Name"), _("Identity number"), _("Payments"), _("Winnings"), _("Tax withheld"), _("Net")]
    rows: list[list[str | int]] = [[*heading]]
    people = Person.objects.in_bulk([line.person_id for line in register.lines if line.person_id is not None])
    for line in register.lines:
        person = people.get(line.person_id) if line.person_id is not None else None
        named = _named(person) if person is not None else None
        who = [str(line.person_id), *((named.full_name, named.identity_number) if named is not None else ("", ""))]
        if person is None:
            who = ["", _("who did not tell their names"), ""]
        rows.append([*who, str(line.payments), line.gross, line.tax, line.net])
    rows.append(["", _("In all"), "", "", "", register.withheld, ""])
    rows.append(["", _("By the ledger"), "", "", "", register.ledger, ""])
    return csv_bytes(rows)


def _named(person: Person) -> Identity | Recipient | None:
    """Return where the person's name is kept: of the account, once it is seen by staff, or of the desk."""
    verified = Identity.objects.filter(person=person, person__verification__isnull=False).first()
    return verified or Recipient.objects.filter(person=person).first()
