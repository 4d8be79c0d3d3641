"""Bank accounts and banks as they are written: IBAN and BIC, by the registries of every country."""

import re

from django.utils.translation import gettext_lazy as _
from schwifty import BIC, IBAN
from schwifty.exceptions import SchwiftyException

from totalizator.core.errors import DomainError, Refusal

_LIKE_IBAN = re.compile(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}")


def is_iban(text: str) -> bool:
    """Tell whether a text is a right IBAN."""
    return IBAN(text, allow_invalid=True).is_valid


def looks_like_wrong_iban(account: str) -> bool:
    """Tell whether an account, in capitals without spaces, is spelled as an IBAN and is none: no bank pays to it."""
    return bool(_LIKE_IBAN.fullmatch(account)) and not is_iban(account)


def spelled_iban(text: str, *, field: str) -> str:
    """Return an IBAN in capitals without spaces; :raises DomainError: BAD_VALUE for a wrong one."""
    try:
        return str(IBAN(text))
    except SchwiftyException as fault:
        raise DomainError(
            Refusal.BAD_VALUE, _("This is no bank account: check its digits (IBAN)."), field=field
        ) from fault


def spelled_bic(text: str, *, field: str) -> str:
    """Return a BIC in capitals without spaces; :raises DomainError: BAD_VALUE for a wrong one."""
    try:
        return str(BIC(text))
    except SchwiftyException as fault:
        raise DomainError(Refusal.BAD_VALUE, _("This is no bank: check its BIC."), field=field) from fault
