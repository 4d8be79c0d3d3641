"""What staff write of paper forms: which are issued to a point, and the receipt of money given back (¶9.10)."""

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.forms.named import PointField
from pools.models import FormState

MOST_NUMBER = 2**63 - 1 - 100_000
GAMES = (("sportloto", _("Sportloto")), ("totolot", _("Totolot")))


class FindFormsForm(forms.Form):
    """Which forms are listed."""

    number = forms.IntegerField(label=_("Number"), min_value=1, max_value=MOST_NUMBER, required=False)
    state = forms.ChoiceField(label=_("State"), choices=[("", _("all")), *FormState.choices], required=False)


class RegisterForm(forms.Form):
    """Pre-numbered forms, and the point that they are issued to."""

    point = PointField(label=_("Point"), max_length=12, help_text=_("The code of the point that they go to."))
    game = forms.ChoiceField(label=_("Game"), choices=GAMES)
    first = forms.IntegerField(label=_("First number"), min_value=1, max_value=MOST_NUMBER)
    last = forms.IntegerField(label=_("Last number"), min_value=1, max_value=MOST_NUMBER)


class ReceiptOfReturnForm(forms.Form):
    """The receipt against which the money of a form was handed back."""

    document = forms.CharField(label=_("Document"), max_length=200, help_text=_("The receipt that the player signed."))
