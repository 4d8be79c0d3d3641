"""What the lines of the log are about: the request, the job, the pool and the bet of the moment."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar, Token

_about: ContextVar[Mapping[str, str]] = ContextVar("about", default={})  # noqa: B039 it is never changed, only replaced


def about() -> Mapping[str, str]:
    """Return what is known now: `request`, `user`, `job`, `task`, `pool`, `bet`."""
    return _about.get()


def begin(**known: str) -> Token[Mapping[str, str]]:
    """Forget what was before, and know this; `end` brings back what was before."""
    return _about.set(known)


def end(token: Token[Mapping[str, str]]) -> None:
    """Know again what was known before `begin`."""
    _about.reset(token)


def note(**known: str) -> None:
    """Know this too, until the request or job ends."""
    _about.set({**_about.get(), **known})


@contextmanager
def speaking_of(**known: str) -> Iterator[None]:
    """Know this too, in the block."""
    token = _about.set({**_about.get(), **known})
    try:
        yield
    finally:
        _about.reset(token)
