"""Which code and configuration runs: read when the process starts, compared with the register and the disk (R2).

A release is registered when it is put in service, in production by an approved change record (R4). Secret settings are
digested together with the release's own key, so that a change shows and the secret does not.
"""

import hmac
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from django.conf import settings

from totalizator.core import clock
from totalizator.core.environment import CHECKOUT
from totalizator.core.journal import write_journal
from totalizator.core.models import Release
from totalizator.core.release_files import files_on_disk
from totalizator.core.transactions import one_transaction
from totalizator.engine.canonical import canonical_json, digest

OPEN_SETTINGS = (
    "ACCOUNT_RATE_LIMITS", "ALLOWED_HOSTS", "API_RATES", "AUTHENTICATION_BACKENDS", "CLOCK_MAY_MOVE", "DEBUG",
    "FISCAL_REGISTER", "INSTALLED_APPS", "MIDDLEWARE", "OPERATOR_NAME", "PASSPHRASE_COST", "PRODUCTION",
    "STAFF_SECOND_FACTOR", "TILL_PRINTERS", "TIMESTAMP_AUTHORITIES", "TIME_ZONE", "TRUSTED_PROXIES",
)  # fmt: skip
SECRET_SETTINGS = (
    "FORMER_TICKET_KEYS",
    "OPERATOR_KEY",
    "PAYMENT_PROVIDERS",
    "PERSONAL_DATA_KEYS",
    "PERSONAL_DIGEST_KEY",
    "SECRET_KEY",
    "TICKET_KEY",
)


@dataclass(frozen=True, slots=True)
class Running:
    """The code and configuration of a process."""

    files: Mapping[str, str]
    configuration: Mapping[str, str]

    @property
    def digest(self) -> str:
        """The name of the release."""
        return digest(canonical_json({"files": dict(self.files), "configuration": dict(self.configuration)}))


@lru_cache(maxsize=1)
def running_release() -> Running:
    """Return what this process runs; read once, when the process starts (`apps.py`)."""
    return release_on_disk()


def release_on_disk(root: Path = CHECKOUT) -> Running:
    """Read what a process started now would run."""
    return Running(files_on_disk(root), _configuration())


def register_release(*, change: str, registered_by: str, change_number: int | None = None) -> Release:
    """Put what is on the disk into the register, unless its newest entry is the same; return the newest entry.

    :param change_number: the approved change record that lets it be put in service
    """
    found = release_on_disk()
    with one_transaction():
        newest = newest_release()
        if newest is not None and (newest.digest, newest.change_number) == (found.digest, change_number):
            return newest
        at = clock.now()
        release = Release.objects.create(
            number=1 if newest is None else newest.number + 1,
            digest=found.digest,
            files=dict(found.files),
            configuration=dict(found.configuration),
            change=change,
            change_number=change_number,
            registered_at=at,
            registered_by=registered_by,
        )
        write_journal(
            at=at,
            actor=registered_by,
            act="register_release",
            subject=f"release:{release.number}",
            reason=change,
            after={"digest": release.digest, "change": change_number},
        )
    return release


def newest_release() -> Release | None:
    """Return the newest entry of the register."""
    return Release.objects.order_by("-number").first()


def release_differences() -> list[str]:
    """Name what this process runs, or what lies on the disk, otherwise than registered; nothing when all agree."""
    registered = newest_release()
    if registered is None:
        return ["no release is registered"]
    looked_at = (("running", running_release()), ("on disk", release_on_disk()))
    return [difference for where, found in looked_at for difference in _differences(where, registered, found)]


def _differences(where: str, registered: Release, found: Running) -> Iterator[str]:
    pairs = ((registered.files, found.files), (registered.configuration, found.configuration))
    for kept, there in pairs:
        for name in sorted({*kept, *there}):
            if kept.get(name) != there.get(name):
                how = "is new" if name not in kept else "is gone" if name not in there else "was changed"
                yield f"{where}: {name} {how}"


def _configuration() -> dict[str, str]:
    shown = {name: repr(getattr(settings, name, None)) for name in OPEN_SETTINGS}
    return shown | {name: _hidden(name) for name in SECRET_SETTINGS}


def _hidden(name: str) -> str:
    value = repr(getattr(settings, name, None)).encode()
    return "hmac:" + hmac.new(settings.SECRET_KEY.encode(), name.encode() + b"\n" + value, sha256).hexdigest()
