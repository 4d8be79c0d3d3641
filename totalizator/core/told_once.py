"""What a page is told once, after an act: in a cookie named as all cookies of the site are, else in the session."""

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.contrib.messages.storage.fallback import FallbackStorage
from django.contrib.messages.storage.session import SessionStorage


class HostCookie(CookieStorage):
    """A cookie that no other host of the domain can put there."""

    cookie_name = f"{settings.COOKIE_PREFIX}messages"


class ToldOnce(FallbackStorage):
    """Django's own way of telling, with that cookie."""

    storage_classes = (HostCookie, SessionStorage)
