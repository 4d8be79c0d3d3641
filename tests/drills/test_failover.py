"""The primary is killed while bets are sold: another takes over, and every acknowledged bet is there, once.

The short form of `make failover`: the same drill, with fewer bets and one loss.
"""

import os
import shutil

import pytest
from django.db import connection

from deploy.local.processes import command_lines
from tests.drills.failover import MACHINES, fail_over, set_the_scene
from tests.drills.ground import new_folder
from tests.drills.nodes import ETCD_PACKAGE
from tests.drills.selling import lost

pytestmark = [pytest.mark.xdist_group("local_stack"), pytest.mark.django_db]


def source_url() -> str:
    """The address of this run's own migrated database."""
    told = connection.settings_dict
    return f"postgresql://{told['USER']}:{told['PASSWORD']}@{told['HOST']}:{told['PORT']}/{told['NAME']}"


def said(_sentence: str) -> None:
    """Nobody listens."""


@pytest.mark.skipif(
    not shutil.which("etcd") and not os.environ.get("CI"), reason=f"without the package {ETCD_PACKAGE} nobody decides"
)
def test_the_primary_is_killed_while_bets_are_sold() -> None:
    scene = set_the_scene(new_folder(), source_url(), MACHINES, said)
    with scene.ground:
        figures = fail_over(scene, machine=False, players=4, bets=30, say=said)
        assert figures.bets >= 90
        assert 0 < figures.pause < 30
        assert scene.nodes.is_whole()
        assert {member["timeline"] for member in scene.nodes.members()} == {2}
    folder = str(scene.ground.folder)
    assert not scene.ground.folder.exists()
    assert [words for _, words in command_lines() if folder in " ".join(words) or str(scene.port) in words] == []


def test_a_ticket_that_the_database_does_not_know_is_seen_to_be_lost() -> None:
    assert lost(["A", "B"], ["B", "C"]) == ["A"]
    assert lost(["A"], ["A", "B"]) == []
