"""A browser whose owner has just proved who it is, as withdrawals and the end of a registration want it."""

from django.test import Client

from accounts.models import User
from tests.functional.browsing import visitor

PASSWORD = "correct horse battery"


def prove(client: Client) -> None:
    """Give the password once more."""
    assert client.post("/account/reauthenticate/", {"password": PASSWORD}).status_code == 302


def proven(person: User) -> Client:
    """A browser of somebody who has."""
    client = visitor(person)
    prove(client)
    return client
