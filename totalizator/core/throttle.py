"""Guessing is made slow: after ten failures in a minute a subject has to wait (C61).

A subject is what a guesser cannot change at will: `card:AB:0000123457`, `till:3`, `user:7`, `network:192.0.2.7`. Each
try has several; one of them is enough. What is counted is in the database, so that all web servers count together.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from ipaddress import IPv6Address, ip_network
from math import ceil

from django.db import transaction
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from totalizator.core.client_address import client_address
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.models import FailedTry

FAILURES_ALLOWED = 10
WINDOW = timedelta(minutes=1)
# Who has one address of this network has them all.
_IPV6_PREFIX = 64
# Of whatever subject: who guesses with another number each time leaves no rows behind either.
_FORGOTTEN_AT_ONCE = 100


def network_subject(request: HttpRequest) -> str:
    """Name the network that a request came from (`client_address`); a whole /64 of IPv6 is one network."""
    address = client_address(request)
    if isinstance(address, IPv6Address):
        address = ip_network((address, _IPV6_PREFIX), strict=False).network_address
    return f"network:{address or ''}"


def refuse_when_throttled(subjects: Collection[str], now: datetime) -> None:
    """Refuse another try while any of `subjects` has failed too often; ask before judging the try.

    :raises DomainError: THROTTLED, with the whole seconds to wait as `retry_after`. A try that is refused so does not
        count as a failure.
    """
    for subject in subjects:
        counted = FailedTry.objects.filter(subject=subject, at__gt=now - WINDOW).order_by("-at")
        failures = list(counted.values_list("at", flat=True)[:FAILURES_ALLOWED])
        if len(failures) == FAILURES_ALLOWED:
            raise DomainError(
                Refusal.THROTTLED,
                _("Too many wrong tries; please wait a minute."),
                retry_after=max(1, ceil((failures[-1] + WINDOW - now).total_seconds())),
            )


def note_failure(subjects: Collection[str], now: datetime, *, act: str, actor: str) -> None:
    """Count one failure against every one of `subjects`, and journal it, at once and for good.

    It has a transaction of its own, so that it stays when the act is refused; called inside another one it raises
    RuntimeError. Tries that are judged at the same moment are not yet counted against each other: there are as many
    of them as the servers answer at once.
    """
    with transaction.atomic(durable=True):
        over = FailedTry.objects.select_for_update(skip_locked=True).filter(at__lte=now - WINDOW).order_by("pk")
        FailedTry.objects.filter(pk__in=list(over.values_list("pk", flat=True)[:_FORGOTTEN_AT_ONCE])).delete()
        FailedTry.objects.bulk_create([FailedTry(subject=subject, at=now) for subject in subjects])
        write_journal(
            at=now, actor=actor, act=act, subject=next(iter(subjects), ""), after={"failed_for": list(subjects)}
        )
