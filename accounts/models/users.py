"""A person who can log in, with exactly one role: roles cannot be combined (R1)."""

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Func, UniqueConstraint, Value
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy as _

# What looks alike in the two alphabets, capitals or small ones.
CYRILLIC_LOOKS = "авекмнорстухіјѕԛԝһ"
LATIN_LOOKS = "abekmhopctyxijsqwh"


class Role(models.TextChoices):
    """The five kinds of people who use the system; the regulator only reads (N6)."""

    PLAYER = "player", _("player")
    CASHIER = "cashier", _("cashier")
    COMMISSION = "commission", _("commission member")
    ORGANIZER = "organizer", _("organizer")
    REGULATOR = "regulator", _("regulator")


class User(AbstractUser):
    """Someone with a unique login (¶35.3). What is done under a log-in counts as done by its owner."""

    role = models.CharField(max_length=12, choices=Role, default=Role.PLAYER)
    password_changed_at = models.DateTimeField(null=True, help_text="Empty: it is still the first one.")

    class Meta(AbstractUser.Meta):
        constraints = [
            UniqueConstraint(
                Func(Lower("username"), Value(CYRILLIC_LOOKS), Value(LATIN_LOOKS), function="translate"),
                name="accounts_user_looks_like_no_other",
            )
        ]

    @property
    def actor(self) -> str:
        """How the journal names this person."""
        return f"user:{self.pk}"
