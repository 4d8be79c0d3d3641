"""Registering every key that the operator signs with, so that what it signed stays proved (X1, X6)."""

import base64
import logging

from pools.locks import lock_public_log
from pools.models import OperatorKey
from totalizator.core import clock, signing
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction

logger = logging.getLogger(__name__)


def register_operator_key() -> OperatorKey:
    """Register the key of the settings, if it is not known yet, and return it.

    Called with each line of the log, and by a job each minute. That a key follows another is a significant event. The
    public log's lock, which is taken last of all, keeps two from registering at once.
    """
    key_id = signing.operator_key_id()
    known = OperatorKey.objects.filter(pk=key_id).first()
    if known is not None:
        return known
    with one_transaction():
        lock_public_log()
        known = OperatorKey.objects.filter(pk=key_id).first()
        return known if known is not None else _register_first_use(key_id)


def _register_first_use(key_id: str) -> OperatorKey:
    at = clock.now()
    before = list(OperatorKey.objects.order_by("first_used_at", "key_id").values_list("key_id", flat=True))
    public = base64.b64encode(signing.operator_public_key()).decode()
    key = OperatorKey.objects.create(key_id=key_id, public=public, first_used_at=at)
    write_journal(
        at=at,
        actor="pools",
        act="change_operator_key" if before else "register_operator_key",
        subject=f"operator_key:{key_id}",
        before={"keys": before} if before else None,
        after={"public": public},
    )
    if before:
        logger.warning("The operator signs with another key from now on: %s", key_id)
    return key
