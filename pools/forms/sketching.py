"""The steps of a new pool: their forms with what was typed, and the terms document that they make together (A1)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from pools.forms.local_time import LocalDateTimeWidget
from pools.forms.percents import percent_text
from pools.forms.sketch_events import EventsForm, lines_of, read_lines
from pools.forms.sketch_money import MoneyForm, level_texts
from pools.forms.sketch_people import CommissionForm, DatesForm
from pools.models import PoolSketch
from pools.services.event_files import Event
from totalizator.core.money import plain_byn
from totalizator.engine.terms import Terms

StepTexts = dict[str, list[str]]
EVENTS, MONEY, COMMISSION, DATES, PREVIEW = "events", "money", "commission", "dates", "preview"
STEPS: Mapping[str, str | Promise] = {
    EVENTS: _("Events"),
    MONEY: _("Money"),
    COMMISSION: _("Commission"),
    DATES: _("Times"),
    PREVIEW: _("Preview"),
}
FORMS = (EVENTS, MONEY, COMMISSION, DATES)
SENT = "sent"
"""Stands among the texts of a step that a person has sent: only then are its faults shown."""

# Where the engine says a fault is → the step that a person can change.
_PLACES = (
    ("pool", EVENTS),
    ("conditions", EVENTS),
    ("opens_at", DATES),
    ("closes_at", DATES),
    ("rules_version", DATES),
    ("quorum", COMMISSION),
)


@dataclass(slots=True)
class Made:
    """What the steps make: the document, or the steps that are not right yet."""

    document: dict[str, Any] | None
    missing: list[str]


def bound(sketch: PoolSketch, step: str, typed: Mapping[str, Sequence[str]] | None = None) -> forms.Form:
    """Return a step's form with what was typed in it, or with `typed`; unbound when nothing was typed yet."""
    texts = sketch.typed.get(step) if typed is None else typed
    given = _query(texts) if texts is not None else None
    game = str(sketch.document.get("game", ""))
    if step == EVENTS:
        own = sketch.pool.code if sketch.pool is not None else ""
        return EventsForm(given, own_code=own, is_variant=game.endswith("variant"))
    if step == MONEY:
        return MoneyForm(given, game=game, events=_events_typed(sketch))
    return CommissionForm(given) if step == COMMISSION else DatesForm(given)


def _events_typed(sketch: PoolSketch) -> int | None:
    """Return how many events stand on their step; None while there are none, or their lines cannot be read."""
    try:
        return len(read_lines("\n".join(sketch.typed.get(EVENTS, {}).get("events", [])))) or None
    except ValidationError:
        return None


def texts_of(form: forms.Form, posted: QueryDict) -> StepTexts:
    """Return what was typed in the fields of a form, and nothing else that was sent."""
    names = set(form.fields)
    for name, field in form.fields.items():
        if isinstance(field.widget, LocalDateTimeWidget):
            names |= {f"{name}_{part}" for part in range(3)}
    return {name: posted.getlist(name) for name in posted if name in names} | {SENT: ["1"]}


def made(sketch: PoolSketch) -> Made:
    """Put the steps together."""
    filled = {step: bound(sketch, step) for step in FORMS}
    missing = [step for step, form in filled.items() if not (form.is_bound and form.is_valid())]
    if missing:
        return Made(None, missing)
    events, money = len(filled[EVENTS].cleaned_data["events"]), cast(MoneyForm, filled[MONEY])
    document = dict(sketch.document)
    for step in (EVENTS, COMMISSION, DATES):
        document |= cast(EventsForm, filled[step]).document()
    document |= money.document(events, sketch.document)
    return Made({name: value for name, value in document.items() if value is not None}, [])


def step_at_fault(where: str) -> str:
    """Return the step that holds what the engine names: `terms.json, levels[0].share`."""
    place = where.removeprefix("terms.json").lstrip(", ")
    return next((step for start, step in _PLACES if place.startswith(start)), MONEY)


def typed_from(terms: Terms, *, keeps_code: bool) -> dict[str, StepTexts]:
    """Write another pool's terms as the steps have them; its code and times only where it is changed itself."""
    typed = {EVENTS: _events(terms), MONEY: _money(terms)}
    typed[EVENTS]["code"] = [terms.pool.code if keeps_code else ""]
    if terms.quorum is not None:
        members = list(terms.quorum.members)
        typed[COMMISSION] = {"members": members, "chair": members[:1], "need": [str(terms.quorum.need)]}
    if keeps_code:
        typed[DATES] = _dates(terms)
    return typed


def typed_first(document: Mapping[str, Any], keys: Sequence[str]) -> dict[str, StepTexts]:
    """Write what a template says as the steps have it."""
    sportloto = str(document["game"]).startswith("sportloto")
    price = document["price"]
    typed: StepTexts = {"max_lines": [str(document["max_lines"])], "void_condition": [document["void_condition"]]}
    typed |= {"empty_level": [document["empty_level"]], "min_valid": ["1"]}
    if sportloto:
        typed |= {"line_price": [plain_byn(price["line"])], "deduction": ["30"]}
    else:
        typed |= {"least": [plain_byn(price["min"])], "most": [plain_byn(price["max"])]}
    levels: list[tuple[str, Fraction, int | None]] = [
        (level["code"], Fraction(level["share"]), None) for level in document["levels"]
    ]
    first = {EVENTS: {"outcomes": ["1 X 2"]}, MONEY: typed | level_texts(levels, plain_byn)}
    if len(keys) > 1:
        first[COMMISSION] = {"members": list(keys), "chair": list(keys[:1]), "need": ["2"]}
    return first


def _query(texts: Mapping[str, Sequence[str]]) -> QueryDict:
    given = QueryDict(mutable=True)
    for name, values in texts.items():
        given.setlist(name, list(values))
    return given


def _events(terms: Terms) -> StepTexts:
    common = terms.conditions[0].outcomes
    named = any(outcome.name for outcome in common)
    lines = ["; ".join([outcome.code, *_parts(outcome.name)]) if outcome.name else outcome.code for outcome in common]
    events = [
        Event(
            dict(zip(("ru", "be", "en"), _parts(condition.name), strict=True)),
            () if condition.outcomes == common else tuple(outcome.code for outcome in condition.outcomes),
        )
        for condition in terms.conditions
    ]
    name = _parts(terms.pool.name)
    return {
        "name_ru": [name[0]],
        "name_be": [name[1]],
        "name_en": [name[2]],
        "outcomes": ["\n".join(lines) if named else " ".join(lines)],
        "events": [lines_of(events)],
    }


def _parts(names: Mapping[str, str]) -> list[str]:
    first = names.get("ru") or next(iter(names.values()), "")
    return [(names.get(language) or first).replace(";", ",") for language in ("ru", "be", "en")]


def _money(terms: Terms) -> StepTexts:
    base, typed = len(terms.conditions), StepTexts()
    if terms.price.line is not None:
        typed |= {"line_price": [plain_byn(terms.price.line)], "deduction": [percent_text(1 - terms.fund)]}
    else:
        typed |= {"least": [plain_byn(terms.price.least or 0)], "most": [plain_byn(terms.price.most or 0)]}
    levels: list[tuple[str, Fraction, int | None]] = []
    for level in terms.levels:
        least, most = -(-level.least * base // 1), level.most * base // 1
        hits = str(most) if least == most else f"{least}-{most}"
        levels.append((hits, level.share, terms.guarantee.get(level.code)))
    typed |= level_texts(levels, plain_byn)
    if terms.is_variant:
        typed["guarantee"] = [plain_byn(amount) for amount in terms.guarantee.values()]
    for name, limit in (("max_dividend", terms.max_dividend), ("min_dividend", terms.levels[0].min_dividend)):
        if limit is not None and limit.amount.denominator == 1:
            typed[name] = [plain_byn(limit.amount.numerator)]
    typed |= {"void_condition": [terms.void_condition], "min_valid": [str(max(1, terms.min_valid_conditions))]}
    typed |= {"empty_level": [terms.levels[0].empty], "max_lines": [str(terms.max_lines)]}
    if terms.min_turnover:
        typed["min_turnover"] = [plain_byn(terms.min_turnover)]
    return typed | ({"draws_jackpot": ["on"]} if terms.jackpot is not None else {})


def _dates(terms: Terms) -> StepTexts:
    typed = StepTexts()
    for name in ("opens_at", "closes_at"):
        typed |= {f"{name}_0": [getattr(terms, name)[:16]], f"{name}_1": ["UTC"]}
    return typed
