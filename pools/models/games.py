"""The four games of the rules (¶1, ¶22)."""

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class Game(TextChoices):
    """A game, by the name that its pools' terms carry."""

    SPORTLOTO_VARIANT = "sportloto-variant", _("Sportloto-Variant")
    SPORTLOTO_POSITION = "sportloto-position", _("Sportloto-Position")
    TOTOLOT_VARIANT = "totolot-variant", _("Totolot-Variant")
    TOTOLOT_POSITION = "totolot-position", _("Totolot-Position")


def jackpot_owner(game: str) -> str:
    """Return whose jackpot the game feeds and draws: `sportloto` (¶16) or `totolot` (¶37)."""
    return game.split("-", 1)[0]
