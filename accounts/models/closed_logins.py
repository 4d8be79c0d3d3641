"""Log-ins of staff that were closed, by one person at once, and opened again, by another (R1)."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q


class LoginClosing(models.Model):
    """A log-in that nobody can use until another person opens it again. Append-only."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="login_closings")
    reason = models.TextField()
    closed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    closed_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(person=F("closed_by")), name="accounts_nobody_closes_the_own_login")
        ]


class LoginOpening(models.Model):
    """What opens a closed log-in again. Append-only; the database opens none without it."""

    closing = models.OneToOneField(LoginClosing, on_delete=models.PROTECT, primary_key=True, related_name="opening")
    reason = models.TextField()
    closed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    opened_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    opened_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(closed_by=F("opened_by")), name="accounts_login_opened_by_another")
        ]
