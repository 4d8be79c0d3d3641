"""One Chromium for the tests of a file."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.driving import chromium


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start Chromium once; each test opens windows of its own."""
    with chromium() as started:
        yield started
