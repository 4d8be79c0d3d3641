"""Change: what goes back of the cash that a customer gives (C4)."""

from django.utils.translation import gettext_lazy as _

from totalizator.core.errors import DomainError, Refusal
from totalizator.core.money import format_byn


def change_of(given: int | None, due: int) -> int | None:
    """Return the change of `given` kopecks for `due`; None where nobody said what was given.

    Ask it before money is posted: who gives too little has not paid.

    :raises DomainError: BAD_VALUE naming `given`, with what is `missing`.
    """
    if given is None:
        return None
    if given < due:
        message = _("%(missing)s are missing: nothing was sold.") % {"missing": format_byn(due - given)}
        raise DomainError(Refusal.BAD_VALUE, message, field="given", missing=due - given)
    return given - due
