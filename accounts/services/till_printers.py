"""The receipt printer of a till, where it has one: what is printed goes straight to it (docs/points.md)."""

import logging

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from accounts.models import Till
from totalizator.core.errors import DomainError, Refusal

logger = logging.getLogger(__name__)
_SCHEME, _PORT, _SECONDS = "tcp://", 9100, 5


def printer_of(till: Till) -> str:
    """Return where the till's printer is: `tcp://10.0.0.5:9100`, or a device's file; empty for none."""
    return str(settings.TILL_PRINTERS.get(str(till), ""))


def print_at(till: Till, content: bytes) -> None:
    """Send what is to be printed to the till's printer; nothing else is done by it.

    :raises DomainError: BUSY when the printer does not take it.
    """
    # It takes a second to load, and only tills with such a printer need it.
    from escpos.exceptions import Error
    from escpos.printer import File, Network

    where = printer_of(till)
    try:
        if where.startswith(_SCHEME):
            host, _colon, port = where.removeprefix(_SCHEME).partition(":")
            printer = Network(host, port=int(port or _PORT), timeout=_SECONDS)
        else:
            printer = File(where)
        printer.open()
        printer._raw(content)
        printer.close()
    except (Error, OSError, ValueError) as fault:
        logger.warning("The printer %s of till %s does not print: %s", where, till, fault)
        message = _("The till's printer does not answer. Look at its paper and its cable, then print again.")
        raise DomainError(Refusal.BUSY, message) from fault
