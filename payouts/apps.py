from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, register
from django.utils.module_loading import import_string


class PayoutsConfig(AppConfig):
    name = "payouts"

    def ready(self) -> None:
        """Have the settings looked at before anything runs."""
        register(refuse_fake_gateway)


def refuse_fake_gateway(app_configs: Sequence[AppConfig] | None, **_named: Any) -> list[CheckMessage]:  # noqa: ARG001
    """Refuse production with a gateway of text messages that sends none: codes would reach nobody, or everybody."""
    if not settings.PRODUCTION or not settings.SMS_GATEWAY:
        return []
    try:
        gateway = import_string(settings.SMS_GATEWAY)
    except ImportError as fault:
        return [Error(f"SMS_GATEWAY cannot be loaded: {fault}", id="payouts.E002")]
    if getattr(gateway, "is_a_fake", False):
        hint = "Name the class of a real gateway, or leave it empty: then no ticket is bound to a phone."
        return [Error("SMS_GATEWAY is a fake, which production refuses.", hint=hint, id="payouts.E001")]
    return []
