"""What there is to see on the site when the demonstration is over, and who can log in."""

import os
from collections.abc import Mapping
from typing import Any

from django.urls import reverse

from payouts.management.demo.cast import MEMBERS, secret_of

SITE = "http://127.0.0.1:8000"
LOGINS = ("organizer1", "organizer2", *(f"commission{n}" for n in range(1, MEMBERS + 1)), "cashier1", "player1")


def addresses(figures: Mapping[str, Any]) -> dict[str, str]:
    """Return the pages by what they show."""
    drawn = figures["pools"][-1]["code"]
    paths = {
        "The site": reverse("payouts:home"),
        "The pool that is open": reverse("pools:pool", args=[figures["left_open"]]),
        "The jackpot pool's result": reverse("pools:result", args=[drawn]),
        "Its money certificate": reverse("payouts:certificate", args=[drawn]),
        "Logging in": reverse("account_login"),
        "The organizer's desk": reverse("payouts:dashboard"),
        "The commission's desk": reverse("pools:commission"),
        "The till": reverse("payouts:till"),
        "The player's page": reverse("payouts:my"),
    }
    site = os.environ.get("SITE_URL", SITE).rstrip("/")
    return {what: site + path for what, path in paths.items()}


def logins() -> dict[str, str]:
    """Return the passwords by log-in: of all four roles."""
    return {username: secret_of(username) for username in LOGINS}
