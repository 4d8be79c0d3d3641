"""A real browser: Debian's Chromium, driven by Playwright; a person sits before it, logged in or not."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

import pytest
from django.conf import settings
from playwright.sync_api import Browser, ConsoleMessage, Error, Page, sync_playwright

from accounts.models import User
from tests.functional.browsing import visitor

PROGRAM = "chromium"
LACKING = f"The program {PROGRAM} is not there: install the package of this name, then the pages are tried in it."
MOST_WAIT = 10_000  # milliseconds
PHONE, NARROW_PHONE, COUNTER = (390, 844), (320, 640), (1280, 800)
Scheme = Literal["light", "dark"]


@contextmanager
def chromium(language: str = "en") -> Iterator[Browser]:
    """Run Chromium; where it is not installed the test is skipped, but fails where nothing may be (CI).

    Its own words (of a field for a file) are in `language`, where Debian's chromium-l10n is installed.

    Playwright's loop stays in this thread while it runs, so Django takes us for asynchronous code, which we are not.
    """
    program = shutil.which(PROGRAM)
    if program is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(LACKING)
    kept = os.environ.get("DJANGO_ALLOW_ASYNC_UNSAFE")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    try:
        with sync_playwright() as playwright:
            # Its own sandbox needs rights that root in a container has not; only our own pages are opened.
            browser = playwright.chromium.launch(
                executable_path=program,
                chromium_sandbox=os.geteuid() != 0,
                args=[f"--lang={language}"],
                env={**os.environ, "LANGUAGE": language},
            )
            yield browser
            browser.close()
    finally:
        if kept is None:
            del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]
        else:
            os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = kept


@dataclass
class Desk:
    """A page before which somebody sits; `complaints` are what the browser said against it (policy, scripts)."""

    page: Page
    address: str
    complaints: list[str] = field(default_factory=list)

    def open(self, path: str) -> None:
        """Open a page of the site."""
        self.page.goto(self.address + path)

    def note(self, message: ConsoleMessage) -> None:
        """Keep what the browser complains of."""
        if message.type in ("error", "warning"):
            self.complaints.append(f"{self.page.url}: {message.text}")

    def note_fault(self, error: Error) -> None:
        """Keep a script's fault."""
        self.complaints.append(f"{self.page.url}: {error.message}")


@contextmanager
def seated(
    browser: Browser,
    address: str,
    person: User | None = None,
    *,
    language: str = "en",
    size: tuple[int, int] = COUNTER,
    scheme: Scheme = "light",
    thumbs: bool = False,
    scripts: bool = True,
) -> Iterator[Desk]:
    """Let `person` sit before a browser of their own, logged in, reading `language`; its screen may be touched."""
    width, height = size
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme=scheme,
        reduced_motion="reduce",
        locale=language,
        has_touch=thumbs,
        java_script_enabled=scripts,
    )
    context.set_default_timeout(MOST_WAIT)
    cookies = {"django_language": language}
    if person is not None:
        cookies[settings.SESSION_COOKIE_NAME] = visitor(person).cookies[settings.SESSION_COOKIE_NAME].value
    context.add_cookies([{"name": name, "value": value, "url": address} for name, value in cookies.items()])
    desk = Desk(context.new_page(), address)
    desk.page.on("console", desk.note)
    desk.page.on("pageerror", desk.note_fault)
    yield desk
    context.close()
