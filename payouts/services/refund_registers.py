"""Making the register of a pool's refunds, on one snapshot of the database (L1)."""

from django.db import connection, transaction
from django.utils.translation import gettext_lazy as _

from payouts.documents.refund_register import WRITERS
from payouts.queries.refunds import RefundRegister, refund_register
from pools.locks import find_pool
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal


def make_refund_register(code: str) -> RefundRegister:
    """Return the register of a pool's refunds as it stands; a pool that returned nothing has no rows.

    :raises DomainError: NOT_FOUND.
    """
    outermost = not connection.in_atomic_block
    with transaction.atomic():
        if outermost:  # one snapshot, so that payments going on do not make the figures disagree
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        return refund_register(find_pool(code), at=clock.now())


def write_refund_register(register: RefundRegister, form: str) -> bytes:
    """Return the register's document; :raises DomainError: BAD_VALUE for any other form than `csv` and `json`."""
    if form not in WRITERS:
        raise DomainError(Refusal.BAD_VALUE, _("A register is written as csv or json."), field="form")
    return WRITERS[form](register)
