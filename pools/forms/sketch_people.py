"""The steps of a new pool that name its commission and its times (¶30, A1, C55)."""

from datetime import datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from pools.forms.local_time import LocalDateTimeField
from pools.models import CommissionKey, RulesText
from totalizator.core import clock
from totalizator.core.localtime import LEGAL_ZONE, local_text, zone_name


class CommissionForm(forms.Form):
    """Who decides the result: the keys of the members, who presides, and how many of them must sign."""

    members = forms.MultipleChoiceField(label=_("Members"), widget=forms.CheckboxSelectMultiple)
    chair = forms.ChoiceField(label=_("Who presides"))
    need = forms.IntegerField(
        label=_("Signatures needed"),
        min_value=2,
        max_value=50,
        help_text=_("At least two, at most all members."),
        widget=forms.NumberInput(attrs={"class": "short"}),
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        keys = CommissionKey.objects.filter(revoked_at__isnull=True, member__is_active=True).select_related("member")
        offered = [
            (key.key_id, f"{key.member.get_full_name() or key.member.username}, {key.key_id}")
            for key in keys.order_by("member__username")
        ]
        self.fields["members"].choices = offered  # type: ignore[attr-defined]
        self.fields["chair"].choices = [("", ""), *offered]  # type: ignore[attr-defined]
        self.nobody = not offered

    def clean(self) -> dict[str, Any]:
        """Refuse a chair who is no member, and more signatures than members."""
        cleaned = super().clean() or self.cleaned_data
        members, need = cleaned.get("members"), cleaned.get("need")
        if members and cleaned.get("chair") and cleaned["chair"] not in members:
            self.add_error("chair", _("Who presides must be one of the members."))
        if members and need is not None and need > len(members):
            message = _("There are %(members)s members: more signatures cannot be needed.")
            self.add_error("need", message % {"members": len(members)})
        return cleaned

    def document(self) -> dict[str, Any]:
        """Return the part of the terms document that this step decides; the first key is the chair's."""
        given = self.cleaned_data
        others = [key for key in given["members"] if key != given["chair"]]
        return {"quorum": {"members": [given["chair"], *others], "need": given["need"]}}


class DatesForm(forms.Form):
    """When bets are taken, in local time; the rules text follows from when that begins."""

    opens_at = LocalDateTimeField(label=_("Opens at"), help_text=_("Another person must have announced it by then."))
    closes_at = LocalDateTimeField(label=_("Closes at"), help_text=_("At this instant itself no bet is taken."))

    def clean_opens_at(self) -> datetime:
        """Refuse a time that is past, and one for which no rules text is published."""
        opens_at: datetime = self.cleaned_data["opens_at"]
        if opens_at <= clock.now():
            message = _("This time is past: it is %(now)s, %(zone)s.")
            raise ValidationError(message % {"now": local_text(clock.now()), "zone": zone_name(LEGAL_ZONE)})
        if rules_at(opens_at) is None:
            raise ValidationError(_("No rules text is in force then: publish one first."))
        return opens_at

    def clean(self) -> dict[str, Any]:
        """Refuse a closing before the opening."""
        cleaned = super().clean() or self.cleaned_data
        opens_at, closes_at = cleaned.get("opens_at"), cleaned.get("closes_at")
        if opens_at and closes_at and closes_at <= opens_at:
            self.add_error("closes_at", _("It must close after it opens."))
        return cleaned

    def document(self) -> dict[str, Any]:
        """Return the part of the terms document that this step decides."""
        given, form = self.cleaned_data, "%Y-%m-%dT%H:%M:%SZ"
        rules = rules_at(given["opens_at"])
        return {
            "opens_at": given["opens_at"].strftime(form),
            "closes_at": given["closes_at"].strftime(form),
            "rules_version": rules.version if rules is not None else "sha256:-",
        }


def rules_at(instant: datetime) -> RulesText | None:
    """Return the rules text that is in force at an instant, as far as texts are published."""
    return RulesText.objects.filter(valid_from__lte=instant).order_by("-valid_from").first()
