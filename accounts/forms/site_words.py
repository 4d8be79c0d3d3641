"""A password is none of the words that everybody here knows."""

from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from accounts.models import User

# Of the trade and of its products, as they are typed in both alphabets (docs/security.md).
WORDS = (
    "totalizator", "тотализатор", "таталізатар", "sportloto", "спортлото", "totolot", "тотолот", "jackpot", "джекпот",
    "organizer", "организатор", "cashier", "кассир", "commission", "комиссия", "regulator", "регулятор", "belarus",
    "беларусь", "minsk", "минск",
)  # fmt: skip
_LEAST_OTHER = 6
"""So many characters besides such words still make a password."""


class NoWordsOfTheSite:
    """Refuse a password that is such a word with a few signs around it."""

    def validate(self, password: str, user: User | None = None) -> None:  # noqa: ARG002
        """Accept the password; :raises ValidationError: when too little is left of it without the words."""
        left = password.casefold()
        for word in sorted((*WORDS, settings.OPERATOR_NAME.casefold()), key=len, reverse=True):
            left = left.replace(word, "")
        if left != password.casefold() and len(left) < _LEAST_OTHER:
            raise ValidationError(self.get_help_text(), code="password_of_the_site")

    def get_help_text(self) -> str:
        """Say what is expected."""
        return _("The password must be more than a word of this site with a few signs around it.")
