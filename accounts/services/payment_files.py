"""Giving payment orders to the bank: each stands in one file; a file given out again is the same message (¶41-42)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.documents.pain001 import TransferFile, TransferLine, render_pain001
from accounts.locks import lock_own_account
from accounts.models import OwnBankAccount, PaymentFile, PaymentOrder, User
from accounts.queries.payment_orders import orders_to_export
from accounts.services.bank_addresses import is_iban, looks_like_wrong_iban
from accounts.services.payment_orders import note_exported
from accounts.services.staff import refuse_all_but_staff
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction
from totalizator.engine.deadlines import legal_day

_MOST_ORDERS = 5_000


@dataclass(frozen=True, slots=True)
class GivenFile:
    """A file for the bank. `left_out` are orders to accounts that cannot be right; they wait for other requisites."""

    file: PaymentFile
    content: bytes
    is_copy: bool
    left_out: Sequence[PaymentOrder] = ()

    @property
    def name(self) -> str:
        """What the file is called: a copy says so."""
        return f"{self.file.message_id}{'-copy' if self.is_copy else ''}.xml"


def export_payment_orders(*, account: OwnBankAccount, made_by: User) -> GivenFile:
    """Put the orders that nobody has exported into a file of our `account`, at most 5,000 at once.

    An order whose payee `made_by` wrote down by hand waits for another person; so does what goes by the post, whose
    account `made_by` entered.

    :raises DomainError: NOT_ALLOWED; NOTHING_TO_PAY when no order waits; SAME_PERSON when only such orders do; BUSY.
    """
    refuse_all_but_staff(made_by)
    with one_transaction():
        lock_own_account([account.iban])  # two exports never take the same order
        own = Q(requisites_by=made_by) | Q(post__entered_by=made_by)
        waiting = orders_to_export().exclude(own).select_related("withdrawal", "post")
        orders, left_out = _sorted(waiting[:_MOST_ORDERS])
        if not orders:
            if orders_to_export().filter(own).exists():
                raise DomainError(Refusal.SAME_PERSON, _("Another person must approve it."))
            raise DomainError(Refusal.NOTHING_TO_PAY, _("No payment order waits for the bank."))
        at = clock.now()
        made = TransferFile(
            message_id=f"TOT-{legal_day(at):%Y%m%d}-{PaymentFile.objects.count() + 1:06d}",
            made_at=at,
            execute_on=legal_day(at),
            holder=account.holder,
            iban=account.iban,
            bank=account.bank,
            lines=[_line(order) for order in orders],
        )
        content = render_pain001(made)
        file = PaymentFile.objects.create(
            message_id=made.message_id,
            account=account,
            orders=len(orders),
            total=made.total,
            digest="sha256:" + sha256(content).hexdigest(),
            content=content.decode(),
            made_at=at,
            made_by=made_by,
        )
        note_exported(orders=orders, file_digest=file.digest, actor=made_by.actor)
        _journal(file, "export_payment_orders", made_by)
    return GivenFile(file, content, is_copy=False, left_out=left_out)


def export_again(*, message_id: str, asked_by: User) -> GivenFile:
    """Return the file of a message once more, byte by byte: the bank knows it by its number and executes it once.

    :raises DomainError: NOT_ALLOWED; NOT_FOUND.
    """
    refuse_all_but_staff(asked_by)
    with one_transaction():
        file = PaymentFile.objects.filter(message_id=message_id).first()
        if file is None:
            raise DomainError(Refusal.NOT_FOUND, _("There is no such file."), field="message_id")
        content = file.content.encode()
        assert file.digest == "sha256:" + sha256(content).hexdigest(), "a file for the bank never changes"
        _journal(file, "copy_payment_file", asked_by)
    return GivenFile(file, content, is_copy=True)


def _sorted(waiting: Iterable[PaymentOrder]) -> tuple[list[PaymentOrder], list[PaymentOrder]]:
    """Tell apart what a bank can execute; an account that looks like an IBAN must be a right one."""
    orders: list[PaymentOrder] = []
    left_out: list[PaymentOrder] = []
    for order in waiting:
        wrong = looks_like_wrong_iban(order.payee_account)
        (left_out if wrong else orders).append(order)
    return orders, left_out


def _line(order: PaymentOrder) -> TransferLine:
    return TransferLine(
        number=order.number,
        amount=order.amount,
        payee_name=order.payee_name if order.post is None else order.post.name,
        payee_account=order.payee_account,
        is_iban=is_iban(order.payee_account),
        payee_bank=order.payee_bank,
        purpose=order.purpose,
        recipient=order.payee_name if order.post is not None else "",
        recipient_address=order.payee_address,
    )


def _journal(file: PaymentFile, act: str, by: User) -> None:
    after = {"orders": file.orders, "total": file.total, "digest": file.digest}
    write_journal(at=clock.now(), actor=by.actor, act=act, subject=f"payment_file:{file.message_id}", after=after)
