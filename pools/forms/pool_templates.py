"""Templates that a pool is begun from: for each game and mechanism terms that the law allows, without events (A1)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from pools.models import Game


@dataclass(frozen=True, slots=True)
class PoolTemplate:
    """What a pool of one kind is like; `shares` has the percentages of its levels, from all right down."""

    name: str
    game: Game
    title: str | Promise
    about: str | Promise
    events: int
    shares: tuple[int, ...]
    empty_level: str = "jackpot"

    def document(self) -> dict[str, Any]:
        """Return the terms document without a code, names, events, times and a commission."""
        sportloto = self.game.startswith("sportloto")
        return {
            "format": 1,
            "game": str(self.game),
            "price": {"line": 100} if sportloto else {"min": 100, "max": 1_000_000},
            "max_lines": 10_000,
            "fund": "7/10" if sportloto else "3/5",
            "levels": [
                {
                    "code": str(hits),
                    "from": f"{hits}/{self.events}",
                    "to": f"{hits}/{self.events}",
                    "share": f"{share}/100",
                }
                for hits, share in zip(range(self.events, 0, -1), self.shares, strict=False)
            ],
            "divide_by": "lines" if sportloto else "stakes",
            "empty_level": self.empty_level,
            "void_condition": "refund" if self.events == 1 else "all_match",
        }


_POSITION = _("Whoever has most conditions right wins, on several levels.")
_VARIANT = _("Only the right variant of one event wins; there is one level.")
TEMPLATES: Mapping[str, PoolTemplate] = {
    template.name: template
    for template in (
        PoolTemplate(
            "sportloto-15", Game.SPORTLOTO_POSITION, _("Sportloto-Position, 15 matches"), _POSITION, 15, (50, 25, 25)
        ),
        PoolTemplate(
            "sportloto-8", Game.SPORTLOTO_POSITION, _("Sportloto-Position, 8 matches"), _POSITION, 8, (70, 30)
        ),
        PoolTemplate("sportloto-variant", Game.SPORTLOTO_VARIANT, _("Sportloto-Variant"), _VARIANT, 1, (100,)),
        PoolTemplate(
            "totolot-15",
            Game.TOTOLOT_POSITION,
            _("Totolot-Position, 15 matches"),
            _POSITION,
            15,
            (50, 25, 25),
            "other_levels",
        ),
        PoolTemplate("totolot-variant", Game.TOTOLOT_VARIANT, _("Totolot-Variant"), _VARIANT, 1, (100,)),
    )
}
