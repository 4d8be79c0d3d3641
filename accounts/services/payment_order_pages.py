"""Payment orders on paper: the page of an order that is exported, or that the bank takes by hand (¶41-42)."""

from django.conf import settings
from django.utils.translation import gettext as _

from accounts.documents.payment_order import OrderFacts, render_payment_order
from accounts.models import OrderState, OwnBankAccount, PaymentOrder, User
from accounts.services.staff import refuse_all_but_staff
from accounts.services.statements import software_version
from totalizator.core import clock
from totalizator.core.journal import write_journal
from totalizator.core.localtime import local_text
from totalizator.engine.deadlines import legal_day


def payment_order_page(*, order: PaymentOrder, account: OwnBankAccount, asked_by: User) -> bytes:
    """Return the order's page as a PDF in the language that is active: same state, same bytes; paid from `account`.

    It names a person, so that the journal says who asked for it.

    :raises DomainError: NOT_ALLOWED.
    """
    refuse_all_but_staff(asked_by)
    write_journal(at=clock.now(), actor=asked_by.actor, act="print_order", subject=f"payment_order:{order.pk}")
    return render_payment_order(
        OrderFacts(
            operator=settings.OPERATOR_NAME,
            number=order.number,
            day=f"{legal_day(order.drawn_up_at):%d.%m.%Y}",
            amount=order.amount,
            payer=account.holder,
            payer_account=account.iban,
            payer_bank=account.bank,
            payee=order.payee_name if order.post is None else order.post.name,
            payee_account=order.payee_account,
            payee_bank=order.payee_bank,
            purpose=order.purpose,
            state=f"{OrderState(order.state).label}, {local_text(order.moved_at)}",
            made=_("Drawn up %(time)s, Minsk time") % {"time": local_text(order.drawn_up_at)},
            version=software_version(),
            recipient=order.payee_name if order.post is not None else "",
            recipient_address=order.payee_address,
        )
    )
