"""Cash tickets bound to a phone by a one-time code, and the text messages that carry such codes (X9, U3)."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from pools.models import Pool
from totalizator.core.encrypted import EncryptedTextField


class PhoneBinding(models.Model):
    """That a ticket is paid only with a code sent to one phone, of which a salted, keyed hash is kept. Append-only."""

    pk = models.CompositePrimaryKey("pool_id", "ticket")
    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="+", db_index=False)
    ticket = models.CharField(max_length=40)
    salt = models.BinaryField(max_length=16)
    phone_hash = models.BinaryField(max_length=32)
    bound_at = models.DateTimeField()


class CodePurpose(models.TextChoices):
    """What a code is for."""

    BIND = "bind", _("to bind the ticket")
    PAY = "pay", _("to be paid")


class PhoneCode(models.Model):
    """A one-time code that was sent: its keyed hash, until when it is good, how often it was guessed at."""

    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="+", db_index=False)
    ticket = models.CharField(max_length=40, db_index=True)
    purpose = models.CharField(max_length=4, choices=CodePurpose)
    salt = models.BinaryField(max_length=16)
    phone_hash = models.BinaryField(max_length=32)
    code_hash = models.BinaryField(max_length=32)
    sent_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    wrong_tries = models.PositiveSmallIntegerField(default=0)
    used_at = models.DateTimeField(null=True)


class TextMessage(models.Model):
    """A message that waits for the gateway; once it is sent, or too old, its number and words are wiped."""

    cause = models.CharField(max_length=120, unique=True, help_text="What it is about: no message goes twice.")
    phone = EncryptedTextField()
    words = EncryptedTextField()
    queued_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, help_text="When it was sent, or let go.")

    class Meta:
        indexes = [
            models.Index(fields=["id"], condition=models.Q(ended_at__isnull=True), name="payouts_messages_waiting")
        ]


class MessageTry(models.Model):
    """One try to send a message, and what the gateway said. Append-only: the delivery log."""

    message = models.ForeignKey(TextMessage, on_delete=models.PROTECT, related_name="tries")
    tried_at = models.DateTimeField()
    sent = models.BooleanField()
    answer = models.CharField(max_length=200, help_text="The gateway's own number, or its fault.")
