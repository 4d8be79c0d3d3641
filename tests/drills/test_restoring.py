"""A backup is restored to an instant, and what was published proves it: the short form of `make restore-drill`."""

import pytest
from django.db import connection
from pytest_django.plugin import DjangoDbBlocker

from tests.drills import restoring
from tests.drills.ground import new_folder
from tests.drills.test_failover import said, source_url

pytestmark = pytest.mark.xdist_group("local_stack")


def test_a_server_is_restored_to_an_instant(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> None:
    with django_db_blocker.unblock():
        connection.close()
    folder = new_folder()
    restoring.drill(folder, source_url(), bets=10, to_the_end=False, say=said)
    assert not folder.exists()
