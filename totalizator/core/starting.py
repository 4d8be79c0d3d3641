"""What a web process does once, before its first request."""

import gc

from django.urls import get_resolver


def be_ready() -> None:
    """Load every view and what it needs, and keep all of it out of the collector's way.

    What is loaded stays as long as the process. Looked through again and again, it would make one request in some
    hundreds wait for a fifth of a second.
    """
    get_resolver().url_patterns  # noqa: B018  reading them loads them
    gc.collect()
    gc.freeze()
