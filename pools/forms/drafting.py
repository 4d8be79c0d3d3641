"""Drafting a pool: from a whole terms document, or from a list of matches and a few fields (A1)."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from accounts.forms.amounts import AmountField
from pools.forms.local_time import LocalDateTimeField
from pools.models import CommissionKey, Game
from totalizator.core.engine_words import explain
from totalizator.core.errors import DomainError
from totalizator.core.problem import told
from totalizator.engine.canonical import parse_json
from totalizator.engine.errors import EngineError


class TermsDocumentForm(forms.Form):
    """A terms.json document, as it will be published."""

    document = forms.CharField(
        label=_("Terms document"),
        widget=forms.Textarea(attrs={"rows": 30, "spellcheck": "false"}),
        help_text=_("JSON. Money in kopecks, shares as fractions, times in UTC."),
        max_length=1_000_000,
    )

    def clean_document(self) -> dict[str, Any]:
        """Read the JSON strictly."""
        try:
            document = parse_json(self.cleaned_data["document"].encode(), where="terms.json")
        except EngineError as fault:
            raise ValidationError(explain(fault)) from fault
        if not isinstance(document, dict):
            raise ValidationError(_("A terms document is one JSON object."))
        return document


class RoundForm(forms.Form):
    """A round of matches and a few fields; everything else takes what the law or the rules say."""

    game = forms.ChoiceField(label=_("Game"), choices=Game.choices)
    code = forms.CharField(
        label=_("Code of the pool"), max_length=20, help_text=_("Such as 2411-1; stands on every ticket.")
    )
    name = forms.CharField(
        label=_("Name"), max_length=200, help_text=_("In Russian; Belarusian and English after semicolons.")
    )
    opens_at = LocalDateTimeField(label=_("Opens at"))
    closes_at = LocalDateTimeField(label=_("Closes at"), help_text=_("At this instant itself no bet is taken."))
    match_lines = forms.CharField(
        label=_("Conditions"),
        widget=forms.Textarea(attrs={"rows": 15}),
        help_text=_("One a line, such as a match; its names in Belarusian and English after semicolons."),
    )
    outcomes = forms.CharField(
        label=_("Outcomes of each condition"), initial="1 X 2", help_text=_("Codes with spaces between.")
    )
    line_price = AmountField(label=_("Price of a line, BYN (Sportloto)"), required=False)
    least = AmountField(label=_("Least stake, BYN (Totolot)"), required=False)
    most = AmountField(label=_("Greatest stake, BYN (Totolot)"), required=False)
    fund = forms.CharField(
        label=_("Winning fund"), initial="7/10", help_text=_("Share of the turnover: Sportloto from 7/10, Totolot 3/5.")
    )
    levels = forms.CharField(
        label=_("Levels"),
        widget=forms.Textarea(attrs={"rows": 4}),
        initial="15 1/2\n14 1/4\n13 1/4",
        help_text=_("One a line: right conditions (13 or 8-10) and the share of the fund; shares add up to 1."),
    )
    empty_level = forms.ChoiceField(
        label=_("Nobody won on a level"),
        choices=[
            ("jackpot", _("to the jackpot")),
            ("other_levels", _("to the other levels (Totolot)")),
            ("next_lower", _("to the next lower level (Totolot)")),
            ("next_higher", _("to the next higher level (Totolot)")),
        ],
    )
    void_condition = forms.ChoiceField(
        label=_("A condition does not take place"),
        choices=[
            ("refund", _("return the whole pool")),
            ("all_match", _("every outcome is right")),
            ("exclude", _("leave it out")),
        ],
    )
    max_lines = forms.IntegerField(label=_("Lines of one coupon, at most"), initial=10_000, min_value=1)
    need = forms.IntegerField(label=_("Signatures needed"), initial=2, min_value=2)
    draws_jackpot = forms.BooleanField(
        label=_("This pool draws the whole jackpot on its highest level"), required=False
    )

    def __init__(self, *args: Any, rules_version: str, **options: Any) -> None:
        super().__init__(*args, **options)
        self.rules_version = rules_version
        keys = (
            CommissionKey.objects.filter(revoked_at__isnull=True).select_related("member").order_by("member__username")
        )
        offered = [(key.key_id, f"{key.member.get_full_name() or key.member.username}, {key.key_id}") for key in keys]
        self.fields["members"] = forms.MultipleChoiceField(
            label=_("Commission"), choices=offered, widget=forms.CheckboxSelectMultiple
        )
        self.order_fields(
            ["game", "code", "name", "opens_at", "closes_at", "match_lines", "outcomes", "members", "need"]
        )

    def clean(self) -> dict[str, Any]:
        """Ask for the price that the game needs."""
        cleaned = super().clean() or self.cleaned_data
        sportloto = str(cleaned.get("game", "")).startswith("sportloto")
        for name in ("line_price",) if sportloto else ("least", "most"):
            if cleaned.get(name) is None and name not in self.errors:
                self.add_error(name, _("This game needs it."))
        return cleaned

    def clean_levels(self) -> list[tuple[int, int, str]]:
        """Read `13 1/4` and `8-10 1/4` lines as (from, to, share)."""
        return list(_levels(self.cleaned_data["levels"]))

    def add_refusal(self, refusal: DomainError) -> None:
        """Put a refusal of the whole document beside the field that a person can change, by that field's name."""
        field, fault = _field_at_fault(refusal.field or ""), refusal.__cause__
        if field is not None and isinstance(fault, EngineError):
            self.add_error(field, explain(fault, called=str(self.fields[field].label)))
        else:
            self.add_error(field, told(refusal))

    def document(self) -> dict[str, Any]:
        """Return the terms document that the fields make."""
        given = self.cleaned_data
        conditions = [line for line in given["match_lines"].splitlines() if line.strip()]
        sportloto = given["game"].startswith("sportloto")
        document = {
            "format": 1,
            "game": given["game"],
            "pool": {"code": given["code"], "name": _names(given["name"])},
            "opens_at": given["opens_at"].strftime("%Y-%m-%dT%H:%M:%SZ"),
            "closes_at": given["closes_at"].strftime("%Y-%m-%dT%H:%M:%SZ"),
            "rules_version": self.rules_version,
            "price": {"line": given["line_price"]} if sportloto else {"min": given["least"], "max": given["most"]},
            "max_lines": given["max_lines"],
            "conditions": [
                {
                    "code": str(number),
                    "name": _names(line),
                    "outcomes": [{"code": code} for code in given["outcomes"].split()],
                }
                for number, line in enumerate(conditions, 1)
            ],
            "fund": given["fund"].strip(),
            "levels": self._level_documents(len(conditions)),
            "divide_by": "lines" if sportloto else "stakes",
            "empty_level": given["empty_level"],
            "void_condition": given["void_condition"],
            "quorum": {"members": given["members"], "need": given["need"]},
        }
        if given["draws_jackpot"]:
            document["jackpot"] = {"level": str(max(level[1] for level in given["levels"])), "share": "1"}
        return document

    def _level_documents(self, count: int) -> list[dict[str, str]]:
        return [
            {
                "code": str(most) if least == most else f"{least}-{most}",
                "from": str(Fraction(least, count)) if count else "0",
                "to": str(Fraction(most, count)) if count else "0",
                "share": share,
            }
            for least, most, share in self.cleaned_data["levels"]
        ]


# Where the engine says a fault is → the field of the form that a person can change.
_FIELDS = (
    ("pool.code", "code"),
    ("pool.name", "name"),
    ("opens_at", "opens_at"),
    ("closes_at", "closes_at"),
    ("price.min", "least"),
    ("price.max", "most"),
    ("price", "line_price"),
    ("conditions", "match_lines"),
    ("levels", "levels"),
    ("fund", "fund"),
    ("empty", "empty_level"),
    ("void_condition", "void_condition"),
    ("max_lines", "max_lines"),
    ("quorum.need", "need"),
    ("quorum", "members"),
    ("jackpot", "draws_jackpot"),
    ("game", "game"),
)


def _field_at_fault(where: str) -> str | None:
    """Return the field of `RoundForm` that holds what `where` names: `terms.json, levels[0].share`."""
    place = where.removeprefix("terms.json").lstrip(", ")
    if ".outcomes" in place:
        return "outcomes"
    return next((field for prefix, field in _FIELDS if place.startswith(prefix)), None)


def _names(line: str) -> dict[str, str]:
    """Read `Динамо – БАТЭ; Дынама – БАТЭ; Dinamo – BATE`; a language that is left out takes the first name."""
    parts = [part.strip() for part in line.split(";")]
    parts += [""] * (3 - len(parts))
    return {language: part or parts[0] for language, part in zip(("ru", "be", "en"), parts, strict=False)}


def _levels(text: str) -> Iterator[tuple[int, int, str]]:
    for line in filter(str.strip, text.splitlines()):
        try:
            hits, share = line.split()
            least, _dash, most = hits.partition("-")
            yield int(least), int(most or least), share
        except ValueError as fault:
            raise ValidationError(_("“%(line)s”: expected such as 13 1/4 or 8-10 1/4.") % {"line": line}) from fault
