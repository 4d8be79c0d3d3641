"""Log-ins in the log: who came in, who went, and who was turned away; never the name or the password that was typed."""

import logging
from typing import Any

from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.dispatch import receiver
from django.http import HttpRequest

from accounts.models import User
from totalizator.core.encrypted import keyed_digest
from totalizator.core.throttle import network_subject

logger = logging.getLogger("totalizator.security")


@receiver(user_logged_in, dispatch_uid="log_logged_in")
def log_logged_in(request: HttpRequest, user: User, **told: Any) -> None:  # noqa: ARG001
    """Log who came in, and from which network."""
    logger.info("logged in: %s, %s", user.actor, network_subject(request))


@receiver(user_logged_out, dispatch_uid="log_logged_out")
def log_logged_out(request: HttpRequest, user: User | None, **told: Any) -> None:  # noqa: ARG001
    """Log who went."""
    logger.info("logged out: %s, %s", user.actor if user is not None else "nobody", network_subject(request))


@receiver(user_login_failed, dispatch_uid="log_turned_away")
def log_turned_away(credentials: dict[str, Any], request: HttpRequest | None = None, **told: Any) -> None:  # noqa: ARG001
    """Log that somebody was turned away; the name as a keyed digest, which tells tries at one log-in from others."""
    name = str(credentials.get("username") or credentials.get("login") or "")
    mark = keyed_digest("log-in", name.casefold()).hex()[:16]
    logger.warning("turned away: log-in %s, %s", mark, network_subject(request) if request is not None else "network:")
