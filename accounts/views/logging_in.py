"""What allauth does not do by itself at a log-in: new devices, changed passwords, who may not play (E3, P2)."""

import secrets
from collections.abc import Mapping
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.auth_backends import AuthenticationBackend
from allauth.mfa.adapter import DefaultMFAAdapter
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import Person, Role, Till, User
from accounts.queries.standing import standing_of
from accounts.services.api_tokens import revoke_tokens
from accounts.services.devices import note_device
from accounts.services.logged_in import known_by_number
from accounts.services.login_names import refuse_misleading_name
from accounts.services.standing import bar_of
from totalizator.core import clock
from totalizator.core.client_address import client_address
from totalizator.core.encrypted import decrypt, encrypt
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.problem import told

UNKNOWN_ADDRESS = "0.0.0.0"  # noqa: S104 nothing listens there
DEVICE_COOKIE = f"{settings.COOKIE_PREFIX}device"
DEVICE_COOKIE_SECONDS = 400 * 24 * 3600  # the longest that browsers keep one
_DESKS: Mapping[str, str] = {
    Role.CASHIER: "payouts:till",
    Role.COMMISSION: "pools:commission",
    Role.ORGANIZER: "payouts:dashboard",
}
"""The page that a person of a role works on."""


class Known(AuthenticationBackend):  # type: ignore[misc]  # allauth is untyped
    """allauth's way of knowing somebody by a password; who is logged in is read by one prepared statement."""

    def get_user(self, user_id: int) -> User | None:
        """Return who it is; None for nobody, and for who may not log in any more."""
        user = known_by_number(user_id)
        return user if user is not None and self.user_can_authenticate(user) else None


class PlayerAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth is untyped
    """allauth's way of logging in, and what the rules add to it."""

    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "username_password_mismatch": _("Log-in name and password do not belong together."),
        "username_blacklisted": _("This log-in name cannot be used; please choose another."),
        "username_taken": _("Somebody has this name, or one that looks like it."),
    }

    def post_login(self, request: HttpRequest, user: User, **details: Any) -> HttpResponseBase:
        """Log in, tell the owner of a new device by e-mail, and tell who may not bet so, and where to go."""
        response: HttpResponseBase = super().post_login(request, user, **details)
        person = Person.objects.filter(player=user).first()
        if person is not None:
            self._notice_device(request, response, person, user)
            _tell_whether_barred(request, person)
        return response

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        """Return where a log-in leads that no page had asked for: to who works here, the own desk."""
        user = request.user
        elsewhere = str(super().get_login_redirect_url(request))
        if not isinstance(user, User) or user.role not in _DESKS:
            return elsewhere
        if user.role == Role.CASHIER and not Till.objects.filter(cashier=user).exists():
            return elsewhere
        return reverse(_DESKS[user.role])

    def format_email_subject(self, subject: str) -> str:
        """Say who writes: allauth would name the address of the site."""
        return f"{gettext('Totalizator')}: {subject}"

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the address that throttles go by as well; those of whom none is known share one, and log in too."""
        return str(client_address(request) or UNKNOWN_ADDRESS)

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:  # noqa: ARG002
        """Count wrong passwords by the name alone: allauth adds the site's, a header that the client writes."""
        return str(credentials.get("email", credentials.get("username", ""))).lower()

    def clean_username(self, username: str, shallow: bool = False) -> str:
        """Refuse at the sign-up what is no name of its own."""
        cleaned: str = super().clean_username(username, shallow=shallow)
        if not shallow:
            try:
                refuse_misleading_name(cleaned)
            except DomainError as refusal:
                raise ValidationError(told(refusal)) from refusal
        return cleaned

    def set_password(self, user: User, password: str) -> None:
        """Change the password and keep when: withdrawals wait a while afterwards, and programs lose their tokens."""
        user.password_changed_at = clock.now()
        super().set_password(user, password)
        revoke_tokens(user=user)

    def send_notification_mail(
        self, template_prefix: str, user: User, context: dict[str, Any] | None = None, email: str | None = None
    ) -> None:
        """Send a notice about the account, to the address it has, if nobody says another."""
        super().send_notification_mail(template_prefix, user, context, email or user.email)

    def _notice_device(self, request: HttpRequest, response: HttpResponseBase, person: Person, user: User) -> None:
        device = request.get_signed_cookie(DEVICE_COOKIE, default=None, max_age=DEVICE_COOKIE_SECONDS)
        if device is None:
            device = secrets.token_urlsafe(24)
        if note_device(person=person, device=device):
            self.send_notification_mail("account/email/new_device", user)
        response.set_signed_cookie(
            DEVICE_COOKIE,
            device,
            max_age=DEVICE_COOKIE_SECONDS,
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )


class SecondFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # allauth is untyped
    """Keep the secrets of second factors encrypted, as all that is secret is."""

    def encrypt(self, text: str) -> str:
        """Encrypt on the way in."""
        return encrypt(text)

    def decrypt(self, encrypted_text: str) -> str:
        """Decrypt on the way out."""
        return decrypt(encrypted_text)


def _tell_whether_barred(request: HttpRequest, person: Person) -> None:
    at = clock.now()
    refusal = bar_of(standing_of(person, at), at)
    if refusal is None:
        return
    said: str = told(refusal)
    if refusal.code == Refusal.NOT_VERIFIED:
        said = format_html('{} <a href="{}">{}</a>', said, reverse("accounts:my_identity"), _("Identity"))
    messages.warning(request, said)
