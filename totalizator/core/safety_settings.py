"""Settings of safety: what a secret must be like, cookies, headers, bounds of a request; taken in by settings.py."""

from datetime import timedelta

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from totalizator.core.environment import env

PRODUCTION = env("TOTALIZATOR_ENV", "production") == "production"

_LEAST_CHARACTERS, _LEAST_DIFFERENT = 32, 8
_PLACEHOLDERS = ("insecure", "changeme", "change-me", "change_me", "example", "password", "only for")
_secrets: dict[str, str] = {}


def secret(name: str, default: str | None = None) -> str:
    """Return the secret `name` of the environment; `default` stands for it outside production only.

    :raises ImproperlyConfigured: in production for one that is missing, short, a placeholder, or used for two purposes.
    """
    value = env(name, None if PRODUCTION else default)
    if PRODUCTION:
        refuse_weak(name, value)
        twin = next((other for other, known in _secrets.items() if known == value and other != name), None)
        if twin is not None:
            raise ImproperlyConfigured(f"{name} is the same as {twin}: each secret has one purpose.")
        _secrets[name] = value
    return value


def refuse_weak(name: str, value: str) -> None:
    """Refuse what somebody could guess, or has read; :raises ImproperlyConfigured: which never tells the value."""
    short = len(value) < _LEAST_CHARACTERS or len(set(value)) < _LEAST_DIFFERENT
    if short or any(word in value.lower() for word in _PLACEHOLDERS):
        raise ImproperlyConfigured(
            f"{name} is no secret: give {_LEAST_CHARACTERS} random characters, such as those of"
            ' `python -c "import secrets; print(secrets.token_urlsafe(48))"`.'
        )


def several(name: str) -> list[str]:
    """Return secrets that commas part, none by default; in production each of them must be one."""
    values = [value for value in env(name, "").split(",") if value]
    if PRODUCTION:
        for value in values:
            refuse_weak(name, value)
    return values


# -- Transport: in production nothing goes in clear, whether the proxy sends to https or the site does -------------
SECURE_SSL_REDIRECT = env("SECURE_SSL_REDIRECT", "1" if PRODUCTION else "0") == "1"
SECURE_REDIRECT_EXEMPT = [r"^health/", r"^metrics$"]  # asked from inside, before TLS
_ONLY_HTTPS = PRODUCTION or SECURE_SSL_REDIRECT
SECURE_HSTS_SECONDS = 31_536_000 if _ONLY_HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = env("HSTS_SUBDOMAINS", "1") == "1"
SECURE_HSTS_PRELOAD = env("HSTS_PRELOAD", "0") == "1"
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if PRODUCTION else None

# -- Cookies: of this host alone, out of reach of scripts and of other sites' forms --------------------------------
COOKIE_PREFIX = "__Host-" if _ONLY_HTTPS else ""
SESSION_COOKIE_NAME = f"{COOKIE_PREFIX}sessionid"
CSRF_COOKIE_NAME = f"{COOKIE_PREFIX}csrftoken"
LANGUAGE_COOKIE_NAME = f"{COOKIE_PREFIX}django_language"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = _ONLY_HTTPS
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = LANGUAGE_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = LANGUAGE_COOKIE_SAMESITE = "Lax"
# The longest that a log-in lasts; the time without a request after which it ends is a dated setting.
SESSION_COOKIE_AGE = int(timedelta(hours=12).total_seconds())
MESSAGE_STORAGE = "totalizator.core.told_once.ToldOnce"

# -- Headers: everything that a page loads is a file of this site, no script or style stands in a page --------------
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
# The one picture inside a page is the QR code of the second factor, whose secret must be in no file.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "font-src": [SELF],
        "img-src": [SELF, "data:"],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "object-src": [NONE],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "upgrade-insecure-requests": _ONLY_HTTPS,
    }
}

# -- Bounds of a request: of all of it, of what a form says without its files, of how much it says ------------------
MOST_REQUEST_BYTES = 24 * 1024 * 1024
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_621_440
DATA_UPLOAD_MAX_NUMBER_FIELDS = 1_000
DATA_UPLOAD_MAX_NUMBER_FILES = 4
FILE_UPLOAD_PERMISSIONS = 0o600

# -- Passwords: long ones, that nobody has lost yet, and no words of this site (docs/security.md) -------------------
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "accounts.forms.site_words.NoWordsOfTheSite"},
]
# Whoever is no player opens nothing before a second factor is set (E3).
STAFF_SECOND_FACTOR = env("STAFF_SECOND_FACTOR", "1" if PRODUCTION else "0") == "1"
