"""Settings of the site, taken from the environment (core/environment.py)."""

import json
from typing import Any

from django.utils.translation import gettext_lazy as _

from totalizator.core.environment import CHECKOUT, PREPARED, broker, databases, env, settling
from totalizator.core.safety_settings import *  # noqa: F403
from totalizator.core.safety_settings import PRODUCTION, secret, several
from totalizator.core.watching.lines import logging_settings

BASE_DIR = CHECKOUT

# -- What kind of installation this is ------------------------------------------------------------------------
DEBUG = env("DEBUG", "0") == "1" and not PRODUCTION
SECRET_KEY = secret("SECRET_KEY")
# Only while it is changed: what was signed under the ones before is still taken (docs/security.md, Keys).
SECRET_KEY_FALLBACKS = several("SECRET_KEY_FALLBACKS")
ALLOWED_HOSTS = env("ALLOWED_HOSTS", "127.0.0.1,localhost,[::1]").split(",")
CSRF_TRUSTED_ORIGINS = [origin for origin in env("CSRF_TRUSTED_ORIGINS", "").split(",") if origin]

# A clock that can be moved is for demonstrations and tests; production never reads the offset (D-11).
CLOCK_MAY_MOVE = not PRODUCTION

# Whether code or configuration that is not the registered release stops all sales (R2); a developer changes it.
RELEASE_MUST_HOLD = PRODUCTION

# Keys that never enter the database. Check codes of tickets are hashed with the first; the second signs
# commitments and manifests (Ed25519 seed, 32 bytes in hex).
TICKET_KEY = secret("TICKET_KEY", SECRET_KEY)
OPERATOR_KEY = secret("OPERATOR_KEY", "")
# The keys before: tickets that were sold under them are still known by their check codes.
FORMER_TICKET_KEYS = several("FORMER_TICKET_KEYS")
# Only while the key is changed (`manage.py rotate_operator_key`, docs/log.md): the one that was before.
FORMER_OPERATOR_KEY = env("FORMER_OPERATOR_KEY", "")

# Personal data at rest (core/encrypted.py): Fernet keys parted by commas, of which the first encrypts and all decrypt;
# and the key of the digests by which it is looked up, which never changes. Outside production made of SECRET_KEY.
PERSONAL_DATA_KEYS = [key for key in secret("PERSONAL_DATA_KEYS", "").split(",") if key]
PERSONAL_DIGEST_KEY = secret("PERSONAL_DIGEST_KEY", "")

# Who runs the pools, as printed on tickets and pages.
OPERATOR_NAME = env("OPERATOR_NAME", "Тотализатор")

# Where the public finds the site: what the QR codes of tickets lead to.
SITE_URL = env("SITE_URL", f"https://{ALLOWED_HOSTS[0]}" if PRODUCTION else "http://127.0.0.1:8000").rstrip("/")

# What one guess at a commission member's passphrase costs (scrypt's N: 32 MB and about 0.1 s).
PASSPHRASE_COST = 2**15

# The fiscal cash register: the dotted path of its class (`accounts.services.fiscal.FiscalRegister` says what it
# does). Empty: tills have none, and nothing is queued for one.
FISCAL_REGISTER = env("FISCAL_REGISTER", "")

# Tills' own receipt printers (docs/points.md): JSON such as {"P1/1": "tcp://10.0.0.5:9100", "P1/2": "/dev/usb/lp0"}.
TILL_PRINTERS: dict[str, str] = json.loads(env("TILL_PRINTERS", "{}"))

# Text messages: the dotted path of the gateway's class (`payouts.services.text_messages.MessageGateway` says what it
# does). Empty: none are sent, and no ticket is bound to a phone.
SMS_GATEWAY = env("SMS_GATEWAY", "")

# Payment systems, by name: JSON such as {"acquirer": {"url": "https://pay.example", "keys": ["…"],
# "currencies": ["BYN", "USD"], "title": "Cards"}}. The first key signs, all of them verify (docs/payments.md).
PAYMENT_PROVIDERS: dict[str, dict[str, Any]] = json.loads(env("PAYMENT_PROVIDERS", "{}"))

# Networks that events are sent to, and results fetched from, though they are not public: JSON such as ["10.1.2.0/24"].
OUTBOX_NETWORKS: list[str] = json.loads(env("OUTBOX_NETWORKS", "[]"))

# Who time-stamps the heads of the public log, by name: JSON such as {"notary": {"url": "https://tsa.example/tsr",
# "ca_file": "/etc/totalizator/notary.pem"}}; the file has the certificates its tokens lead to, in PEM (docs/log.md).
TIMESTAMP_AUTHORITIES: dict[str, dict[str, str]] = json.loads(env("TIMESTAMP_AUTHORITIES", "{}"))

# The proxies whose X-Forwarded-For is believed: JSON such as ["unix", "10.1.2.0/24"]; `unix` is the Unix socket.
TRUSTED_PROXIES: list[str] = json.loads(env("TRUSTED_PROXIES", "[]"))

# Who reads the metrics: whoever sends the token, and the networks named in JSON (docs/monitoring.md).
METRICS_TOKEN = env("METRICS_TOKEN", "")
METRICS_NETWORKS: list[str] = json.loads(env("METRICS_NETWORKS", "[]" if PRODUCTION else '["127.0.0.0/8", "::1"]'))

# -- Parts ----------------------------------------------------------------------------------------------------
INSTALLED_APPS = [
    "django.contrib.admin.apps.SimpleAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "rest_framework",
    "csp",
    "django_htmx",
    "totalizator.core",
    "accounts",
    "pools",
    "payouts",
]
# The first counts. The one after it writes what every answer has, also one that a layer below gives without a page.
MIDDLEWARE = [
    "totalizator.core.watching.requests.Watching",
    "totalizator.core.browser_rights.BrowserRights",
    "totalizator.core.client_address.OnlyTrustedProxies",
    "django.middleware.security.SecurityMiddleware",
    "totalizator.core.methods.KnownMethods",
    "totalizator.core.refusal_log.RefusalLog",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "totalizator.core.sessions.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "totalizator.core.request_bounds.RequestBounds",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "accounts.views.idle.EndingOfLogIns",
    "accounts.views.second_factor.StaffProveTwice",
    "accounts.views.inspecting.InspectorsOnlyRead",
    "totalizator.core.problem.RefusalMiddleware",
    "totalizator.core.api.private.NothingIsKept",
]
ROOT_URLCONF = "totalizator.urls"
WSGI_APPLICATION = "totalizator.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "totalizator.core.appearance.on_every_page",
                "totalizator.core.risk_warnings.on_every_page",
            ],
        },
    },
]
# Counts of wrong passwords must be one for all web processes. What is read or counted with every request (API_RATES,
# live figures of pools) each process keeps for itself: it costs no query.
_MANY = {"MAX_ENTRIES": 20_000}
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": "core_cache", "OPTIONS": _MANY},
    "process": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "process", "OPTIONS": _MANY},
}
DATABASES, DATABASE_ROUTERS = databases()
PREPARED_STATEMENTS = PREPARED
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# -- People ---------------------------------------------------------------------------------------------------
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["accounts.views.logging_in.Known", "django.contrib.auth.backends.ModelBackend"]
SESSION_ENGINE = "totalizator.core.sessions"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*", "password2*"]
ACCOUNT_FORMS = {"signup": "pools.forms.signup.ConsentingSignupForm", "login": "pools.forms.login.LogIn"}
ACCOUNT_ADAPTER = "accounts.views.logging_in.PlayerAdapter"
ACCOUNT_EMAIL_VERIFICATION = "none" if not PRODUCTION else "mandatory"
ACCOUNT_UNIQUE_EMAIL = True
ACCOUNT_EMAIL_NOTIFICATIONS = True
# The sixth wrong password in five minutes is not even looked at (E3). Addresses: core/client_address.py.
ACCOUNT_RATE_LIMITS = {"login_failed": "20/m/ip,5/5m/key"}
ACCOUNT_REAUTHENTICATION_TIMEOUT = 300
MFA_ADAPTER = "accounts.views.logging_in.SecondFactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TOTP_ISSUER = OPERATOR_NAME
MFA_TOTP_TOLERANCE = 1  # telephones' clocks drift: the code before and after is good, too
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not PRODUCTION
USERSESSIONS_TRACK_ACTIVITY = False  # not with each request: accounts/views/idle.py does it once a minute
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_LOGOUT_REDIRECT_URL = "/"
EMAIL_BACKEND = env("EMAIL_BACKEND", "django.core.mail.backends.console.EmailBackend")

# -- Words, numbers, time -------------------------------------------------------------------------------------
LANGUAGE_CODE = "ru"
LANGUAGES = [("ru", _("Russian")), ("be", _("Belarusian")), ("en", _("English"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
FORMAT_MODULE_PATH = "totalizator.core.formats"
USE_TZ = True
TIME_ZONE = "Europe/Minsk"
STATIC_URL = "static/"
STATIC_ROOT = BASE_DIR / ".local" / "static"
STATICFILES_DIRS = [BASE_DIR / "templates" / "static"]

# Scans of documents: a folder that no web server serves; what is asked for is checked by a page of its own.
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "private": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {
            "location": env("PRIVATE_FILES", str(BASE_DIR / ".local" / "private")),
            "base_url": None,
            "file_permissions_mode": 0o600,
            "directory_permissions_mode": 0o700,
        },
    },
    # Each file under a name with its digest, so that browsers keep it for good.
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

# -- The API --------------------------------------------------------------------------------------------------
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "accounts.api.authentication.TerminalSignature",
        "accounts.api.authentication.BearerToken",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_THROTTLE_CLASSES": ["totalizator.core.api.limits.FairShare"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "totalizator.core.api.negotiation.OneFormat",
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["totalizator.core.api.strict_json.JsonParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_METADATA_CLASS": None,
    "URL_FORMAT_OVERRIDE": None,
    "EXCEPTION_HANDLER": "totalizator.core.problem.api_exception_handler",
    "UNICODE_JSON": True,
}
# Requests a minute, of one terminal, of one person, and of one network whose people do not say who they are.
API_RATES = {"terminal": "3000/min", "user": "1200/min", "network": "1200/min"}
SPECTACULAR_SETTINGS = {
    "TITLE": "Totalizator",
    "VERSION": "1",
    "DESCRIPTION": (
        "Pools of a licensed totalizator: read by anybody, played by players, sold at betting points.\n\n"
        "Amounts are text in BYN (`12.50`), instants ISO 8601 with zone, refusals RFC 9457 with stable codes. A POST"
        " that moves money needs the header `Idempotency-Key`. What a schema does not name is refused."
    ),
    "OAS_VERSION": "3.1.1",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "POSTPROCESSING_HOOKS": ["totalizator.core.api.described.add_problem"],
    "PATH_CONVERTER_OVERRIDES": {"label": {"type": "string", "pattern": "^[0-9A-Za-z._:-]{1,80}$"}},
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "SERVE_INCLUDE_SCHEMA": False,
}

# -- Celery ---------------------------------------------------------------------------------------------------
# A task is acknowledged when it has ended, so that a killed worker's task runs again: at once where the broker sees
# the connection break (RabbitMQ), else after the visibility timeout. Every task is therefore safe to run twice.
CELERY_BROKER_URL, CELERY_BROKER_TRANSPORT_OPTIONS = broker(env("CELERY_BROKER_URL", ""))
CELERY_BROKER_TRANSPORT = "totalizator.core.broker:Transport" if CELERY_BROKER_URL.startswith("pgmq") else None
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_POOL_LIMIT = 2
CELERY_TASK_DEFAULT_QUEUE = "totalizator"
CELERY_TASK_DEFAULT_QUEUE_TYPE = "quorum" if CELERY_BROKER_URL.startswith("amqp") else "classic"
CELERY_BROKER_NATIVE_DELAYED_DELIVERY_QUEUE_TYPE = "classic"  # 28 queues that nothing of ours goes through
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0.1}
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_WORKER_POOL = "totalizator.core.worker_pool:TaskPool"
CELERY_WORKER_LOST_WAIT = 1
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_ENABLE_REMOTE_CONTROL = not CELERY_BROKER_URL.startswith("pgmq")
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TIMEZONE = TIME_ZONE
SETTLE_BY_RANGES_FROM, SETTLING_RANGE_BETS = settling()

LOGGING = logging_settings(production=PRODUCTION)  # docs/monitoring.md
