"""Log-in names that nobody takes for another one's: one alphabet, and no look-alike of a known name (¶35.3)."""

import unicodedata

from django.db.models import F, Func, Value
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.models.users import CYRILLIC_LOOKS, LATIN_LOOKS
from totalizator.core.errors import DomainError, Refusal

_ALPHABETS = ("LATIN", "CYRILLIC")
_LOOKS = str.maketrans(CYRILLIC_LOOKS, LATIN_LOOKS)


def refuse_misleading_name(name: str) -> None:
    """Refuse a name of letters of two alphabets, of unusual forms of letters, or that looks like a known one.

    :raises DomainError: BAD_VALUE.
    """
    if unicodedata.normalize("NFKC", name) != name or len(_alphabets_of(name)) > 1 or "" in _alphabets_of(name):
        message = _("Write the name in Latin letters only, or in Cyrillic letters only.")
        raise DomainError(Refusal.BAD_VALUE, message, field="username")
    looks: Func = Func(Lower(F("username")), Value(CYRILLIC_LOOKS), Value(LATIN_LOOKS), function="translate")
    alike = User.objects.alias(looks=looks).filter(looks=name.lower().translate(_LOOKS))
    if alike.exists():
        raise DomainError(Refusal.BAD_VALUE, _("Somebody has this name, or one that looks like it."), field="username")


def _alphabets_of(name: str) -> set[str]:
    """Return the alphabets of the letters; an empty text stands for any other than the two."""
    letters = (unicodedata.name(sign, "") for sign in name if unicodedata.category(sign)[0] in "LM")
    return {next((alphabet for alphabet in _ALPHABETS if word.startswith(alphabet)), "") for word in letters}
