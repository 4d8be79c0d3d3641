"""Receipts of payments in cash: numbered once, printed again only as copies; printing moves no money (C59)."""

from datetime import datetime

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from accounts.documents.slip import SlipDrawer, render_slip
from accounts.models import NumberedDocument, NumberedKind, User
from accounts.services.document_numbers import facts_of, issue_document
from payouts.documents.receipt import ReceiptFacts, render_receipt
from payouts.models import PayableKind, Payment
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.localtime import local_text
from totalizator.core.transactions import one_transaction


def print_receipt(*, payment: Payment, asked_by: User, draw: SlipDrawer = render_slip) -> bytes:
    """Return the receipt of a payment, a PDF or as `draw` does it: the first time the receipt itself.

    After that it is a copy with the same number, and the journal says who printed it.

    :raises DomainError: NOT_FOUND for what was not paid in cash; BUSY.
    """
    if payment.till is None:
        raise DomainError(Refusal.NOT_FOUND, _("A receipt is only of a payment in cash."), field="ticket")
    subject = f"bet:{payment.ticket}:{payment.kind}"
    with one_transaction():
        receipt, is_new = issue_document(
            kind=NumberedKind.RECEIPT, subject=subject, facts=_facts(payment), actor=asked_by.actor
        )
        write_journal(
            at=clock.now(),
            actor=asked_by.actor,
            act="print_receipt" if is_new else "reprint",
            subject=f"bet:{payment.ticket}",
            after={"receipt": str(receipt)},
        )
    return render_receipt(_drawn(receipt, copy=not is_new), draw)


def _facts(payment: Payment) -> dict[str, object]:
    assert payment.till is not None
    assert payment.paid_by is not None, "cash is paid by a cashier"
    point = payment.till.point
    return {
        "operator": settings.OPERATOR_NAME,
        "ticket": payment.ticket,
        "kind": str(payment.kind),
        "gross": payment.gross,
        "tax": payment.tax,
        "rounded": payment.rounded,
        "paid_at": payment.paid_at.isoformat(),
        "zone": point.time_zone,
        "place": f"{point.name}, {payment.till}",
        "cashier": payment.paid_by.get_full_name() or payment.paid_by.username,
    }


def _drawn(receipt: NumberedDocument, *, copy: bool) -> ReceiptFacts:
    facts = facts_of(receipt)
    paid_at = datetime.fromisoformat(facts["paid_at"])
    return ReceiptFacts(
        operator=facts["operator"],
        number=str(receipt),
        ticket=facts["ticket"],
        what=str(PayableKind(facts["kind"]).label).capitalize(),
        gross=facts["gross"],
        tax=facts["tax"],
        rounded=facts["rounded"],
        paid=local_text(paid_at, facts["zone"], with_seconds=True),
        place=facts["place"],
        cashier=facts["cashier"],
        digest=receipt.digest,
        copy=copy,
    )
