"""What staff name in a form, found: a cashier, a point, a till."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from accounts.models import BettingPoint, Role, Till, User


class CashierField(forms.CharField):
    """A cashier by the log-in name; its value is the person, None when it is left empty."""

    def clean(self, value: Any) -> Any:
        """Return the cashier."""
        name = super().clean(value)
        if not name:
            return None
        cashier = User.objects.filter(role=Role.CASHIER, username=name, is_active=True).first()
        if cashier is None:
            raise ValidationError(_("No cashier has this name."))
        return cashier


class PointField(forms.CharField):
    """A betting point by its code; its value is the point, None when it is left empty."""

    def clean(self, value: Any) -> Any:
        """Return the point."""
        code = super().clean(value)
        if not code:
            return None
        point = BettingPoint.objects.filter(code=code).first()
        if point is None:
            raise ValidationError(_("There is no such betting point."))
        return point


class TillField(forms.CharField):
    """A till as it is written, `P1/2`; its value is the till, None when it is left empty."""

    def clean(self, value: Any) -> Any:
        """Return the till."""
        written = super().clean(value)
        if not written:
            return None
        code, _slash, number = written.rpartition("/")
        tills = Till.objects.select_related("point", "ledger_account", "cashier")
        is_number = number.isascii() and number.isdigit() and len(number) <= 5
        till = tills.filter(point__code=code, number=int(number)).first() if is_number and int(number) < 2**15 else None
        if till is None:
            raise ValidationError(_("There is no such till."))
        return till
