"""The official statement as people read it: where an empty level's money went, and why."""

from collections.abc import Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

WHY: Mapping[str, str | Promise] = {
    "empty": gettext_lazy("nobody won on the level"),
    "minimum": gettext_lazy("the winning would be under the minimum"),
    "maximum": gettext_lazy("the winning would be over the maximum"),
    "monotone": gettext_lazy("a higher level must not pay less"),
}


def levels_in_words(statement: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the statement's levels, each move of money with its goal and reason in words."""
    return [
        level
        | {"moves": [(move["amount"], _goal(move["to"]), WHY.get(move["why"], move["why"])) for move in level["moved"]]}
        for level in statement["levels"]
    ]


def _goal(to: str) -> str:
    if to == "jackpot":
        return _("to the jackpot")
    carried, _colon, level = to.rpartition(":")
    if carried:
        return _("to level %(level)s of the next pool") % {"level": level}
    return _("to level %(level)s") % {"level": to}
