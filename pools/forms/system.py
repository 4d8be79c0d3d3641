"""What the staff write when they pause sales, or propose who is told of events."""

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.forms.named import PointField
from pools.models import Channel, Pool, PoolState
from totalizator.core.outbox_kinds import EventKind


def _pools() -> list[tuple[str, str]]:
    on_sale = Pool.objects.filter(state__in=(PoolState.ANNOUNCED, PoolState.OPEN)).order_by("closes_at", "code")
    return [("", _("every pool")), *((pool.code, pool.code) for pool in on_sale)]  # type: ignore[list-item]


class PauseForm(forms.Form):
    """What is paused: what all of pool, channel and point name together; nothing named is everything (T2)."""

    pool_code = forms.ChoiceField(label=_("Pool"), choices=_pools, required=False)
    channel = forms.ChoiceField(
        label=_("Channel"), choices=[("", _("every channel")), *Channel.choices], required=False
    )
    point = PointField(label=_("Code of the point"), max_length=12, required=False, help_text=_("Empty: every point."))
    cause = forms.CharField(label=_("Reason"), max_length=2_000, widget=forms.Textarea(attrs={"rows": 3}))

    def clean_pool_code(self) -> str | None:
        """Return the code, None for every pool."""
        return self.cleaned_data["pool_code"] or None

    def clean_channel(self) -> Channel | None:
        """Return the channel, None for every one."""
        return Channel(self.cleaned_data["channel"]) if self.cleaned_data["channel"] else None


class OutcomeForm(forms.Form):
    """What was found and done, at the end of a pause."""

    number = forms.IntegerField(widget=forms.HiddenInput, min_value=1, max_value=2**63 - 1)
    outcome = forms.CharField(
        label=_("What was found and done"), max_length=2_000, widget=forms.Textarea(attrs={"rows": 3})
    )


class SubscriberForm(forms.Form):
    """Who is to be told of what (U1)."""

    name = forms.CharField(label=_("Name"), max_length=60)
    url = forms.CharField(
        label=_("Address"),
        max_length=500,
        help_text=_("https://… Events are sent there, signed."),
        widget=forms.TextInput(attrs={"inputmode": "url", "autocomplete": "off", "spellcheck": "false"}),
    )
    kinds = forms.MultipleChoiceField(
        label=_("Events"),
        choices=EventKind.choices,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("None chosen: all of them."),
    )
    required = forms.BooleanField(label=_("Sales stop when it cannot be told for too long"), required=False)
    after = forms.IntegerField(
        label=_("Begin after event number"),
        min_value=0,
        max_value=2**63 - 1,
        required=False,
        help_text=_("Empty: 0, from the first on."),
    )

    def clean_kinds(self) -> list[EventKind]:
        """Return the kinds themselves."""
        return [EventKind(kind) for kind in self.cleaned_data["kinds"]]

    def clean_after(self) -> int:
        """Return 0 when it is left empty."""
        return self.cleaned_data["after"] or 0


class StopForm(forms.Form):
    """Why somebody should be told no more; it is named by a hidden field."""

    number = forms.IntegerField(widget=forms.HiddenInput, min_value=1, max_value=2**63 - 1)
    reason = forms.CharField(label=_("Reason"), max_length=200)
