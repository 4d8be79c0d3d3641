"""A backup is restored to an instant, and what was published proves it: the short form of `make restore-drill`."""

import pytest

from tests.drills import restoring
from tests.drills.ground import new_folder
from tests.drills.test_failover import said, source_url

pytestmark = [pytest.mark.xdist_group("local_stack"), pytest.mark.django_db]


def test_a_server_is_restored_to_an_instant() -> None:
    folder = new_folder()
    restoring.drill(folder, source_url(), bets=10, to_the_end=False, say=said)
    assert not folder.exists()
