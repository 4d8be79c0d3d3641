"""One copy of the checkout for all tests that start, kill and stop the whole: to make its database takes longest."""

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.stack import NOT_COPIED, ROOT, processes_of


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy of the project; whatever was started in it is killed at the end, also after a failed test."""
    copy = tmp_path_factory.mktemp("local stack") / "a checkout"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*NOT_COPIED))
    yield copy
    for number in processes_of(copy):
        os.kill(number, signal.SIGKILL)
