"""The payment systems that this installation works with (settings.PAYMENT_PROVIDERS)."""

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

from accounts.models import Currency
from accounts.services.providers.http_json import HttpJsonProvider
from accounts.services.providers.interface import PaymentProvider
from totalizator.core.errors import DomainError, Refusal


def provider_names() -> list[str]:
    """Return the names of all, in order."""
    return sorted(settings.PAYMENT_PROVIDERS)


def find_provider(name: str) -> PaymentProvider:
    """Return a payment system by its name.

    :raises DomainError: NOT_FOUND.
    :raises ImproperlyConfigured: when its settings are incomplete, or have no key.
    """
    told = settings.PAYMENT_PROVIDERS.get(name)
    if told is None:
        raise DomainError(Refusal.NOT_FOUND, _("There is no such payment system."), field="provider")
    try:
        keys = tuple(str(key) for key in told["keys"])
        found = HttpJsonProvider(
            name=name,
            url=told["url"],
            keys=keys,
            currencies=frozenset(Currency(code) for code in told["currencies"]),
            timeout_seconds=int(told.get("timeout_seconds", 10)),
        )
    except (KeyError, TypeError, ValueError) as fault:
        raise ImproperlyConfigured(f"PAYMENT_PROVIDERS: {name}: {fault!r}") from fault
    if not keys or not all(keys):
        raise ImproperlyConfigured(f"PAYMENT_PROVIDERS: {name} has no key.")
    return found


def provider_title(name: str) -> str:
    """Return what players are told a payment system is called: its `title` in the settings, else its name there."""
    return str(settings.PAYMENT_PROVIDERS.get(name, {}).get("title", name))
