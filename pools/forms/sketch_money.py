"""The step of a new pool that is about money: price, fund, levels, guarantees, limits (A1, A2)."""

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.forms.amounts import AmountField
from pools.forms.percents import PercentField, percent_text
from totalizator.engine.law import TOTOLOT_FUND

LEVELS = 6
FIRST = ("line_price", "deduction", "least", "most")
_HITS = re.compile(r"(\d{1,3})(?:\s*[-–]\s*(\d{1,3}))?")
EMPTY_OF_TOTOLOT = [
    ("jackpot", _("to the jackpot")),
    ("other_levels", _("to the other levels (Totolot)")),
    ("next_lower", _("to the next lower level (Totolot)")),
    ("next_higher", _("to the next higher level (Totolot)")),
]
VOID = [
    ("refund", _("return the whole pool")),
    ("all_match", _("every outcome is right")),
    ("exclude", _("leave it out")),
]


def _amount(label: object, help_text: object = "", *, required: bool = False) -> AmountField:
    widget = forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"})
    return AmountField(label=label, help_text=help_text, required=required, max_length=20, widget=widget)  # type: ignore[arg-type]


class MoneyForm(forms.Form):
    """What a line or a bet costs, what of it is won, and how that is shared; the game decides what is asked."""

    def __init__(self, *args: Any, game: str, events: int | None = None, **options: Any) -> None:
        """Ask what the game asks; `events`: how many the pool has, None while nobody has said."""
        super().__init__(*args, **options)
        self.events = events
        self.sportloto, self.variant = game.startswith("sportloto"), game.endswith("variant")
        asked: dict[str, forms.Field] = {}
        if self.sportloto:
            asked["line_price"] = _amount(_("Price of a line, BYN"), required=True)
            asked["deduction"] = PercentField(
                label=_("Deduction, %"), help_text=_("Of the turnover, at most 30; the rest is the winning fund (¶4).")
            )
        else:
            asked["least"] = _amount(_("Least stake, BYN"), required=True)
            asked["most"] = _amount(_("Greatest stake, BYN"), required=True)
        if not self.variant:
            for number in range(1, LEVELS + 1):
                asked[f"hits_{number}"] = forms.CharField(
                    label=_("Right events, row %(number)s") % {"number": number}, required=False, max_length=9
                )
                asked[f"share_{number}"] = PercentField(
                    label=_("Share, row %(number)s, %%") % {"number": number}, required=False
                )
                asked[f"guarantee_{number}"] = _amount(_("Guarantee, row %(number)s, BYN") % {"number": number})
            asked["void_condition"] = forms.ChoiceField(label=_("A condition does not take place"), choices=VOID)
            asked["min_valid"] = forms.IntegerField(
                label=_("Valid events needed, at least"),
                min_value=1,
                max_value=200,
                widget=forms.NumberInput(attrs={"class": "short"}),
                help_text=_("With fewer every stake is returned."),
            )
        else:
            asked["guarantee"] = _amount(_("Guaranteed fund, BYN"), _("The organizer makes up what is missing of it."))
        if not self.sportloto and not self.variant:
            asked["empty_level"] = forms.ChoiceField(label=_("Nobody won on a level"), choices=EMPTY_OF_TOTOLOT)
        if self.sportloto:
            asked["max_dividend"] = _amount(
                _("Maximum winning of a line, BYN"), _("What is above it goes to the jackpot (¶6).")
            )
            asked["min_dividend"] = _amount(
                _("Minimum winning of a line, BYN"), _("The organizer makes up what is missing of it (¶6).")
            )
        asked["min_turnover"] = _amount(_("Least turnover, BYN"), _("With less the pool is returned."))
        asked["max_lines"] = forms.IntegerField(
            label=_("Lines of one coupon, at most"),
            min_value=1,
            max_value=1_000_000,
            widget=forms.NumberInput(attrs={"class": "short"}),
        )
        asked["draws_jackpot"] = forms.BooleanField(
            label=_("This pool draws the whole jackpot on its highest level"), required=False
        )
        self.fields.update(asked)

    @property
    def level_rows(self) -> list[tuple[Any, Any, Any]]:
        """The fields of the levels, a row for each."""
        if self.variant:
            return []
        return [
            (self[f"hits_{number}"], self[f"share_{number}"], self[f"guarantee_{number}"])
            for number in range(1, LEVELS + 1)
        ]

    @property
    def first(self) -> list[Any]:
        """The fields above the levels: what a line or a bet costs, and what of it is won."""
        return [field for field in self if field.name in FIRST]

    @property
    def others(self) -> list[Any]:
        """The fields below the levels."""
        rows = {field.name for row in self.level_rows for field in row}
        return [field for field in self if field.name not in rows and field.name not in FIRST]

    def clean(self) -> dict[str, Any]:
        """Read the levels: none asks for more than the events there are, the shares are exactly 100 % (A2)."""
        cleaned = super().clean() or self.cleaned_data
        if self.variant:
            cleaned["levels"] = [(1, 1, Fraction(1), cleaned.get("guarantee"))]
            return cleaned
        levels = [level for number in range(1, LEVELS + 1) if (level := self._level(number, cleaned)) is not None]
        cleaned["levels"] = levels
        if any(name.startswith(("hits_", "share_")) for name in self.errors):
            return cleaned
        if not levels:
            self.add_error("hits_1", _("Give at least one level."))
        elif (total := sum((level[2] for level in levels), Fraction(0))) != 1:
            message = _("The shares add up to %(total)s %%; they must add up to exactly 100 %%.")
            self.add_error("share_1", message % {"total": percent_text(total)})
        return cleaned

    def _level(self, number: int, cleaned: dict[str, Any]) -> tuple[int, int, Fraction, int | None] | None:
        hits, share = str(cleaned.get(f"hits_{number}") or "").strip(), cleaned.get(f"share_{number}")
        guarantee = cleaned.get(f"guarantee_{number}")
        if not hits and share is None and guarantee is None:
            return None
        found = _HITS.fullmatch(hits) if hits.isascii() or "–" in hits else None
        if found is None:
            self.add_error(f"hits_{number}", _("Give how many are right: 13, or 8-10."))
            return None
        if share is None:
            if f"share_{number}" not in self.errors:
                self.add_error(f"share_{number}", _("Give the share of this level."))
            return None
        least = int(found.group(1))
        most = int(found.group(2) or least)
        if least > most:
            self.add_error(f"hits_{number}", _("Give how many are right: 13, or 8-10."))
        elif self.events is not None and most > self.events:
            message = _("Level %(level)s: the pool has %(events)s events.")
            self.add_error(f"hits_{number}", message % {"level": _code(least, most), "events": self.events})
        return least, most, share, guarantee

    def document(self, events: int, base: dict[str, Any]) -> dict[str, Any]:
        """Return the part of the terms document that this step decides, for so many events."""
        given, levels = self.cleaned_data, self.cleaned_data["levels"]
        part: dict[str, Any] = {
            "price": {"line": given["line_price"]} if self.sportloto else {"min": given["least"], "max": given["most"]},
            "fund": str(1 - given["deduction"]) if self.sportloto else str(TOTOLOT_FUND),
            "levels": [
                {
                    "code": _code(least, most),
                    "from": str(Fraction(least, events)),
                    "to": str(Fraction(most, events)),
                    "share": str(share),
                }
                for least, most, share, _guarantee in levels
            ],
            "guarantee": {_code(least, most): amount for least, most, _share, amount in levels if amount},
            "empty_level": given.get("empty_level", "jackpot"),
            "void_condition": given.get("void_condition", "refund"),
            "min_valid_conditions": given.get("min_valid", 1),
            "min_turnover": given["min_turnover"] or 0,
            "max_lines": given["max_lines"],
            "max_dividend": _limit(given.get("max_dividend"), "above", "jackpot"),
            "min_dividend": _limit(given.get("min_dividend"), "below", "top_up"),
            "jackpot": None,
        }
        if given["draws_jackpot"]:
            top = max(levels, key=lambda level: level[1])
            share = (base.get("jackpot") or {}).get("share", "1")
            part["jackpot"] = {"level": _code(top[0], top[1]), "share": share}
        return part


def _code(least: int, most: int) -> str:
    return str(most) if least == most else f"{least}-{most}"


def _limit(amount: int | None, word: str, beyond: str) -> dict[str, Any] | None:
    return {"amount": amount, word: beyond} if amount else None


def level_texts(levels: Sequence[tuple[str, Fraction, int | None]], plain: Any) -> dict[str, list[str]]:
    """Write levels (hits, share, guarantee) as their fields have them."""
    typed: dict[str, list[str]] = {}
    for number, (hits, share, guarantee) in enumerate(levels[:LEVELS], 1):
        typed[f"hits_{number}"], typed[f"share_{number}"] = [hits], [percent_text(share)]
        if guarantee:
            typed[f"guarantee_{number}"] = [plain(guarantee)]
    return typed
