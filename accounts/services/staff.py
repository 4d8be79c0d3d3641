"""Acts that only the organizer's staff may do."""

import unicodedata

from django.utils.translation import gettext_lazy as _

from accounts.models import Role, User
from totalizator.core.errors import DomainError, Refusal


def refuse_all_but_staff(actor: User) -> None:
    """Refuse everybody who is not of the organizer's staff.

    :raises DomainError: NOT_ALLOWED.
    """
    if actor.role != Role.ORGANIZER:
        raise DomainError(Refusal.NOT_ALLOWED, _("Only the organizer's staff can do this."))


def refuse_same_person(begun_by: int | None, approver: User) -> None:
    """Refuse who approves what was proposed or prepared by the same person, named by the key of their log-in (R1).

    :raises DomainError: SAME_PERSON.
    """
    if begun_by == approver.pk:
        raise DomainError(Refusal.SAME_PERSON, _("Another person must approve it."))


def written(text: str, *, field: str, most: int = 200) -> str:
    """Return `text` without spaces around it.

    :raises DomainError: BAD_VALUE naming `field`, when nothing is left, it is too long or has control characters.
    """
    text = text.strip()
    if any(unicodedata.category(letter) in ("Cc", "Cs") and letter not in "\n\r\t" for letter in text):
        raise DomainError(Refusal.BAD_VALUE, _("Write text without control characters."), field=field)
    if not 0 < len(text) <= most:
        message = _("Write something, in %(most)s characters at most.") % {"most": most}
        raise DomainError(Refusal.BAD_VALUE, message, field=field)
    return text
