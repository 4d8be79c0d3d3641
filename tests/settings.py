"""The site's settings as the tests want them.

Tests make their own databases, so they work as the owner of the database and not as the application's role; a test
of privileges steps down into that role with SET ROLE. TEST_DATABASE_NAME names the test database.
"""

import os
from pathlib import Path


def _owner_url() -> str | None:
    """Return the owner's address: exported, or the local stack's."""
    exported = os.environ.get("DATABASE_OWNER_URL") or os.environ.get("DATABASE_URL")
    path = Path(__file__).parents[1] / ".local" / "env"
    if exported or not path.exists():
        return exported
    lines = path.read_text(encoding="utf-8").splitlines()
    return next((line.partition("=")[2] for line in lines if line.startswith("DATABASE_OWNER_URL=")), None)


if _url := _owner_url():
    os.environ["DATABASE_URL"] = _url
os.environ.setdefault("TOTALIZATOR_ENV", "test")
os.environ.setdefault("SECRET_KEY", "only for tests")

from totalizator.settings import *  # noqa: E402, F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
PASSPHRASE_COST = 2
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "private": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
# Tests call the tasks themselves; those that are about the broker start workers of their own.
CELERY_BROKER_URL = "memory://"
CELERY_BROKER_TRANSPORT = None
CELERY_BROKER_TRANSPORT_OPTIONS = {}
