"""How the columns of reference tables are headed, and their values shown, to people (docs/adr/0011)."""

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import admin
from django.db.models import BooleanField, Model
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from totalizator.core.legal_words import number_named, value_told
from totalizator.core.models import LegalNumber
from totalizator.core.money import format_byn, share_told

HEADS: Mapping[str, str | Promise] = {
    "account": _("Account"),
    "address": _("Address"),
    "agent": _("Agent"),
    "agreement": _("Agreement"),
    "bank": _("Bank"),
    "be": _("Belarusian"),
    "channel": _("Channel"),
    "closed_at": _("Closed"),
    "closes_at": _("Closes"),
    "code": _("Code"),
    "commission": _("Share"),
    "contract_number": _("Contract"),
    "credits": _("Credits"),
    "currency": _("Currency"),
    "day": _("Day"),
    "debits": _("Debits"),
    "en": _("English"),
    "enabled": pgettext_lazy("equipment", "on"),
    "ended_at": _("Ended"),
    "filing": _("Filing"),
    "game": _("Game"),
    "kind": _("Kind"),
    "name": _("Name"),
    "number": _("No."),
    "opens_at": _("Opens"),
    "owner": _("Whose"),
    "pk": _("No."),
    "point": _("Point"),
    "pool": _("Pool"),
    "published_at": _("Published"),
    "rate": _("Rate"),
    "ru": _("Russian"),
    "source": _("Document"),
    "started_at": _("Began"),
    "state": _("State"),
    "terms_digest": _("Digest of the terms"),
    "units": _("Units"),
    "valid_from": _("Holds from"),
    "valid_on": _("Day"),
    "valid_until": _("Holds until"),
    "value": pgettext_lazy("a dated number", "Value"),
    "version": _("Version"),
}
_TOLD: Mapping[tuple[type[Model], str], Callable[[Any], str]] = {
    (LegalNumber, "name"): lambda row: number_named(row.name),
    (LegalNumber, "value"): lambda row: value_told(row.name, row.value),
}


def shown_column(model: type[Model], name: str) -> Callable[[Any, Any], object]:
    """Return the column of a field: headed in the reader's language, money in BYN, shares in per cent."""
    told: Callable[[Any], object] = _TOLD.get((model, name), lambda row: _shown(row, name))
    field = None if name == "pk" else model._meta.get_field(name)

    def column(_table: object, row: Any) -> object:
        return told(row)

    show = admin.display(description=HEADS[name], ordering=name, boolean=isinstance(field, BooleanField))  # type: ignore[arg-type]
    return show(column)


def _shown(row: Any, name: str) -> Any:
    if hasattr(row, f"get_{name}_display"):
        return getattr(row, f"get_{name}_display")()
    value = getattr(row, name)
    if value is None:
        return None
    if name in ("debits", "credits"):
        return format_byn(value)
    return share_told(value) if name == "commission" else value
