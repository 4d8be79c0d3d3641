"""What the headers of every answer forbid the browser, and what in a page would need an exception."""

from html.parser import HTMLParser
from typing import Any

POLICY = {
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "manifest-src 'self'",
    "object-src 'none'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
}


class Faults(HTMLParser):
    """What of a page its policy would refuse: styles and scripts in it, and what comes from elsewhere."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "style" or (tag == "script" and not given.get("src") and given.get("type") != "application/json"):
            self.found.append(tag)
        for name, value in given.items():
            loads = (
                (name == "src" or (name == "href" and tag == "link"))
                and not value.startswith("data:image")
                and (value.startswith("//") or not value.startswith("/"))
            )
            if name == "style" or name.startswith(("on", "hx-on")) or loads or value.startswith("javascript:"):
                self.found.append(f"{tag} {name}")


def refused(answer: Any) -> list[str]:
    """The faults of an answer, with what is missing of its headers."""
    directives = {part.strip() for part in answer["Content-Security-Policy"].split(";")}
    html = answer["Content-Type"].startswith("text/html") and not answer.streaming
    missing = sorted(POLICY ^ directives)
    for name, value in (
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
        ("Referrer-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ):
        if answer[name] != value:
            missing.append(name)
    if "camera=()" not in answer["Permissions-Policy"]:
        missing.append("Permissions-Policy")
    return missing + (Faults(answer.content.decode()).found if html else [])
