"""Lines of the log: JSON where machines read them, plain where a developer does; neither has secrets in it."""

import json
import logging
from datetime import UTC, datetime
from typing import Any

from totalizator.core.watching.context import about
from totalizator.core.watching.secrets import without_secrets

MEASURED = ("view", "method", "status", "milliseconds")
"""What a line can bring along in `extra`; whatever else is there stays out."""


class JsonLines(logging.Formatter):
    """One JSON object a line: when, how bad, who says it, what; and the request, job, user, pool and bet."""

    def format(self, record: logging.LogRecord) -> str:
        """Write the line."""
        told: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": without_secrets(record.getMessage()),
            **about(),
        }
        told |= {name: record.__dict__[name] for name in MEASURED if name in record.__dict__}
        if record.exc_info and record.exc_info[0] is not None:
            told["fault"] = without_secrets(self.formatException(record.exc_info))
        return json.dumps(told, ensure_ascii=False, default=str)


class PlainLines(logging.Formatter):
    """The same for eyes."""

    def __init__(self) -> None:
        """Write as the developer's log always was."""
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        """Write the line, then what it is about, then the traceback."""
        return without_secrets(super().format(record))

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 the library's name
        """Write the line itself."""
        known = " ".join(f"{name}={value}" for name, value in about().items())
        return super().formatMessage(record) + (f" [{known}]" if known else "")


def logging_settings(*, production: bool) -> dict[str, Any]:
    """Return Django's LOGGING: all to standard error, one line each; the requests themselves in production only."""
    quiet = {"level": "WARNING"}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": JsonLines if production else PlainLines}},
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["console"], "level": "WARNING"},
        "loggers": {
            # Django has a handler of its own for some of these: everything goes one way.
            "django": {"handlers": ["console"], "level": "INFO", "propagate": False},
            "django.server": {"handlers": [], "level": "INFO", "propagate": True},
            "celery": quiet if production else {"level": "INFO"},
            "totalizator.requests": {"level": "INFO"} if production else quiet,
            "totalizator.security": {"level": "INFO"},
        },
    }
